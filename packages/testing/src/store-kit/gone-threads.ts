import { describe, expect } from "vitest";
import { grownAnswer } from "./growing-answers.ts";
import { AT_HOME, AT_THREAD, entry, HOME, HOME_KEY, handoffTurn, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

export function describeGoneThreads(test: StoreTest): void {
  describe("a thread that is gone", () => {
    test("a thread that is gone moves its binding and unsent rows behind another place's", async (kit) => {
      const gateway = await kit.gateway();
      const former = await kit.session();
      const { id } = await kit.session();
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: former.id, mirrors: false });
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: false });
      const { turn, fence } = await kit.granted(id, { surface: THREAD_KEY });
      await kit.store.outbox.saveDraft({
        ...{ sendKey: `draft:${turn.id}`, turnId: turn.id },
        ...{ ...AT_THREAD, messageId: "d" },
      });
      const outbox = [entry("first", THREAD), entry("second", THREAD)];
      await kit.finish({ turn, fence }, null, { outbox });
      await kit.store.outbox.enqueue([entry("here before")]);
      const first = await kit.begin(gateway, THREAD_KEY, [{ text: "first a" }, { text: "first b" }]);
      await kit.store.outbox.settleSend(first.id, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });

      const notice = { sessionId: id, message: { kind: "notice", markdown: "it is gone" } } as const;
      await kit.store.outbox.moveLane(THREAD_KEY, AT_HOME, notice);
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      expect(await kit.store.bindings.get(THREAD_KEY)).toBeNull();
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({
        sessionId: id,
        previousSessionId: former.id,
        conversation: HOME,
      });
      await kit.store.outbox.enqueue([entry("after")]);
      expect((await kit.head()).conversation).toEqual(HOME);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["here before", "it is gone", "first b", "second", "after"]);
    });

    test("after a thread is deleted, a pending edit becomes a new message", async (kit) => {
      const { row } = await grownAnswer(kit, THREAD, "d");
      expect(row.draftMessageId).toBe("d");
      await kit.store.outbox.moveLane(THREAD_KEY, AT_HOME);
      expect((await kit.head()).draftMessageId).toBeNull();
    });

    test("a failed handoff also restores the binding of the chat it had moved to", async (kit) => {
      const former = await kit.session();
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: former.id, mirrors: false });
      const { gateway, handoff } = await kit.boundHandoff();
      await kit.store.outbox.moveLane(THREAD_KEY, AT_HOME);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ conversation: HOME });
      const error = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, error)).toBe(true);
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ sessionId: former.id });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });
  });

  describe("a thread that goes away while a turn runs", () => {
    test("the answer of a turn follows its deleted thread's lane, and is sent once", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: true });
      const row = await kit.accepted("a question", THREAD);
      const cause = { kind: "inbox", inboxId: row.id } as const;
      const { turn, fence } = await kit.granted(id, { holder: gateway, cause, surface: THREAD_KEY });
      await kit.store.outbox.moveLane(THREAD_KEY, AT_HOME);
      // Composed for the place of the request, and echoed to the place that is bound by now.
      const outbox = [entry("an answer", THREAD), entry("an echo", HOME)];
      await kit.finish({ turn, fence }, "an answer", { outbox });
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      expect(await kit.head()).toMatchObject({ conversation: HOME });
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["an answer"]);
    });

    for (const when of ["before", "after"]) {
      test(`a handoff's answer follows a thread deleted ${when} its turn was granted`, async (kit) => {
        const gateway = await kit.gateway();
        const { id } = await kit.session();
        const handoff = await kit.bound(id, gateway);
        const move = () => kit.store.outbox.moveLane(THREAD_KEY, AT_HOME);
        if (when === "before") await move();
        const { turn, fence } = await kit.granted(id, handoffTurn(handoff, gateway));
        if (when === "after") await move();
        const outbox = [{ ...entry("an answer", THREAD), handoffId: handoff }];
        await kit.finish({ turn, fence }, "an answer", { outbox });
        expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
        expect(await kit.drain(HOME_KEY, gateway)).toEqual(["notice", "an answer"]);
        expect(await kit.store.handoffs.get(handoff)).toMatchObject({
          step: "delivered",
          conversation: HOME,
          link: null,
        });
      });
    }
  });
}
