import { disposeMachines } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { asking } from "./test-asking.ts";

afterEach(disposeMachines);

const HOME: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
const PERSON = { id: "person", name: "Ada" };

it("a message that another process stored is answered within seconds", async () => {
  const { platform, gateway, clock, until } = asking({}, [[{ say: "Done." }]]);
  const { host } = await gateway();
  const message = { conversation: HOME, messageId: "in-77", sender: PERSON, text: "Go", sentAt: clock.now() };
  await host.store.inbox.acceptInbound(buildSessionKey(HOME), message);
  await until(() => platform.textsIn("home").length > 0);
  expect(platform.textsIn("home")).toEqual(["Done."]);
});
