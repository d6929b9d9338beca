import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { CLOUD_CHATS } from "../../emulator/index.ts";
import { at, sending, until } from "../harness.ts";
import { type RunningCloud, startCloud } from "../running-cloud.ts";

const { ada: ADA } = CLOUD_CHATS;

let cloud: RunningCloud;
afterEach(() => cloud[Symbol.asyncDispose]());

describe("the start", () => {
  it("lists the slash commands in people's apps; a refusal of that is only noted", async () => {
    cloud = await startCloud();
    expect(cloud.emulator.world.commands).toContainEqual({
      command_name: "title",
      command_description: "Names the session [title]",
    });
    await cloud.adapter.stop();
    cloud.emulator.fail({ operation: "commands", kind: { is: "refuse", code: "10" } });
    await cloud.restart();
    expect(cloud.adapter.health()).toEqual({ state: "up" });
    expect(cloud.logged.join()).toContain("could not be registered");
  });

  it.each([
    ["a token that Meta does not know", { accessToken: "EAAnobody" }, "PLATFORM_UNAUTHORISED", /credentials/],
    ["a number that is not there", { phoneNumberId: "10000000001" }, "PLATFORM_NOT_FOUND", /phoneNumberId/],
  ])("the start with %s fails and says what to check", async (_, options, code, told) => {
    cloud = await startCloud();
    const failing = startCloud({ ...cloud.emulator.options, ...options });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code });
    expect(`${Object(error).message} ${Object(error).hint}`).toMatch(told);
  });

  it("a start on a port that is taken fails, and names the port", async () => {
    cloud = await startCloud();
    const { webhook } = cloud.emulator.options;
    await expect(startCloud({ webhook })).rejects.toMatchObject({
      code: "PLATFORM_UNAVAILABLE",
      message: expect.stringContaining(String(webhook.port)),
    });
  });

  it("a start that is broken off leaves the port free", async () => {
    cloud = await startCloud();
    const { port } = cloud.emulator.options.webhook;
    await cloud.adapter.stop();
    const server = createServer();
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("the health", () => {
  it("the health follows an outage of Meta and an expired token, and their end", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "home", kind: { is: "refuse", code: "190" } });
    await cloud.clock.advance(15_000);
    await until(() => cloud.adapter.health().state === "down");
    expect(cloud.adapter.health().detail).toMatch(/Not receiving: .*credentials/);
    await cloud.clock.advance(3_000);
    await until(() => cloud.adapter.health().state === "up");
  });

  it("the health reports that messages go out but no webhook comes", async () => {
    cloud = await startCloud();
    cloud.emulator.link.setReachable(false);
    await cloud.adapter.send(at(ADA), { text: "Hi" }, sending());
    await cloud.clock.advance(121_000);
    expect(cloud.adapter.health()).toMatchObject({
      state: "degraded",
      detail: expect.stringContaining("callback URL"),
    });
  });

  it("reports a wrong app secret, but ignores bad signatures once one was valid", async () => {
    cloud = await startCloud();
    const forge = () =>
      fetch(cloud.webhookUrl, {
        method: "POST",
        body: JSON.stringify({ phone_number_id: cloud.emulator.options.phoneNumberId }),
        headers: { "x-hub-signature-256": `sha256=${"a".repeat(64)}` },
      });
    await forge();
    expect(cloud.adapter.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining("appSecret") });
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length === 1);
    await forge();
    expect(cloud.adapter.health()).toEqual({ state: "up" });
  });
});

describe("the home channel", () => {
  it("the home channel is a number in any notation", async () => {
    cloud = await startCloud();
    expect(await cloud.adapter.homeConversation({ chatId: "+49 170 0000001" })).toEqual(at(ADA));
  });

  it.each([
    ["a group", "120363012345678901@g.us", /personal/],
    ["a name", "Ada", /country code/],
    ["the business number itself", "+1 555 078 3881", /person/],
  ])("cannot be %s", async (_, chatId, told) => {
    cloud = await startCloud();
    await expect(cloud.adapter.homeConversation({ chatId })).rejects.toMatchObject({
      code: "PLATFORM_NOT_FOUND",
      hint: expect.stringMatching(told),
    });
  });

  it("the home channel has no threads", async () => {
    cloud = await startCloud();
    const options = { home: { chatId: ADA }, mark: "mark", signal: new AbortController().signal };
    expect(await cloud.adapter.createHandoffThread(ADA, "A plan", options)).toBeNull();
  });
});
