import type { Store } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { DAY_MS, HOME_KEY, type StoreTest } from "./kit.ts";

/** The maximum number of rows in one step: a larger step would block other writers. */
const LARGEST_STEP = 500;

/** Prunes to the end; returns the number of rows deleted in each step. */
async function pruned(store: Store): Promise<number[]> {
  const steps: number[] = [];
  for (let count = await store.prune(); count > 0; count = await store.prune()) steps.push(count);
  return steps;
}

export function describePruning(test: StoreTest): void {
  describe("pruning", () => {
    test.inSession("turns that are closed go after 30 days, and the transcript stays", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      const messages = [{ role: "assistant", text: "an answer" } as const];
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
      const open = await kit.granted((await kit.session()).id);
      await kit.clock.advance(30 * DAY_MS);
      expect(await pruned(kit.store)).toEqual([]);
      await kit.clock.advance(1);
      expect(await pruned(kit.store)).toEqual([1]);
      expect(await kit.store.turns.get(turn.id)).toBeNull();
      expect(await kit.store.turns.get(open.turn.id)).toMatchObject({ state: "running" });
      expect(await kit.texts(id)).toEqual(["user: a question", "assistant: an answer"]);
    });

    test.inSession("prunes messages 30 days after they left a transcript, and keeps the others", async (kit, id) => {
      await kit.exchange(id, "first", "one");
      await kit.exchange(id, "second", "two");
      await kit.store.turns.undoLast(id);
      await kit.clock.advance(30 * DAY_MS + 1);
      // Two turns, two messages.
      expect((await pruned(kit.store)).reduce((sum, count) => sum + count, 0)).toBe(4);
      expect(await kit.texts(id)).toEqual(["user: first", "assistant: one"]);
      await kit.exchange(id, "third", "three");
      expect((await kit.store.transcripts.read(id)).map(({ seq }) => seq)).toEqual([1, 2, 5, 6]);
    });

    test.inSession("a turn whose message is still open is kept, so that it is not run once more", async (kit, id) => {
      const row = await kit.accepted("a request");
      const cause = { kind: "inbox", inboxId: row.id } as const;
      const dead = kit.process("gateway");
      const { turn, fence } = await kit.granted(id, { cause, holder: dead, surface: HOME_KEY });
      const toolCalls = [{ id: "1", name: "shell", input: {} }];
      await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls }]);
      kit.kill(dead);
      await kit.exchange(id, "from the terminal", "closes what the dead one left");
      await kit.clock.advance(31 * DAY_MS);
      await pruned(kit.store);
      expect(await kit.turn(id, { cause, surface: HOME_KEY })).toMatchObject({ ok: false, reason: "closed" });
    });

    test("much that is over goes in small steps", async (kit) => {
      const sessions = await Promise.all(Array.from({ length: LARGEST_STEP }, () => kit.session()));
      await Promise.all(sessions.map(({ id }) => kit.exchange(id, "a question", "an answer")));
      await kit.clock.advance(31 * DAY_MS);
      const steps = await pruned(kit.store);
      expect(steps.reduce((sum, count) => sum + count, 0)).toBe(LARGEST_STEP);
      expect(Math.max(...steps)).toBeLessThan(LARGEST_STEP);
    });
  });
}
