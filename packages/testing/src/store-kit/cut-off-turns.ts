import { TOOL_INTERRUPTED, turnMarker } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { entry, HOME, HOME_KEY, LEASE_MS, type StoreTest } from "./kit.ts";

export function describeCutOffTurns(test: StoreTest): void {
  describe("a turn that a crash cut off", () => {
    const notice = {
      toolStarted: entry("Your last message was not answered; part of it may have been done."),
      noToolStarted: entry("Your last message was not answered."),
    };

    test("a crashed turn is closed: open calls get a result, the request is not replayed", async (kit) => {
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id, { message: { role: "user", text: "delete it" } });
      await kit.store.turns.append(turn.id, fence, [
        {
          role: "assistant",
          text: "",
          toolCalls: [
            { id: "1", name: "a", input: {} },
            { id: "2", name: "b", input: {} },
          ],
        },
        { role: "tool", text: "done", toolCallId: "1" },
      ]);
      expect(await kit.store.turns.beginCall(turn.id, fence, { id: "2", repeats: true })).toBe(true);
      await kit.restart();
      await kit.clock.advance(LEASE_MS);
      await kit.granted(id, { message: { role: "user", text: "next" } });
      expect(await kit.texts(id)).toEqual([
        "user: delete it",
        "assistant: ",
        "tool: done",
        `tool: ${TOOL_INTERRUPTED}`,
        `assistant: ${turnMarker("interrupted", true)}`,
        "user: next",
      ]);
      const messages = await kit.store.transcripts.read(id);
      expect(messages[3]).toMatchObject({ toolCallId: "2", turnId: turn.id });
      expect(messages[4]).toMatchObject({ internal: true });
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "interrupted", toolStarted: true });
    });

    test.inSession("a turn without tool calls runs three times at most on the same user row", async (kit, id) => {
      const request = { ...(await kit.asked("hello")), closedNotice: notice };
      const first = await kit.granted(id, request);
      expect(first.turn.attempt).toBe(1);
      await kit.clock.advance(LEASE_MS);
      const second = await kit.granted(id, request);
      expect(second.turn).toMatchObject({ id: first.turn.id, attempt: 2, toolStarted: false });
      expect(second.message).toEqual(first.message);
      await kit.clock.advance(LEASE_MS);
      const third = await kit.granted(id, request);
      expect(third.turn).toMatchObject({ id: first.turn.id, attempt: 3, toolStarted: false });
      expect(third.message).toEqual(first.message);
      expect(await kit.texts(id)).toEqual(["user: hello"]);

      await kit.clock.advance(LEASE_MS);
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "closed" });
      expect(await kit.texts(id)).toEqual(["user: hello", `assistant: ${turnMarker("interrupted", false)}`]);
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      expect((await kit.store.outbox.head(HOME_KEY))?.message).toEqual(notice.noToolStarted.message);
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "closed" });
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toHaveLength(1);
    });

    test.inSession("a chat is told that part may have been done where a call had begun", async (kit, id) => {
      const request = { ...(await kit.asked("hello")), closedNotice: notice };
      const { turn, fence } = await kit.granted(id, request);
      const call = { id: "1.1", name: "send", input: {} };
      await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls: [call] }]);
      await kit.store.turns.beginCall(turn.id, fence, { id: "1.1", repeats: false });
      for (let attempt = 2; attempt <= 3; attempt++) {
        await kit.clock.advance(LEASE_MS);
        expect((await kit.granted(id, request)).turn).toMatchObject({ attempt, toolStarted: true });
      }
      await kit.clock.advance(LEASE_MS);
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "closed" });
      expect((await kit.texts(id)).at(-1)).toBe(`assistant: ${turnMarker("interrupted", true)}`);
      expect((await kit.store.outbox.head(HOME_KEY))?.message).toEqual(notice.toolStarted.message);
    });

    test.inSession("a stop outlives the process that was to heed it", async (kit, id) => {
      const request = { ...(await kit.asked("hello")), closedNotice: notice };
      await kit.granted(id, request);
      expect(await kit.store.turns.requestStop(id)).toBe(true);
      await kit.clock.advance(LEASE_MS);
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "closed" });
    });

    test.inSession("runs again although Hermes noted something behind its message meanwhile", async (kit, id) => {
      const gateway = await kit.gateway();
      await kit.finish(await kit.granted(id, await kit.asked("hi")), null, { outbox: [entry("hi")] });
      const sent = await kit.store.outbox.head(HOME_KEY);
      await kit.drain(HOME_KEY, gateway);

      const request = { ...(await kit.asked("hello")), closedNotice: notice };
      const first = await kit.granted(id, request);
      const refusal = { code: "PLATFORM_UNAVAILABLE" as const, text: "it is away" };
      await kit.store.outbox.settleLate("pager", undefined, `sent-${sent?.id}`, refusal);
      expect(await kit.texts(id)).toHaveLength(3);
      await kit.clock.advance(LEASE_MS);
      expect((await kit.granted(id, request)).turn).toMatchObject({ id: first.turn.id, attempt: 2 });
    });

    test.inSession("the chat is told of an interrupted turn that somebody else closed meanwhile", async (kit, id) => {
      const request = { ...(await kit.asked("hello")), closedNotice: notice };
      await kit.granted(id, request);
      await kit.clock.advance(LEASE_MS);
      await kit.granted(id, { message: { role: "user", text: "from the terminal" } });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: request.cause.inboxId });
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "closed" });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      expect((await kit.store.outbox.head(HOME_KEY))?.message).toEqual(notice.noToolStarted.message);
    });

    test.inSession("a turn cut off after its answer was stored is not asked again", async (kit, id) => {
      const request = await kit.asked("hello");
      await kit.finish(await kit.granted(id, request), null, { outbox: [entry("hi")] });
      await kit.restart();
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "answered" });
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["hi"]);
    });

    test.inSession("goes on with the draft that its first attempt had sent", async (kit, id) => {
      const request = await kit.asked("hello");
      const first = await kit.granted(id, request);
      const draft = { sendKey: "draft:1", turnId: first.turn.id, key: HOME_KEY, conversation: HOME };
      await kit.store.outbox.saveDraft({ ...draft, messageId: null });
      await kit.store.outbox.saveDraft({ ...draft, messageId: "d1" });
      await kit.restart();
      await kit.clock.advance(LEASE_MS);
      const { turn, fence } = await kit.granted(id, request);
      expect(await kit.store.outbox.draftOf(turn.id)).toMatchObject({ ...draft, messageId: "d1", shown: null });
      await kit.store.outbox.saveDraft({ ...draft, messageId: "d1", shown: "all" });
      expect(await kit.store.outbox.draftOf(turn.id)).toMatchObject({ messageId: "d1", shown: "all" });
      const elsewhere = entry("elsewhere", { ...HOME, chatId: "200" });
      const outbox = [elsewhere, entry("hi"), entry("and more")];
      await kit.finish({ turn, fence }, null, { outbox });
      expect(await kit.store.outbox.head(elsewhere.key)).toMatchObject({ draftMessageId: null });
      const head = await kit.store.outbox.head(HOME_KEY);
      expect(head).toMatchObject({ message: { markdown: "hi" }, draftMessageId: "d1" });
    });
  });
}
