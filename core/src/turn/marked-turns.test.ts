import { createVirtualClock } from "@hermes/testing";
import { expect, test, vi } from "vitest";
import type { Fence, TurnId, TurnMarks } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import { MarkedTurns } from "./marked-turns.ts";

const idOf = (name: string) => name as TurnId;

test("many turns are looked up at once after a write, and each learns what it is asked", async () => {
  const clock = createVirtualClock();
  const asked: (readonly TurnId[])[] = [];
  const stopped: TurnMarks = {
    ...{ id: idOf("trn_2"), fence: 2 as Fence, parkRequested: false, stopRequested: true, isRevoked: false },
  };
  const written = new Set<() => void>();
  const store = {
    watch: (listener: () => void) => {
      written.add(listener);
      return { [Symbol.dispose]: () => void written.delete(listener) };
    },
    turns: {
      marks: async (ids: readonly TurnId[]) => {
        asked.push(ids);
        return [stopped];
      },
    },
  } as unknown as Store;
  const marked = new MarkedTurns(store);
  const told = ["trn_1", "trn_2"].map((name) => ({ name, marks: vi.fn<(marks: TurnMarks | null) => void>() }));
  const watching = told.map(({ name, marks }) => marked.watch({ id: idOf(name) }, marks));

  for (const listener of written) listener();
  await clock.advance(0);
  expect(asked).toEqual([["trn_1", "trn_2"]]);
  expect(told.map(({ marks }) => marks.mock.calls)).toEqual([[[null]], [[stopped]]]);

  for (const one of watching) one[Symbol.dispose]();
  expect(written.size).toBe(0);
});
