import { afterEach, describe, expect, it } from "vitest";
import { CLOUD_CHATS } from "../../emulator/index.ts";
import { at, sending, until } from "../harness.ts";
import { type RunningCloud, startCloud } from "../running-cloud.ts";

const { ada: ADA, bob: BOB } = CLOUD_CHATS;
const TEMPLATE = { name: "hermes_note", language: "en", body: "Hermes has something for you: {{1}}" };

let cloud: RunningCloud;
afterEach(() => cloud[Symbol.asyncDispose]());

const send = (text: string, key = "key-1") => cloud.adapter.send(at(ADA), { text }, sending(key));

/** Turns the clock over the moment after which a word is said again. */
async function settled(count: number): Promise<void> {
  await until(() => cloud.settled.length >= count);
}

describe("a message", () => {
  it("arrives, with a link to the chat, and Hermes hears so once it is delivered", async () => {
    cloud = await startCloud();
    const { messageId, link } = await send("*Hi*");
    expect(link).toBe(`https://wa.me/${ADA}`);
    expect(cloud.emulator.messages(ADA)).toMatchObject([{ id: messageId, author: "bot", text: "Hi" }]);
    await settled(1);
    expect(cloud.settled).toEqual([{ messageId, refusal: null }]);
    // Meta may report before Hermes has recorded the id, so the word is said once more.
    await cloud.clock.advance(2_000);
    expect(cloud.settled).toHaveLength(2);
  });

  it("reports a message that is longer than Meta takes", async () => {
    cloud = await startCloud();
    await expect(send("x".repeat(4_097))).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      message: expect.stringContaining("4096 characters"),
    });
  });

  it("reports a message to somebody without WhatsApp late, with every likely cause", async () => {
    cloud = await startCloud();
    const { messageId } = await cloud.adapter.send(at("491700000099"), { text: "Hi" }, sending());
    await settled(1);
    const [{ refusal } = { refusal: null }] = cloud.settled;
    expect(cloud.settled[0]?.messageId).toBe(messageId);
    expect(refusal).toMatchObject({
      code: "PLATFORM_NOT_FOUND",
      hint: expect.stringMatching(/not on WhatsApp.*blocked/),
    });
  });

  it("finds a message whose reply was lost again by what Meta reports", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const { messageId } = await send("Once");
    expect(cloud.emulator.messages(ADA).map(({ id }) => id)).toEqual([messageId]);
  });

  it("a message is uncertain when its connection broke and Meta reports nothing", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "send", kind: { is: "disconnect" } });
    const sent = send("Perhaps");
    const caught = sent.catch((error: unknown) => error);
    await until(() => cloud.emulator.log.some(({ method }) => method === "POST messages"));
    while (!(await Promise.race([caught.then(() => true), new Promise((resolve) => setTimeout(resolve, 5, false))]))) {
      await cloud.clock.advance(1_000);
    }
    expect(await caught).toMatchObject({ code: "PLATFORM_UNCERTAIN" });
  });

  it("holds the token nowhere but in the header", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "send", kind: { is: "refuse", code: "190" } });
    const error = await send("Hi").catch((thrown: unknown) => thrown);
    const told = JSON.stringify([error, Object(error).message, Object(error).stack, cloud.logged]);
    expect(told).not.toContain(cloud.emulator.options.accessToken);
    expect(error).toMatchObject({ code: "PLATFORM_UNAUTHORISED" });
  });
});

describe("what Meta reports", () => {
  it("a status only goes forward, whatever late, old or repeated reports say", async () => {
    cloud = await startCloud();
    const { messageId } = await send("Hi");
    await settled(1);
    cloud.emulator.report(messageId, "failed", 131026);
    cloud.emulator.report(messageId, "sent");
    cloud.emulator.report(messageId, "delivered");
    cloud.emulator.report(messageId, "read");
    await settled(2);
    expect(cloud.settled.map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(cloud.received).toEqual([]);
  });

  it("may be a failure on one device and a delivery to another", async () => {
    cloud = await startCloud();
    cloud.emulator.refuseLate(131026);
    const { messageId } = await send("Hi");
    await settled(1);
    cloud.emulator.report(messageId, "delivered");
    await cloud.clock.advance(2_000);
    await settled(3);
    const words = cloud.settled.map(({ refusal }) => refusal?.code ?? null);
    expect(words).toEqual(["PLATFORM_NOT_FOUND", "PLATFORM_NOT_FOUND", null]);
  });
});

describe("more than 24 hours after the person wrote", () => {
  it("a message is refused with what to do", async () => {
    cloud = await startCloud({}, (emulator) => emulator.closeWindow(ADA));
    await expect(send("Hi")).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
      message: expect.stringContaining("24 hours"),
      hint: expect.stringContaining("`template`"),
    });
  });

  it("reports a message that Meta refuses afterwards with the same reason", async () => {
    cloud = await startCloud({}, (emulator) => emulator.closeWindow(ADA, { late: true }));
    const { messageId } = await send("Hi");
    await settled(1);
    expect(cloud.settled).toMatchObject([{ messageId, refusal: { message: expect.stringContaining("24 hours") } }]);
  });

  it.each([
    ["at once", false],
    ["afterwards", true],
  ])("a refusal that comes %s sends the message as the template that the config names", async (_, late) => {
    const { name, language } = TEMPLATE;
    cloud = await startCloud({ template: { name, language } }, (emulator) => {
      emulator.world.templates.push(TEMPLATE);
      emulator.closeWindow(ADA, { late });
    });
    const { messageId } = await send("Two\nlines    and\ttabs");
    await settled(1);
    expect(cloud.emulator.messages(ADA).map(({ text }) => text)).toEqual([
      "Hermes has something for you: Two ⏎ lines and tabs",
    ]);
    expect(cloud.settled).toEqual([{ messageId, refusal: null }]);
  });

  it("a refusal is uncertain where an earlier process may have sent the template", async () => {
    const { name, language } = TEMPLATE;
    cloud = await startCloud({ template: { name, language } });
    cloud.emulator.report("wamid.of-an-earlier-process", "failed", 131047);
    await settled(1);
    expect(cloud.settled).toMatchObject([{ refusal: { code: "PLATFORM_UNCERTAIN" } }]);
  });

  it("a template that is not there is told with what to check", async () => {
    cloud = await startCloud({ template: { name: "nowhere", language: "en" } }, (emulator) =>
      emulator.closeWindow(ADA),
    );
    await expect(send("Hi")).rejects.toMatchObject({
      code: "PLATFORM_REJECTED",
      message: expect.stringContaining("nowhere"),
      hint: expect.stringContaining("{{1}}"),
    });
  });

  it("the window is open again when the person writes", async () => {
    cloud = await startCloud({}, (emulator) => emulator.closeWindow(ADA));
    await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await expect(send("Hi")).resolves.toBeDefined();
  });
});

describe("a rate limit", () => {
  it("a rate limit has the delay that Meta names", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 3_000 } });
    await expect(send("Hi")).rejects.toMatchObject({ code: "PLATFORM_RATE_LIMITED", retryAfterMs: 3_000 });
  });

  it("towards one person, of which Meta does not say how long, leaves that to Hermes", async () => {
    cloud = await startCloud();
    cloud.emulator.fail({ operation: "send", kind: { is: "refuse", code: "131056" } });
    await expect(send("Hi")).rejects.toMatchObject({
      code: "PLATFORM_RATE_LIMITED",
      retryable: true,
      retryAfterMs: null,
    });
  });
});

describe("read receipts", () => {
  it("read receipts and “typing…” are off by default", async () => {
    cloud = await startCloud();
    expect(cloud.adapter.typing).toBeUndefined();
  });

  it("readReceipts marks each of thirty messages as read", async () => {
    cloud = await startCloud({ readReceipts: true });
    const ids: string[] = [];
    for (let at = 0; at < 30; at++) {
      ids.push((await cloud.emulator.receive({ chatId: ADA, text: `Message ${at}` })).messageId);
    }
    await until(() => cloud.calls("POST messages (read)").length === 30);
    const read = cloud.calls("POST messages (read)").map((call) => Object(call).message_id);
    expect(read.sort()).toEqual(ids.sort());
  });

  it("readReceipts marks nothing as read of somebody who may not talk", async () => {
    cloud = await startCloud({ readReceipts: true });
    cloud.isAllowed = ({ conversation }) => conversation.chatId === ADA;
    await cloud.emulator.receive({ chatId: BOB, text: "Is somebody there?" });
    const { messageId } = await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length === 2 && cloud.calls("POST messages (read)").length > 0);
    expect(cloud.calls("POST messages (read)").map((call) => Object(call).message_id)).toEqual([messageId]);
  });

  it("readReceipts shows “typing…” beside the latest message", async () => {
    cloud = await startCloud({ readReceipts: true });
    // Nobody has written: there is nothing beside which it could be shown.
    await cloud.adapter.typing?.(at(ADA), new AbortController().signal);
    const { messageId } = await cloud.emulator.receive({ chatId: ADA, text: "Hello" });
    await until(() => cloud.received.length === 1);
    await cloud.adapter.typing?.(at(ADA), new AbortController().signal);
    expect(cloud.calls("POST messages (read)")).toContainEqual(
      expect.objectContaining({ status: "read", message_id: messageId, typing_indicator: { type: "text" } }),
    );
  });
});
