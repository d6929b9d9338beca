import { type KeptState, type NewCompaction, NO_FACTS, OPERATOR } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import type { Kit, StartedTurn, StoreTest } from "./kit.ts";

const WORK: KeptState = {
  ...{ task: "Mend the parser", progress: null, nextStep: "Say so", decisions: [], openQuestions: [], files: [] },
  ...{ model: "acme/large", at: 5 },
};

export function compactionOf(upTo: number, more: Partial<NewCompaction> = {}): NewCompaction {
  return {
    ...{ upTo, summary: "The parser was mended.", facts: NO_FACTS, work: null, messages: upTo },
    ...{ tokensBefore: 96_000, tokensAfter: 14_000, ...more },
  };
}

async function end(kit: Kit, { turn, fence }: StartedTurn, text = "done"): Promise<void> {
  const messages = [{ role: "assistant", text }] as const;
  await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
}

export function describeCompactions(test: StoreTest): void {
  describe("compactions", () => {
    test.inSession("the newest is found again, told in the transcript, which keeps everything", async (kit, id) => {
      await kit.exchange(id, "first", "one");
      await kit.exchange(id, "second", "two");
      expect(await kit.store.compactions.latest(id)).toBeNull();
      const begun = await kit.granted(id);
      const facts = { ...NO_FACTS, requests: [5], todo: [], openQuestions: ["Which?"], denials: ["shell rm: no"] };
      const { turn, fence } = begun;
      const first = await kit.store.compactions.add(turn.id, fence, compactionOf(2, { facts, work: WORK }));
      expect(first).toMatchObject({ ...compactionOf(2, { facts, work: WORK }), sessionId: id, turnId: turn.id });
      const usage = {
        ...{ kind: "compaction" as const, model: "acme/large", person: OPERATOR, cost: 7, isEstimated: false },
        ...{ input: 9, cacheRead: 0, cacheWrite: 0, output: 3 },
      } as const;
      const second = await kit.store.compactions.add(turn.id, fence, compactionOf(4), [usage]);
      expect(await kit.store.usage.sum({ session: id })).toMatchObject({ requests: 1, input: 9, output: 3, cost: 7 });
      await end(kit, begun);
      await kit.restart();
      expect(await kit.store.compactions.latest(id)).toEqual(second);
      expect(await kit.store.compactions.list(id, 5)).toEqual([second, first]);
      expect(await kit.store.compactions.list(id, 1)).toEqual([second]);
      expect(await kit.store.sessions.keptState(id)).toEqual(WORK);
      expect(await kit.texts(id)).toEqual([
        ...["user: first", "assistant: one", "user: second", "assistant: two", "user: a question"],
        "assistant: ⟦compacted: 2 messages, 96k → 14k tokens⟧",
        "assistant: ⟦compacted: 4 messages, 96k → 14k tokens⟧",
        "assistant: done",
      ]);
      expect((await kit.store.transcripts.read(id))[first.toldAt - 1]).toMatchObject({ internal: true });
      const search = { text: "first", visible: { kind: "all" }, limit: 5 } as const;
      expect(await kit.store.transcripts.search(search)).toHaveLength(1);
    });

    test.inSession("a holder that was superseded, or whose turn has ended, writes none", async (kit, id) => {
      await kit.exchange(id, "first", "one");
      const holder = kit.process();
      const begun = await kit.granted(id, { holder });
      kit.kill(holder);
      const next = await kit.granted(id);
      const late = () => kit.store.compactions.add(begun.turn.id, begun.fence, compactionOf(2, { work: WORK }));
      await expect(late()).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
      await end(kit, next);
      await expect(late()).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
      const ended = kit.store.compactions.add(next.turn.id, next.fence, compactionOf(2));
      await expect(ended).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
      expect(await kit.store.compactions.latest(id)).toBeNull();
      expect(await kit.store.sessions.keptState(id)).toBeNull();
      expect((await kit.texts(id)).join()).not.toContain("compacted");
    });

    test.inSession("what is taken back up to it drops it, and the one before holds again", async (kit, id) => {
      for (const at of [1, 2, 3]) await kit.exchange(id, `question ${at}`, "answer");
      const begun = await kit.granted(id);
      const first = await kit.store.compactions.add(begun.turn.id, begun.fence, compactionOf(2));
      await kit.store.compactions.add(begun.turn.id, begun.fence, compactionOf(6));
      await end(kit, begun);
      // The last exchange stands behind both.
      await kit.store.turns.undoLast(id);
      expect(await kit.store.compactions.latest(id)).toMatchObject({ upTo: 6 });
      await kit.store.turns.undoLast(id);
      expect(await kit.store.compactions.latest(id)).toEqual(first);
      await kit.store.turns.undoLast(id);
      await kit.store.turns.undoLast(id);
      expect(await kit.store.compactions.latest(id)).toBeNull();
    });

    test.inSession("a turn that only compacts has no message, and leaves none when it is cut off", async (kit, id) => {
      const cause = { kind: "compact" } as const;
      const nothing = kit.turn(id, { cause, message: null });
      await expect(nothing).rejects.toMatchObject({ code: "COMPACTION_NOTHING" });
      await kit.exchange(id, "first", "one");
      const holder = kit.process();
      const { turn, message } = await kit.granted(id, { cause, message: null, holder });
      expect(turn).toMatchObject({ cause, author: null });
      expect(message.text).toBe("one");
      expect(await kit.turn(id)).toMatchObject({ ok: false, reason: "busy" });
      expect(await kit.store.turns.running(id)).toMatchObject({ id: turn.id, cause });
      kit.kill(holder);
      expect(await kit.store.turns.resumable("terminal")).toEqual([]);
      const resume = { turnId: turn.id, holder: kit.process(), leaseMs: 1_000 };
      expect(await kit.store.turns.resumeTurn(resume)).toEqual({ ok: false, reason: "ended" });
      await end(kit, await kit.granted(id, { message: { role: "user", text: "second" } }), "two");
      expect(await kit.texts(id)).toEqual(["user: first", "assistant: one", "user: second", "assistant: two"]);
    });

    test.inSession("a copy of a session has those that stand for what it has", async (kit, id) => {
      for (const at of [1, 2, 3]) await kit.exchange(id, `question ${at}`, "answer");
      const begun = await kit.granted(id);
      await kit.store.compactions.add(begun.turn.id, begun.fence, compactionOf(2));
      await kit.store.compactions.add(begun.turn.id, begun.fence, compactionOf(6));
      await end(kit, begun);
      const all = await kit.store.sessions.fork({ sessionId: id, upTo: null, user: OPERATOR });
      expect(await kit.store.compactions.latest(all.id)).toMatchObject({ upTo: 6, sessionId: all.id });
      const some = await kit.store.sessions.fork({ sessionId: id, upTo: 4, user: OPERATOR });
      expect(await kit.store.compactions.list(some.id, 5)).toMatchObject([{ upTo: 2, toldAt: 4 }]);
    });

    test.inSession("a deleted session leaves none", async (kit, id) => {
      const begun = await kit.granted(id);
      await kit.store.compactions.add(begun.turn.id, begun.fence, compactionOf(1));
      await end(kit, begun);
      await kit.store.sessions.delete(id);
      expect(await kit.store.compactions.list(id, 5)).toEqual([]);
    });
  });
}
