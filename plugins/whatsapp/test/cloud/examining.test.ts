import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { CLOUD_CHATS, startWhatsAppCloudEmulator, type WhatsAppCloudEmulator } from "../../emulator/index.ts";
import { examine } from "../found.ts";
import { startCloud } from "../running-cloud.ts";

/** What is found of an emulated number that was prepared. */
async function found(config: object = {}, prepare: (emulator: WhatsAppCloudEmulator) => void = () => {}) {
  await using emulator = await startWhatsAppCloudEmulator();
  prepare(emulator);
  const { account, told } = await examine({ ...emulator.options, ...config });
  const { host, port } = emulator.options.webhook;
  return { account, told: told.map((line) => line.replaceAll(`http://${host}:${port}`, "HERE")) };
}

const IN_ORDER = [
  "ok: Meta knows the number: Hermes, +1 555-078-3881.",
  "ok: The app's secret fits the token's app, Hermes for Ada.",
  "ok: The token never expires.",
  "ok: The app is subscribed to the WhatsApp account.",
];
const ELSEWHERE =
  "ok: Meta sends what people write to HERE/whatsapp. Whether that leads here shows while a gateway runs.";

describe("what is found of a business number", () => {
  it("a number that is in order is named, with a link that opens the chat", async () => {
    const { account, told } = await found();
    expect(told).toEqual([...IN_ORDER, ELSEWHERE]);
    expect(account).toEqual({
      id: "106540352242922",
      name: "Hermes, +1 555-078-3881",
      link: "https://wa.me/15550783881",
    });
  });

  it("a token that Meta does not take is told with a hint, and never shown", async () => {
    const { account, told } = await found({ accessToken: "EAAwrong-token-00000000" });
    expect(account).toBeNull();
    expect(told).toEqual([
      expect.stringMatching(/^problem: Meta does not accept `accessToken`: .* Generate a token of a system user/),
    ]);
    expect(told.join()).not.toContain("EAAwrong");
  });

  it("the secret of another app is told, and never shown", async () => {
    const { told } = await found({ appSecret: "the-secret-of-another-app" });
    expect(told[0]).toBe(
      "problem: `appSecret` is not the secret of the app that the token is of. Copy it anew from the app's page: App settings, Basic, App secret.",
    );
    expect(told.join()).not.toContain("the-secret-of-another-app");
  });

  it("a number that the token may not use is told with what to check", async () => {
    const { told } = await found({ phoneNumberId: "106540352249999" });
    expect(told).toEqual([
      expect.stringMatching(/^problem: .*not there, or the token may not use it.*Check `phoneNumberId`/),
    ]);
  });

  it("a token for a day is warned of with the time at which it expires", async () => {
    const expiresAt = Date.UTC(2026, 10, 29, 23) / 1_000;
    const { told } = await found({}, (emulator) => emulator.setApp({ tokenExpiresAt: expiresAt }));
    expect(told[0]).toMatch(
      /^warning: The token expires at 2026-11-29 23:00 UTC: it is one of those for a day, .* never expires/,
    );
  });

  it("a token without the permission to send is a problem", async () => {
    const { told } = await found({}, (emulator) => emulator.setApp({ scopes: ["whatsapp_business_management"] }));
    expect(told[0]).toMatch(
      /^problem: The token lacks the permission `whatsapp_business_messaging`\. Generate it anew/,
    );
  });

  it("an app that is not subscribed to the account is a problem", async () => {
    const { told } = await found({}, (emulator) => emulator.setApp({ isSubscribed: false }));
    expect(told[0]).toMatch(/^problem: The app is not subscribed to the WhatsApp account, .*`messages`\.$/);
  });

  it("a number that people report is warned of", async () => {
    const { told } = await found({}, (emulator) => emulator.setApp({ quality: "RED" }));
    expect(told[0]).toMatch(/^warning: Meta rates the number's quality low, and may limit it\./);
  });

  it("a callback URL that nobody entered is warned of with what to do", async () => {
    const { told } = await found({}, (emulator) => emulator.setApp({ callbackUrl: null }));
    expect(told[0]).toMatch(
      /^warning: Meta tells of no callback URL.* Let a reverse proxy or tunnel with TLS lead to HERE\/whatsapp; .*`verifyToken`/,
    );
  });

  it("another program on the webhook's port is a problem", async () => {
    const server = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { told } = await found({ webhook: { port } });
    server.close();
    expect(told[0]).toMatch(/^problem: What answers at http:\/\/127\.0\.0\.1:\d+\/whatsapp is not Hermes' webhook/);
  });

  it.each([
    ["120363012345678901@g.us", /^problem: .*is a group.*use `transport: "personal"`/],
    ["15550783881", /^problem: .*it is the business number itself/],
    ["Ada", /^problem: .*Ada is no number/],
  ])("the home channel %s is a problem", async (homeChannel, line) => {
    const { told } = await found({ homeChannel });
    expect(told).toEqual([expect.stringMatching(line), ...IN_ORDER, ELSEWHERE]);
  });

  it("a home channel is said to be one that Meta tells nothing of", async () => {
    const { told } = await found({ homeChannel: CLOUD_CHATS.ada });
    expect(told.at(-1)).toMatch(/^ok: Meta tells of no number whether it is on WhatsApp\..* 24 hours\.$/);
  });

  it("Meta that cannot be reached is told without an address", async () => {
    const emulator = await startWhatsAppCloudEmulator();
    const { options } = emulator;
    await emulator[Symbol.asyncDispose]();
    expect((await examine(options)).told).toEqual([
      expect.stringMatching(/^problem: whatsapp cannot be reached: the connection failed \(ECONNREFUSED\)\./),
    ]);
  });

  it("a gateway that serves the number goes on, and its webhook is found", async () => {
    await using cloud = await startCloud({ homeChannel: CLOUD_CHATS.ada });
    const { told } = await examine({ ...cloud.emulator.options, homeChannel: CLOUD_CHATS.ada });
    expect(told).toContain(`ok: Meta sends what people write to ${cloud.webhookUrl}, which leads to the gateway.`);
    await cloud.emulator.receive({ chatId: CLOUD_CHATS.ada, text: "Hello" });
    expect((await cloud.untilReceived(1))[0]?.text).toBe("Hello");
    expect(cloud.calls("POST messages")).toEqual([]);
  });

  it("a callback URL that leads elsewhere than to the gateway is warned of", async () => {
    await using cloud = await startCloud();
    cloud.emulator.setApp({ callbackUrl: "http://127.0.0.1:9/whatsapp" });
    const { told } = await examine(cloud.emulator.options);
    expect(told[0]).toMatch(/^warning: Meta sends .* to http:\/\/127\.0\.0\.1:9\/whatsapp, which does not lead to the/);
  });
});
