import { PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { at, opening, type RunningSlack, sending, startSlack } from "../test/running-slack.ts";

let slack: RunningSlack;
beforeEach(async () => {
  slack = await startSlack();
});
afterEach(async () => {
  await slack[Symbol.asyncDispose]();
});

const home = at("C0TEAM");
const said = (threadId?: string) => slack.emulator.messages("C0TEAM", threadId).map(({ text }) => text);

async function thread(): Promise<string> {
  const { conversation } = await slack.adapter.createHandoffThread("C0TEAM", "Ours", opening("C0TEAM"));
  return conversation.threadId ?? "";
}

describe("an answer", () => {
  it("arrives as people read it, however long it is, and nothing of it is lost", async () => {
    const markdown = Array.from({ length: 3_000 }, (_, i) => `Sentence **${i}** of the answer.`).join("\n\n");
    for (const [index, piece] of slack.adapter.render({ kind: "answer", markdown }).entries()) {
      await slack.adapter.send(home, piece, sending(`key-${index}`));
    }
    const numbers = said().join("\n").match(/\d+/g);
    expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, i) => String(i)));
  });

  it("grows in its place", async () => {
    const { messageId } = await slack.adapter.send(home, { text: "One" }, sending());
    await slack.adapter.edit(home, messageId, { text: `One, two${" and more".repeat(600)}` }, sending());
    expect(said()[0]).toMatch(/^One, two/);
    expect(slack.emulator.messages("C0TEAM")).toHaveLength(1);
  });

  it("sends an answer whose blocks are refused once more as plain text", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "refuse", code: "invalid_blocks" } });
    await slack.adapter.send(home, { text: "*Hi* <https://a.b|there>" }, sending());
    expect(said()).toEqual(["Hi there"]);
    slack.emulator.fail({ operation: "edit", kind: { is: "refuse", code: "invalid_blocks" } });
    const [{ id } = { id: "" }] = slack.emulator.messages("C0TEAM");
    await slack.adapter.edit(home, id, { text: "*Ho*" }, sending());
    expect(said()).toEqual(["Ho"]);
  });

  it("sends no plain text when an answer is refused for another reason", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "refuse", code: "restricted_action" } });
    await expect(slack.adapter.send(home, { text: "Hi" }, sending())).rejects.toMatchObject({
      code: "PLATFORM_FORBIDDEN",
    });
    expect(slack.calls("chat.postMessage")).toHaveLength(1);
  });

  it("leaves nothing in the channel of a removed thread, though Slack posts it there", async () => {
    const threadId = await thread();
    slack.emulator.removeThread("C0TEAM", threadId);
    const late = slack.adapter.send(at("C0TEAM", threadId), { text: "late" }, sending());
    await expect(late).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
    expect(said()).toEqual([]);
  });

  it("an answer to a thread that is gone is sent once, even if it cannot be undone", async () => {
    const threadId = await thread();
    slack.emulator.removeThread("C0TEAM", threadId);
    slack.emulator.fail({ operation: "chat.delete", kind: { is: "break" } });
    const late = slack.adapter.send(at("C0TEAM", threadId), { text: "late" }, sending());
    await expect(late).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
  });

  it.each([
    ["that it was taken out of", "C0TEAM", { isMember: false }, "PLATFORM_FORBIDDEN"],
    ["that is private and it was taken out of", "C0PRIVATE", { isMember: false }, "PLATFORM_NOT_FOUND"],
    ["that is archived", "C0TEAM", { isArchived: true }, "PLATFORM_FORBIDDEN"],
  ] as const)("a message to a channel %s fails with every possible cause", async (_, chatId, state, code) => {
    Object.assign(slack.emulator.workspace.channel(chatId), state);
    const error = await slack.adapter.send(at(chatId), { text: "Hi" }, sending()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ code, hint: expect.stringContaining("/invite") });
    expect(String(error)).toMatch(/not a member.+archived.+wrong.+private channels/);
  });

  it("a rate-limited answer fails with the delay that Slack names", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 30_000 } });
    await expect(slack.adapter.send(home, { text: "Hi" }, sending())).rejects.toMatchObject({
      code: "PLATFORM_RATE_LIMITED",
      retryAfterMs: 30_000,
    });
    expect(slack.calls("chat.postMessage")).toHaveLength(1);
  });
});

describe("a message whose answer was lost", () => {
  it("a message whose reply was lost is found by its key, not sent again", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    const receipt = await slack.adapter.send(home, { text: "Hi" }, sending());
    expect(slack.emulator.messages("C0TEAM").map(({ id }) => id)).toEqual([receipt.messageId]);
  });

  it("may be sent again when it is certainly not there", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "break" } });
    await expect(slack.adapter.send(home, { text: "Hi" }, sending())).rejects.toMatchObject({ retryable: true });
    expect(said()).toEqual([]);
  });

  it("a message whose reply was lost is uncertain if the lookup fails", async () => {
    slack.emulator.fail({ operation: "send", kind: { is: "drop-answer" } });
    slack.emulator.fail({ operation: "conversations.history", kind: { is: "break" } });
    await expect(slack.adapter.send(home, { text: "Hi" }, sending())).rejects.toMatchObject({
      code: "PLATFORM_UNCERTAIN",
    });
  });

  it("finds a sent message after a crash, in a thread or not, despite rate limits", async () => {
    const threadId = await thread();
    const sent = await slack.adapter.send(at("C0TEAM", threadId), { text: "Hi" }, sending("the-one"));
    for (let i = 0; i < 250; i++) await slack.emulator.receive({ chatId: "C0TEAM", threadId, text: `${i}` });
    await slack.restart();
    const { signal } = sending();
    expect(await slack.adapter.findSent(at("C0TEAM", threadId), "the-one", signal)).toEqual(sent);
    expect(await slack.adapter.findSent(at("C0TEAM", threadId), "another", signal)).toBeNull();
    expect(await slack.adapter.findSent(home, "the-one", signal)).toBeNull();

    slack.emulator.fail({ operation: "conversations.replies", kind: { is: "rate-limit", retryAfterMs: 2_000 } });
    const finding = slack.adapter.findSent(at("C0TEAM", threadId), "the-one", signal);
    const calls = slack.calls("conversations.replies").length;
    await slack.until(() => slack.calls("conversations.replies").length > calls);
    await slack.clock.advance(2_000);
    expect(await finding).toEqual(sent);
  });

  it("findSent is uncertain if there are too many messages to search", async () => {
    const channel = slack.emulator.workspace.channel("C0TEAM");
    for (let i = 0; i < 2_001; i++) slack.emulator.workspace.add(channel, { user: "U0ADA", text: `${i}` });
    await expect(slack.adapter.findSent(home, "k", sending().signal)).rejects.toMatchObject({
      code: "PLATFORM_UNCERTAIN",
    });
  });
});

describe("a message that cannot be changed", () => {
  it.each(["message_not_found", "edit_window_closed", "cant_update_message"])(
    "a message that cannot be edited is reported as not found (%s)",
    async (code) => {
      const { messageId } = await slack.adapter.send(home, { text: "Hi" }, sending());
      slack.emulator.fail({ operation: "edit", kind: { is: "refuse", code } });
      await expect(slack.adapter.edit(home, messageId, { text: "Ho" }, sending())).rejects.toMatchObject({
        code: "PLATFORM_NOT_FOUND",
      });
    },
  );
});

describe("that an answer is being written", () => {
  const shown = () => [...slack.emulator.workspace.statuses.values()];

  it("the typing status is shown at the person's message until the answer", async () => {
    await slack.emulator.receive({ chatId: "D0ADA", text: "hi" });
    await slack.until(() => slack.received.length === 1);
    await slack.adapter.typing(at("D0ADA"), sending().signal);
    expect(shown()).toEqual(["is writing…"]);
    await slack.adapter.typing(at("D0ADA"), sending().signal);
    await slack.adapter.send(at("D0ADA"), { text: "hello" }, sending());
    await slack.until(() => shown().length === 0);
    // Now the answer itself grows: nothing would take a status away again.
    await slack.adapter.typing(at("D0ADA"), sending().signal);
    expect(slack.calls("assistant.threads.setStatus")).toHaveLength(2);
  });

  it("shows the status in a thread, and in a chat where only others have written", async () => {
    await slack.adapter.typing(at("C0TEAM", await thread()), sending().signal);
    expect(shown()).toHaveLength(1);
    slack.emulator.workspace.add(slack.emulator.workspace.channel("D0ADA"), { user: "U0ADA", text: "earlier" });
    await slack.adapter.typing(at("D0ADA"), sending().signal);
    expect(shown()).toHaveLength(2);
  });
});
