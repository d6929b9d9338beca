import { type Clock, sleep } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import { endLeftProcesses } from "./end-left-processes.ts";
import type { Store } from "./store.ts";

/** Pruning interval in milliseconds. */
const EVERY_MS = 6 * 60 * 60_000;

/** Milliseconds between two pruning steps, so that other users of the store come first. */
const PAUSE_MS = 50;

export interface PruneDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds until the first pruning. */
  readonly delayMs: number;
  /** Called after each pruning, to prune data outside the store. */
  also?(): Promise<void>;
}

/**
 * Ends what dead processes left running and prunes the store, after `delayMs` and then every six hours, until it is
 * disposed of.
 */
export function pruneRegularly({ store, clock, logger, delayMs, also }: PruneDeps): Disposable {
  const ending = new AbortController();
  let timer: Disposable;
  const prune = async () => {
    try {
      await endLeftProcesses(await store.turns.leftRunning(), { store, clock, logger });
      while (!ending.signal.aborted && (await store.prune()) > 0) await sleep(clock, PAUSE_MS, ending.signal);
      if (!ending.signal.aborted) await also?.();
    } catch (error) {
      if (!ending.signal.aborted) logger.warn({ error }, "old rows could not be removed");
    }
    if (!ending.signal.aborted) timer = clock.setTimer(EVERY_MS, () => void prune());
  };
  timer = clock.setTimer(delayMs, () => void prune());
  return {
    [Symbol.dispose]: () => {
      ending.abort();
      timer[Symbol.dispose]();
    },
  };
}
