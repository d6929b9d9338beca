import { type FSWatcher, statSync, watch as watchFolder } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { Connection } from "./connection.ts";
import { LogKeeper } from "./log-keeper.ts";

/**
 * When the database is asked again after an event, in milliseconds one after the other: the event comes when the log is
 * written, and what was written counts only a little later (after a flush to disk, with full durability).
 */
const ASK_AGAIN_MS = [1, 1, 2, 4, 20, 100];

/** Tells listeners that something was written, by this process or another. */
export interface StoreWatcher extends Disposable {
  add(listener: () => void): Disposable;
  /** To be called after a write of one's own. */
  notify(): void;
}

/**
 * Watches the folder rather than the side file that writes go to: that one comes and goes with the connections, and a
 * watch on it goes deaf without a word. Whether an event meant anything is asked of the database; where no event
 * comes, the question is asked every `pollMs`.
 */
export function createStoreWatcher(file: string, db: Connection, clock: Clock, pollMs: number): StoreWatcher {
  const listeners = new Set<() => void>();
  const opened = statSync(file);
  const keeper = new LogKeeper(file, db, clock);
  const sideFile = `${basename(file)}-wal`;
  let folder: FSWatcher | null = null;
  let timer: Disposable | null = null;
  let askAgain: Disposable | null = null;
  let version = 0;
  let isScheduled = false;

  const notify = () => {
    if (isScheduled || listeners.size === 0) return;
    isScheduled = true;
    // Later, so that nobody is called from within a write, and a bunch of writes makes one call.
    setImmediate(() => {
      isScheduled = false;
      for (const listener of [...listeners]) if (listeners.has(listener)) call(listener);
    });
  };

  const check = () => {
    try {
      const current = db.dataVersion();
      if (current === version) return;
      version = current;
    } catch {
      // Not to be asked just now: whoever listens looks for itself, and learns why.
    }
    notify();
  };

  const checkFrom = (attempt: number) => {
    askAgain?.[Symbol.dispose]();
    check();
    const delayMs = ASK_AGAIN_MS[attempt];
    askAgain = delayMs === undefined ? null : clock.setTimer(delayMs, () => checkFrom(attempt + 1));
  };

  const arm = () => {
    try {
      folder = watchFolder(dirname(file), { persistent: false }, (_, name) => {
        if (name === null || name === sideFile) checkFrom(0);
      });
      // The poll arms it again.
      folder.on("error", disarm);
    } catch {
      folder = null;
    }
  };

  const disarm = () => {
    folder?.close();
    folder = null;
  };

  /** A removed file lives on for the process that has it open, while every other process makes a new one. */
  const checkFile = () => {
    const current = statSync(file, { throwIfNoEntry: false });
    if (current?.ino === opened.ino && current.dev === opened.dev) return;
    db.lose(new HermesError("STORE_REPLACED", { file }));
  };

  const poll = () => {
    timer = clock.setTimer(pollMs, () => {
      checkFile();
      if (folder === null) arm();
      check();
      keeper.look();
      poll();
    });
  };

  const start = () => {
    version = db.dataVersion();
    arm();
    poll();
    // For what was written between the first look and the watch.
    check();
  };

  const stop = () => {
    timer?.[Symbol.dispose]();
    timer = null;
    askAgain?.[Symbol.dispose]();
    askAgain = null;
    disarm();
  };

  return {
    add(listener) {
      // A function of its own for each call, so that one listener may be added twice.
      const entry = () => listener();
      if (listeners.size === 0) start();
      listeners.add(entry);
      return {
        [Symbol.dispose]: () => {
          if (listeners.delete(entry) && listeners.size === 0) stop();
        },
      };
    },
    notify,
    [Symbol.dispose]: () => {
      listeners.clear();
      stop();
    },
  };
}

/** A listener that throws keeps no other from being called; its error comes up as an uncaught one of its own. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
