import { buildSessionKey } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, opening, type RunningSlack, sending, startSlack } from "../test/running-slack.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack();
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

describe("a handoff's thread", () => {
  it.each(["D0ADA", "C0TEAM", "C0PRIVATE"])(
    "hangs on a message that everybody in %s sees, and has a link",
    async (chatId) => {
      const thread = await slack.adapter.createHandoffThread(chatId, "Fix\n the *build* <now>", opening(chatId));
      const [seed] = slack.emulator.messages(chatId);
      expect(seed).toMatchObject({ author: "bot", text: "Fix the *build* <now>" });
      expect(thread).toEqual({
        conversation: at(chatId, seed?.id),
        link: `https://t0emulator.slack.com/archives/${chatId}/p${seed?.id.replace(".", "")}`,
      });
    },
  );

  it.each(["D0ADA", "C0TEAM"])(
    "messages in a handoff's thread have its key, even after a restart (%s)",
    async (chatId) => {
      const { conversation } = await slack.adapter.createHandoffThread(chatId, "Ours", opening(chatId));
      const threadId = conversation.threadId ?? "";
      await slack.emulator.receive({ chatId, threadId, text: "before" });
      await slack.until(() => slack.received.length === 1);
      await slack.restart();
      await slack.emulator.receive({ chatId, threadId, text: "after" });
      await slack.until(() => slack.received.length === 2);
      const keys = slack.received.map((message) => buildSessionKey(message.conversation));
      expect(keys).toEqual([buildSessionKey(conversation), buildSessionKey(conversation)]);
    },
  );

  it("a thread is found by its mark after a crash and a lost reply", async () => {
    slack.emulator.fail({ operation: "createThread", kind: { is: "drop-answer" } });
    const thread = await slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
    await slack.restart();
    expect(await slack.adapter.findThread({ chatId: "C0TEAM" }, "mark-1", sending().signal)).toEqual(thread);
    expect(await slack.adapter.findThread({ chatId: "C0TEAM" }, "mark-2", sending().signal)).toBeNull();
    expect(slack.emulator.threads("C0TEAM")).toHaveLength(1);
  });

  it("a thread that needs a missing scope is tried once and names the scope", async () => {
    slack.emulator.workspace.scopes.delete("chat:write");
    const opened = slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
    await expect(opened).rejects.toThrow("lacks the scope chat:write");
    expect(slack.calls("chat.postMessage")).toHaveLength(1);
    expect(slack.emulator.messages("C0TEAM")).toEqual([]);
  });

  it("waits where Slack asks it to", async () => {
    slack.emulator.fail({ operation: "createThread", kind: { is: "rate-limit", retryAfterMs: 3_000 } });
    const opened = slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
    await slack.until(() => slack.calls("chat.postMessage").length === 1);
    await slack.clock.advance(3_000);
    expect((await opened).conversation.threadId).toBeDefined();
  });

  it("a handoff's thread that is called off leaves nothing behind", async () => {
    const calledOff = new AbortController();
    const opened = slack.adapter.createHandoffThread("C0TEAM", "Ours", {
      ...opening("C0TEAM"),
      signal: calledOff.signal,
    });
    calledOff.abort();
    await expect(opened).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    expect(slack.emulator.messages("C0TEAM")).toEqual([]);
  });

  it("a thread has no link if Slack gives none", async () => {
    slack.emulator.fail({ operation: "chat.getPermalink", kind: { is: "break" } });
    const { link, conversation } = await slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
    expect([link, conversation.threadId]).toEqual([undefined, slack.emulator.threads("C0TEAM")[0]?.id]);
  });

  it("deleting a thread removes the bot's messages and keeps a person's", async () => {
    const thread = await slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
    await slack.adapter.send(thread.conversation, { text: "Hi" }, sending());
    await slack.emulator.receive({ chatId: "C0TEAM", threadId: thread.conversation.threadId ?? "", text: "mine" });
    await slack.adapter.deleteThread(thread, sending().signal);
    expect(
      slack.emulator.workspace
        .channel("C0TEAM")
        .messages.thread(thread.conversation.threadId ?? "")
        .map(({ text }) => text),
    ).toEqual(["mine"]);
    await slack.adapter.deleteThread(thread, sending().signal);
  });
});

describe("a home channel", () => {
  it("a home channel has its kind of chat and its workspace", async () => {
    expect(await slack.adapter.homeConversation({ chatId: "D0ADA" })).toEqual(at("D0ADA"));
    expect(await slack.adapter.homeConversation({ chatId: "C0PRIVATE" })).toEqual(at("C0PRIVATE"));
  });

  it("may be a thread that is there", async () => {
    const { messageId } = await slack.emulator.receive({ chatId: "C0TEAM", text: "Hermes lives here" });
    const home = { chatId: "C0TEAM", threadId: messageId };
    expect(await slack.adapter.homeConversation(home)).toEqual(at("C0TEAM", messageId));
    const gone = slack.adapter.homeConversation({ ...home, threadId: "1.000001" });
    await expect(gone).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
  });

  it("refuses a home channel without the bot, archived or missing, with the causes", async () => {
    slack.emulator.setMember("C0TEAM", false);
    slack.emulator.workspace.channel("C0PRIVATE").isArchived = true;
    for (const chatId of ["C0TEAM", "C0PRIVATE", "C0NOWHERE"]) {
      const asked = slack.adapter.homeConversation({ chatId });
      await expect(asked).rejects.toThrow(/not a member.+archived.+wrong.+private channels/);
    }
  });

  it("a person's id is refused as home channel, with a hint at /sethome", async () => {
    await expect(slack.adapter.homeConversation({ chatId: "U0ADA" })).rejects.toMatchObject({
      hint: expect.stringContaining("sethome"),
    });
  });
});
