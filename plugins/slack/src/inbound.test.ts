import { buildSessionKey } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, type RunningSlack, startSlack, TEAM } from "../test/running-slack.ts";
import type { SlackMessageEvent } from "./inbound.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack();
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

/** Sends an event that the emulator has no words for. */
function sendEvent(event: SlackMessageEvent & { readonly type?: string }, body: Record<string, unknown> = {}): void {
  const payload = {
    type: "event_callback",
    team_id: TEAM,
    api_app_id: "A0HERMES",
    authorizations: [{ team_id: TEAM }],
    event: { type: "message", channel: "C0TEAM", user: "U0ADA", ts: "1766458026.000001", text: "hello", ...event },
    ...body,
  };
  slack.emulator.hub.push({ type: "events_api", payload: () => payload });
}

async function acknowledged(): Promise<void> {
  await slack.until(() => slack.emulator.hub.unacknowledged === 0);
}

describe("where a message belongs", () => {
  it("top-level messages belong to the direct message, or begin a channel's thread", async () => {
    const inDm = await slack.emulator.receive({ chatId: "D0ADA", text: "hi" });
    const inChannel = await slack.emulator.receive({ chatId: "C0TEAM", text: "hi", mentions: true });
    await slack.until(() => slack.received.length === 3);
    const [dm, channel] = slack.received;
    expect(dm).toMatchObject({ conversation: at("D0ADA"), messageId: inDm.messageId });
    expect(dm?.beginsThread).toBeUndefined();
    expect(channel).toMatchObject({ conversation: at("C0TEAM"), beginsThread: inChannel.messageId, chatName: "team" });
  });

  it("replies and an edited root belong to the thread", async () => {
    const { messageId: root } = await slack.emulator.receive({ chatId: "C0TEAM", text: "first" });
    await slack.emulator.receive({ chatId: "C0TEAM", threadId: root, text: "second" });
    await slack.emulator.receive({ chatId: "C0TEAM", editOf: root, text: "first, mended" });
    await slack.until(() => slack.received.length === 3);
    expect(slack.received.map(({ conversation, beginsThread }) => [conversation.threadId, beginsThread])).toEqual([
      [undefined, root],
      [root, undefined],
      [undefined, root],
    ]);
  });

  it("a thread in a direct message is a branch of that direct message", async () => {
    const { messageId } = await slack.adapter.send(
      at("D0ADA"),
      { text: "An answer" },
      { key: "k", signal: new AbortController().signal },
    );
    await slack.emulator.receive({ chatId: "D0ADA", threadId: messageId, text: "and this?" });
    await slack.until(() => slack.received.length === 1);
    expect(slack.received[0]).toMatchObject({ conversation: at("D0ADA", messageId), isBranch: true });
  });

  it("tells workspaces with the same ids apart, and ignores events of others", async () => {
    await using other = await startSlack({}, { teamId: "T0OTHER" });
    await other.emulator.receive({ chatId: "D0ADA", text: "hi" });
    await slack.emulator.receive({ chatId: "D0ADA", text: "hi" });
    await other.until(() => other.received.length === 1 && slack.received.length === 1);
    const keys = [...slack.received, ...other.received].map(({ conversation }) => buildSessionKey(conversation));
    expect(keys).toEqual(["agent:main:slack:dm:D0ADA:s=T0EMULATOR", "agent:main:slack:dm:D0ADA:s=T0OTHER"]);

    sendEvent({}, { team_id: "T0ELSEWHERE", authorizations: [{ team_id: "T0ELSEWHERE" }] });
    await acknowledged();
    expect(slack.received).toHaveLength(1);
    // A channel that is shared with another company: the event is theirs, the authorisation ours.
    sendEvent({}, { team_id: "T0ELSEWHERE", context_team_id: TEAM });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received[1]?.conversation.scope).toBe(TEAM);
  });
});

describe("a mention", () => {
  it("comes in two envelopes and is the same message in both, whichever comes first", async () => {
    const { messageId } = await slack.emulator.receive({ chatId: "C0TEAM", text: "look at this", mentions: true });
    await slack.until(() => slack.received.length === 2);
    const [first, second] = slack.received;
    expect(first).toEqual(second);
    expect(first).toMatchObject({ messageId, text: "look at this", isAddressed: true });
  });

  it("a mention at the beginning is removed, and elsewhere becomes a name", async () => {
    await slack.emulator.receive({ chatId: "D0ADA", text: "", mrkdwn: "<@U0HERMES>: what would <@U0HERMES> say?" });
    await slack.emulator.receive({ chatId: "D0ADA", text: "", mrkdwn: "<@U0HERMES>" });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received.map(({ text }) => text)).toEqual(["what would @hermes say?", "@hermes"]);
  });

  it("a reply to the bot needs no mention", async () => {
    const thread = await slack.adapter.createHandoffThread("C0TEAM", "Ours", {
      home: { chatId: "C0TEAM" },
      mark: "m",
      signal: new AbortController().signal,
    });
    await slack.emulator.receive({ chatId: "C0TEAM", threadId: thread.conversation.threadId ?? "", text: "go on" });
    await slack.emulator.receive({ chatId: "C0TEAM", text: "lunch?" });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received.map(({ isAddressed }) => isAddressed)).toEqual([true, false]);
  });
});

describe("who wrote", () => {
  it("the sender's name is looked up once", async () => {
    await slack.emulator.receive({ chatId: "D0ADA", text: "one" });
    await slack.until(() => slack.received.length === 1);
    await slack.emulator.receive({ chatId: "D0ADA", text: "two" });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received.map(({ sender }) => sender)).toEqual([
      { id: "U0ADA", name: "Ada" },
      { id: "U0ADA", name: "Ada" },
    ]);
    expect(slack.calls("users.info")).toHaveLength(1);
  });

  it("the sender has no name if the app may not look it up", async () => {
    slack.emulator.workspace.scopes.delete("users:read");
    await slack.emulator.receive({ chatId: "D0ADA", text: "one" });
    await slack.until(() => slack.received.length === 1);
    expect(slack.received[0]?.sender).toEqual({ id: "U0ADA" });
  });

  it("messages of other bots and of Slack itself are marked as a bot's", async () => {
    await slack.emulator.receive({ chatId: "C0TEAM", text: "beep", userId: "U0ROBOT", isBot: true, mentions: true });
    sendEvent({ user: "USLACK" });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received.map(({ sender }) => [sender.id, sender.isBot])).toEqual([
      ["U0ROBOT", true],
      ["USLACK", true],
    ]);
  });

  it("ignores the bot itself, its own webhook and events without a writer", async () => {
    await slack.adapter.send(at("C0TEAM"), { text: "mine" }, { key: "k", signal: new AbortController().signal });
    await slack.emulator.receive({ chatId: "C0TEAM", text: "my webhook's", isOwn: true });
    sendEvent({ subtype: "channel_join", text: "<@U0ADA> has joined the channel" });
    sendEvent({ subtype: "message_deleted" });
    await acknowledged();
    expect(slack.received).toEqual([]);
  });
});

describe("an edit", () => {
  it("an edit is a later version of the same message", async () => {
    const { messageId } = await slack.emulator.receive({ chatId: "D0ADA", text: "helo" });
    await slack.emulator.receive({ chatId: "D0ADA", editOf: messageId, text: "hello" });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received[1]).toMatchObject({ messageId, text: "hello", isEdit: true, conversation: at("D0ADA") });
  });

  it("an edit counts that takes away a file or a shared message and changes no word", async () => {
    const message = { user: "U0ADA", ts: "1766458026.000001", text: "look" };
    const shared = { is_share: true, text: "the plan", author_name: "Grace" };
    const before = { ...message, files: [{ id: "F1", name: "secret.pdf" }], attachments: [shared] };
    const tombstone = { id: "F1", mode: "tombstone" };
    const without = [{ files: [tombstone] }, { attachments: [] }];
    for (const rest of without)
      sendEvent({ subtype: "message_changed", message: { ...before, ...rest }, previous_message: before });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received).toMatchObject([
      { text: "look", isEdit: true, attachments: [], quotes: [{ text: "the plan" }] },
      { text: "look", isEdit: true, attachments: [{ name: "secret.pdf" }], quotes: [] },
    ]);
  });

  it("an added link preview does not count as an edit", async () => {
    const message = { user: "U0ADA", ts: "1766458026.000001", text: "https://a.b", edited: {} };
    sendEvent({ subtype: "message_changed", message, previous_message: message });
    sendEvent({ subtype: "message_changed", message: { ...message, edited: undefined, text: "x" } });
    await acknowledged();
    expect(slack.received).toEqual([]);
  });
});

describe("a command", () => {
  it("commands are written as /hermes, and with ! in a thread", async () => {
    await slack.emulator.command("title Trip to Rome");
    await slack.emulator.receive({ chatId: "C0TEAM", threadId: "1766458026.000001", text: "!title Trip to Rome" });
    await slack.until(() => slack.received.length === 2);
    expect(slack.received.map(({ text, isAddressed }) => [text, isAddressed])).toEqual([
      ["/title Trip to Rome", true],
      ["/title Trip to Rome", true],
    ]);
    expect(slack.received[0]).toMatchObject({ conversation: at("D0ADA"), sender: { id: "U0ADA", name: "Ada" } });
  });

  it("answers a known person privately where the bot is not a member", async () => {
    await using known = await startSlack({ allowedUsers: ["U0ADA"] });
    known.emulator.setMember("C0PRIVATE", false);
    const answer = await await known.emulator.command("new", { chatId: "C0PRIVATE" });
    expect(answer).toEqual({ text: "I am not here. Invite me with `/invite @hermes`, or write to me directly." });
    expect(await known.emulator.command("new", { chatId: "C0PRIVATE", userId: "U0STRANGER" })).toEqual({});
    expect(known.received).toEqual([]);
  });
});

describe("a file", () => {
  const notes = { name: "notes.md", mediaType: "text/markdown", content: "# Notes" };

  it("reaches the agent as text where it is text, and by its name otherwise", async () => {
    const photo = { name: "cat.png", mediaType: "image/png", content: "…" };
    const huge = { name: "huge.log", mediaType: "text/plain", content: "x".repeat(300_000) };
    await slack.emulator.receive({ chatId: "D0ADA", text: "see", files: [notes, photo, huge] });
    await slack.until(() => slack.received.length === 1);
    expect(slack.received[0]?.attachments).toEqual([
      { name: "notes.md", mediaType: "text/markdown", size: 7, text: "# Notes" },
      { name: "cat.png", mediaType: "application/octet-stream", size: 3 },
      { name: "huge.log", mediaType: "text/plain", size: 300_000, limit: 262_144 },
    ]);
  });

  it("a file is only named if the app may not read files; the log says why", async () => {
    slack.emulator.workspace.scopes.delete("files:read");
    await slack.emulator.receive({ chatId: "D0ADA", text: "", files: [notes] });
    await slack.until(() => slack.received.length === 1);
    expect(slack.received[0]).toMatchObject({ text: "", attachments: [{ name: "notes.md", size: 7 }] });
    expect(slack.logged.join()).toContain("files:read");
  });

  it("files are fetched from Slack only, so that no other host gets the token", async () => {
    const file = { name: "a.txt", mimetype: "text/plain", size: 1, url_private_download: "https://evil.example/a.txt" };
    sendEvent({ files: [file] });
    await slack.until(() => slack.received.length === 1);
    expect(slack.received[0]?.attachments).toEqual([{ name: "a.txt", mediaType: "text/plain", size: 1, isLost: true }]);
    expect(slack.logged.join()).toContain("evil.example");
  });
});

it("reports messages that were deleted, also a root that leaves a tombstone", async () => {
  const { messageId } = await slack.emulator.receive({ chatId: "D0ADA", text: "one" });
  await slack.untilReceived(1);
  slack.emulator.retract({ chatId: "D0ADA", messageId });
  const message = { subtype: "tombstone", ts: "1766458026.000009", text: "This message was deleted.", edited: {} };
  sendEvent({ subtype: "message_changed", message });
  await slack.until(() => slack.retracted.length === 2);
  expect(slack.retracted).toEqual([messageId, message.ts].map((id) => ({ messageId: id, by: undefined })));
  expect(slack.received).toHaveLength(1);
});
