import { type FSWatcher, statSync, watch as watchFolder } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import type { WatchedRows } from "../store.ts";
import type { Connection, Written } from "./connection.ts";
import { LogKeeper } from "./log-keeper.ts";

/**
 * Milliseconds between the checks of the database after an event: the event comes when the log is written, but the write
 * becomes visible only a little later (with full durability, after a flush to disk).
 */
const ASK_AGAIN_MS = [1, 1, 2, 4, 20, 100];

/** Notifies listeners of writes by this process or another. */
export interface StoreWatcher extends Disposable {
  /** With `of`, the listener is not called for writes of this process that wrote none of these rows. */
  add(listener: () => void, of?: readonly WatchedRows[]): Disposable;
  /** Call it after a write of this process. */
  notify(written: Written): void;
}

/**
 * Watches a store for writes. It watches the folder rather than the write-ahead log, which comes and goes with the
 * connections, so that a watch on it would silently stop. After an event it checks the database for changes; without
 * events, it checks every `pollMs`.
 */
export function createStoreWatcher(file: string, db: Connection, clock: Clock, pollMs: number): StoreWatcher {
  const listeners = new Set<Listening>();
  const opened = statSync(file);
  const keeper = new LogKeeper(file, db, clock);
  const sideFile = `${basename(file)}-wal`;
  let folder: FSWatcher | null = null;
  let timer: Disposable | null = null;
  let askAgain: Disposable | null = null;
  let version = 0;
  let isScheduled = false;
  /** What was written since the listeners were called last; null where it may be anything. */
  let unheard: Set<string> | null = new Set();
  let hasJustChecked = false;

  const notify = (written: Written) => {
    if (listeners.size === 0) return;
    unheard = written && unheard && new Set([...unheard, ...written]);
    if (isScheduled) return;
    isScheduled = true;
    // Deferred, so that no listener runs within a write, and several writes share one call.
    setImmediate(() => {
      isScheduled = false;
      const heard = unheard;
      unheard = new Set();
      for (const entry of [...listeners]) {
        if (listeners.has(entry) && concerns(entry, heard)) call(entry.listener);
      }
    });
  };

  const check = () => {
    try {
      const current = db.dataVersion();
      if (current === version) return;
      version = current;
    } catch {
      // The check failed: listeners read the store themselves, and get the error.
    }
    notify(null);
  };

  const checkFrom = (attempt: number) => {
    askAgain?.[Symbol.dispose]();
    check();
    const delayMs = ASK_AGAIN_MS[attempt];
    askAgain = delayMs === undefined ? null : clock.setTimer(delayMs, () => checkFrom(attempt + 1));
  };

  /** One write is several events. What a later one of them tells is found when the check is repeated. */
  const onEvent = () => {
    if (hasJustChecked) return;
    hasJustChecked = true;
    setImmediate(() => {
      hasJustChecked = false;
    });
    checkFrom(0);
  };

  const arm = () => {
    try {
      folder = watchFolder(dirname(file), { persistent: false }, (_, name) => {
        if (name === null || name === sideFile) onEvent();
      });
      // The next poll arms the watch again.
      folder.on("error", disarm);
    } catch {
      folder = null;
    }
  };

  const disarm = () => {
    folder?.close();
    folder = null;
  };

  /** Detects a replaced file: a removed file lives on for the process that has it open, while others create a new one. */
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
    // Finds writes between the first check and the start of the watch.
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
    add(listener, of) {
      // A new entry for each call, so that one listener may be added twice.
      const entry = { listener, of };
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

interface Listening {
  readonly listener: () => void;
  readonly of: readonly WatchedRows[] | undefined;
}

function concerns({ of }: Listening, written: Written): boolean {
  return of === undefined || written === null || of.some((rows) => written.has(rows));
}

/** Calls a listener; an error that it throws becomes an uncaught one, and does not stop the other listeners. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
