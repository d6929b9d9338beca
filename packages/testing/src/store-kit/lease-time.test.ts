import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@hermes/core";
import { openStore } from "@hermes/core/embed";
import { expect, it } from "vitest";
import { type CreateStore, Kit } from "./kit.ts";
import { LEASE_TIME_PROOFS } from "./lease-time.ts";

/** Ways in which a store could misread its clock, and the message of the proof that catches each. */
const BUGS: readonly { readonly bug: string; readonly caughtBy: RegExp; readonly plant: (clock: Clock) => Clock }[] = [
  {
    bug: "counts leases on wall time",
    caughtBy: /set two hours ahead takes|set two hours back leaves|however the clock is set/,
    plant: (clock) => ({ ...clock, steady: () => ({ boot: "boot-1", ms: clock.now() }) }),
  },
  {
    bug: "keeps no steady moment",
    caughtBy: /set two hours ahead takes|set two hours back leaves|however the clock is set/,
    plant: (clock) => ({ ...clock, steady: () => ({ boot: null, ms: clock.steady().ms }) }),
  },
  {
    bug: "takes another machine's steady clock for its own",
    caughtBy: /another machine goes by wall time|before the machine started anew/,
    plant: (clock) => ({ ...clock, steady: () => ({ boot: "boot-1", ms: clock.steady().ms }) }),
  },
  {
    bug: "forgets wall time",
    caughtBy: /another machine goes by wall time|before the machine started anew/,
    plant: (clock) => ({ ...clock, now: () => 0 }),
  },
];

/** The embedded store with a misread clock. */
function broken(plant: (clock: Clock) => Clock): CreateStore {
  return async (parts) => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-store-"));
    const opened: { close(): Promise<void> }[] = [];
    const open = async (clock = parts.clock) => {
      const store = await openStore(folder, { ...parts, clock: plant(clock) });
      opened.push(store);
      return store;
    };
    return {
      store: await open(),
      second: open,
      reopen: open,
      dispose: async () => {
        for (const store of opened) await store.close();
        rmSync(folder, { recursive: true });
      },
    };
  };
}

it.each(BUGS.flatMap((bug) => proofsThatCatch(bug.caughtBy).map((proof) => ({ ...bug, proof, name: proof.name }))))(
  "catches a store that $bug, by: $name",
  async ({ plant, proof }) => {
    const kit = await Kit.open(broken(plant));
    try {
      await expect(proof.prove(kit)).rejects.toThrow();
    } finally {
      await kit.dispose();
    }
  },
);

function proofsThatCatch(words: RegExp) {
  return LEASE_TIME_PROOFS.filter(({ name }) => words.test(name));
}
