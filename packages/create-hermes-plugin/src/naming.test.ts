import { expect, it } from "vitest";
import { named } from "./naming.ts";

it("a name of two words is spelt as each place of the code asks for", () => {
  const text = [
    'export const acme = definePlugin({ package: "hermes-plugin-acme", platform: "acme", schema: acmeOptions });',
    'import { acme } from "hermes-plugin-acme"; acme({ token: process.env.ACME_TOKEN });',
    "class AcmeAdapter {} // Acme's own https://api.acme.example, x-acme-signature",
  ].join("\n");
  expect(named(text, "rocket-chat").split("\n")).toEqual([
    'export const rocketChat = definePlugin({ package: "hermes-plugin-rocket-chat", platform: "rocket-chat", schema: rocketChatOptions });',
    'import { rocketChat } from "hermes-plugin-rocket-chat"; rocketChat({ token: process.env.ROCKET_CHAT_TOKEN });',
    "class RocketChatAdapter {} // Rocket Chat's own https://api.rocket-chat.example, x-rocket-chat-signature",
  ]);
  expect(named(text, "acme")).toBe(text);
});
