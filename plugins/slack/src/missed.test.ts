import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { at, opening, type RunningSlack, sending, startSlack } from "../test/running-slack.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack({ allowedUsers: ["U0ADA"] });
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

/** What was received, each message once, as core keeps it. */
function texts(): string[] {
  return [...new Map(slack.received.map(({ messageId, text }) => [messageId, text])).values()];
}

async function write(
  text: string,
  more: { chatId?: string; threadId?: string; userId?: string } = {},
): Promise<string> {
  const { messageId } = await slack.emulator.receive({ chatId: "D0ADA", text, ...more });
  return messageId;
}

/** Writes what Slack tells nobody of any more when there is a socket again. */
async function writeMeanwhile(...args: Parameters<typeof write>): Promise<string> {
  const messageId = await write(...args);
  slack.emulator.hub.giveUp();
  return messageId;
}

async function hears(text: string, more: Parameters<typeof write>[1] = {}): Promise<void> {
  await write(text, more);
  await slack.until(() => texts().includes(text));
}

it("a restart fetches missed messages in order after Slack's retries ended", async () => {
  await hears("before");
  await slack.stop();
  for (const text of ["a", "b", "c"]) await writeMeanwhile(text);
  await slack.startAgain();
  await hears("after");
  await slack.restart();
  await hears("later");
  expect(texts()).toEqual(["before", "a", "b", "c", "after", "later"]);
  expect(slack.received.map(({ text }) => text)).toEqual(texts());
});

it("a restart fetches missed messages in every kind of conversation", async () => {
  await hears("before", { chatId: "C0TEAM" });
  await slack.stop();
  for (const chatId of ["C0TEAM", "C0PRIVATE", "D0ADA"]) await writeMeanwhile(`in ${chatId}`, { chatId });
  await slack.startAgain();
  await slack.until(() => slack.received.length === 4);
  expect(texts().toSorted()).toEqual(["before", "in C0PRIVATE", "in C0TEAM", "in D0ADA"]);
});

it("a restart fetches missed thread messages after their roots", async () => {
  const old = await write("root", { chatId: "C0TEAM" });
  const unanswered = await write("another root", { chatId: "C0TEAM" });
  await hears("answer", { chatId: "C0TEAM", threadId: old });
  const handedOff = await slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
  const { threadId = "" } = handedOff.conversation;
  // So that the roots are not on the latest page.
  for (let count = 0; count < 210; count++) await write(`talk ${count}`, { chatId: "C0TEAM" });
  await slack.until(() => texts().includes("talk 209"));
  // What was taken in is not read again from then on.
  await slack.clock.advance(120_000);
  await slack.stop();
  slack.received.length = 0;
  await writeMeanwhile("in the old one", { chatId: "C0TEAM", threadId: old });
  await writeMeanwhile("in ours", { chatId: "C0TEAM", threadId });
  await writeMeanwhile("in one that Hermes did not know", { chatId: "C0TEAM", threadId: unanswered });
  const fresh = await writeMeanwhile("new root", { chatId: "C0TEAM" });
  await writeMeanwhile("new answer", { chatId: "C0TEAM", threadId: fresh });
  await slack.startAgain();
  await write("live", { chatId: "C0TEAM", threadId: fresh });
  await slack.until(() => texts().includes("live"));
  expect(texts()).toEqual([
    "in the old one",
    "in ours",
    "in one that Hermes did not know",
    "new root",
    "new answer",
    "live",
  ]);
  expect(slack.received[1]?.conversation).toEqual(at("C0TEAM", threadId));
});

it("a fetched message is the same as its event", async () => {
  const files = [{ name: "notes.md", mediaType: "text/markdown", content: "# Notes" }];
  const message = { chatId: "C0TEAM", text: "look", mentions: true, files };
  await slack.emulator.receive(message);
  await slack.until(() => slack.received.length === 2);
  await slack.stop();
  await slack.emulator.receive(message);
  slack.emulator.hub.giveUp();
  await slack.startAgain();
  await slack.until(() => slack.received.length === 3);
  const [live, , missed] = slack.received;
  const known = { messageId: "", sentAt: 0, beginsThread: "" };
  expect({ ...missed, ...known }).toEqual({ ...live, ...known });
});

it("the first start fetches no history", async () => {
  await slack.stop();
  rmSync(join(slack.folder, "cursors.json"));
  await writeMeanwhile("old");
  await slack.clock.advance(Date.now() + 1 - slack.clock.now());
  await slack.startAgain();
  await hears("new");
  await slack.restart();
  await hears("newer");
  expect(texts()).toEqual(["new", "newer"]);
});

it("messages from before the bot joined a channel are not fetched", async () => {
  await slack.stop();
  slack.emulator.setMember("C0PRIVATE", false);
  await writeMeanwhile("among ourselves", { chatId: "C0PRIVATE" });
  slack.emulator.setMember("C0PRIVATE", true);
  await writeMeanwhile("welcome", { chatId: "C0PRIVATE" });
  await slack.startAgain();
  await slack.until(() => slack.received.length === 1);
  expect(texts()).toEqual(["welcome"]);
});

it("the bot's and its webhooks' own messages are not fetched", async () => {
  await hears("before", { chatId: "C0TEAM" });
  await slack.adapter.send(at("C0TEAM"), { text: "mine" }, sending());
  await slack.stop();
  await slack.emulator.receive({ chatId: "C0TEAM", text: "my webhook's", isOwn: true });
  await slack.emulator.receive({ chatId: "C0TEAM", text: "beep", userId: "U0ROBOT", isBot: true });
  slack.emulator.hub.giveUp();
  await slack.startAgain();
  await hears("after", { chatId: "C0TEAM" });
  expect(slack.received.map(({ text, sender }) => [text, sender.isBot ?? false])).toEqual([
    ["before", false],
    ["beep", true],
    ["after", false],
  ]);
});

it("fetched messages have their latest text; deleted ones are left out", async () => {
  await hears("before");
  await slack.stop();
  const edited = await writeMeanwhile("helo");
  await slack.emulator.receive({ chatId: "D0ADA", editOf: edited, text: "hello" });
  const deleted = await writeMeanwhile("never mind");
  slack.emulator.removeThread("D0ADA", deleted);
  slack.emulator.hub.giveUp();
  await slack.startAgain();
  await hears("after");
  expect(texts()).toEqual(["before", "hello", "after"]);
});

it("loses nothing when it is killed in the middle of catching up", async () => {
  await hears("before");
  await slack.stop();
  for (const text of ["a", "b", "c"]) await writeMeanwhile(text);
  slack.onReceive = ({ text }) => (text === "b" ? new Promise(() => {}) : Promise.resolve());
  await slack.startAgain();
  await slack.until(() => texts().includes("b"));
  await slack.kill();
  slack.onReceive = async () => {};
  await slack.startAgain();
  await hears("after");
  expect(texts()).toEqual(["before", "a", "b", "c", "after"]);
});

it("messages from while the socket was lost are fetched after a reconnect", async () => {
  await hears("before");
  slack.emulator.fail({ operation: "connect", kind: { is: "break" } });
  slack.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
  await slack.until(() => slack.adapter.health().state === "degraded");
  await writeMeanwhile("meanwhile");
  await slack.until(() => slack.calls("apps.connections.open").length === 2);
  await slack.clock.advance(1_000);
  await slack.until(() => texts().includes("meanwhile"));
});

it("asks for a history no faster than Slack permits, and goes on where it was", async () => {
  await hears("before");
  await slack.stop();
  const wanted = Array.from({ length: 250 }, (_, count) => `message ${count}`);
  for (const text of wanted) await writeMeanwhile(text);
  const asked = () => slack.calls("conversations.history").length;
  const before = asked();
  // Of apps that are sold outside of the marketplace: one call a minute.
  const limit = { is: "rate-limit", retryAfterMs: 60_000 } as const;
  slack.emulator.fail({ operation: "conversations.history", times: 3, kind: limit });
  await slack.startAgain();
  await slack.until(() => asked() === before + 2);
  await slack.clock.advance(59_999);
  expect(asked()).toBe(before + 2);
  await slack.clock.advance(1);
  await slack.until(() => asked() > before + 4);
  await slack.clock.advance(60_000);
  await slack.until(() => texts().includes("message 249"));
  expect(texts()).toEqual(["before", ...wanted]);
  expect(slack.calls("conversations.history").filter(({ cursor }) => cursor !== undefined)).toHaveLength(1);
});

it("goes on without a history that the app has no right to, and says which", async () => {
  await hears("before", { chatId: "C0TEAM" });
  await slack.stop();
  await writeMeanwhile("unseen", { chatId: "C0TEAM" });
  slack.emulator.workspace.scopes.delete("channels:history");
  await slack.startAgain();
  await hears("after", { chatId: "C0TEAM" });
  expect(texts()).toEqual(["before", "after"]);
  expect(slack.logged.join()).toContain("channels:history");
});
