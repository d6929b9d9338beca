import { type FSWatcher, type Stats, statSync, watch as watchFolder } from "node:fs";
import { basename, dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { regularly } from "../../base/regularly.ts";
import type { WatchedRows } from "../store.ts";
import type { Connection, Written } from "./connection.ts";
import { LogKeeper } from "./log-keeper.ts";

/**
 * Milliseconds between the checks of the database after an event. The event comes when the log is written, but the write
 * becomes visible only a little later (with full durability, after a flush to disk): Hermes causes another one then, other
 * programs do not.
 */
const ASK_AGAIN_MS = [2, 20, 100];

/**
 * Notifies listeners of writes to a store by this process or another. It watches the folder rather than the write-ahead
 * log, which comes and goes with the connections, so that a watch on it would silently stop. After an event it checks the
 * database for changes; without events, it checks every `pollMs`.
 */
export class StoreWatcher implements Disposable {
  readonly #file: string;
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #opened: Stats;
  readonly #keeper: LogKeeper;
  readonly #listeners = new Set<Listening>();
  #folder: FSWatcher | null = null;
  #timer: Disposable | null = null;
  #askAgain: Disposable | null = null;
  #version = 0;
  #isScheduled = false;
  /** What was written since the listeners were called last; null where it may be anything. */
  #unheard: Set<string> | null = new Set();
  #hasJustChecked = false;

  constructor(file: string, db: Connection, clock: Clock, pollMs: number) {
    this.#file = file;
    this.#db = db;
    this.#clock = clock;
    this.#pollMs = pollMs;
    this.#opened = statSync(file);
    this.#keeper = new LogKeeper(file, db, clock);
  }

  /** With `of`, the listener is not called for writes of this process that wrote none of these rows. */
  add(listener: () => void, of?: readonly WatchedRows[]): Disposable {
    // A new entry for each call, so that one listener may be added twice.
    const entry = { listener, of };
    if (this.#listeners.size === 0) this.#start();
    this.#listeners.add(entry);
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#stop();
      },
    };
  }

  /** Call it after a write of this process. */
  notify(written: Written): void {
    if (this.#listeners.size === 0) return;
    this.#unheard = written && this.#unheard && new Set([...this.#unheard, ...written]);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred, so that no listener runs within a write, and several writes share one call.
    setImmediate(() => this.#tell());
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#stop();
  }

  #start(): void {
    this.#version = this.#db.dataVersion();
    this.#arm();
    this.#timer = regularly(this.#clock, this.#pollMs, () => this.#poll());
    // Finds writes between the first check and the start of the watch.
    this.#check();
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    this.#askAgain?.[Symbol.dispose]();
    this.#askAgain = null;
    this.#disarm();
  }

  #tell(): void {
    this.#isScheduled = false;
    const heard = this.#unheard;
    this.#unheard = new Set();
    for (const entry of [...this.#listeners]) {
      if (this.#listeners.has(entry) && concerns(entry, heard)) call(entry.listener);
    }
  }

  #arm(): void {
    try {
      const sideFile = `${basename(this.#file)}-wal`;
      this.#folder = watchFolder(dirname(this.#file), { persistent: false }, (_, name) => {
        if (name === null || name === sideFile) this.#onEvent();
      });
      // The next poll arms the watch again.
      this.#folder.on("error", () => this.#disarm());
    } catch {
      this.#folder = null;
    }
  }

  #disarm(): void {
    this.#folder?.close();
    this.#folder = null;
  }

  /** One write is several events. What a later one of them tells is found when the check is repeated. */
  #onEvent(): void {
    if (this.#hasJustChecked) return;
    this.#hasJustChecked = true;
    setImmediate(() => {
      this.#hasJustChecked = false;
    });
    this.#checkFrom(0);
  }

  #checkFrom(attempt: number): void {
    this.#askAgain?.[Symbol.dispose]();
    this.#check();
    const delayMs = ASK_AGAIN_MS[attempt];
    this.#askAgain = delayMs === undefined ? null : this.#clock.setTimer(delayMs, () => this.#checkFrom(attempt + 1));
  }

  #poll(): void {
    this.#checkFile();
    if (this.#folder === null) this.#arm();
    this.#check();
    this.#keeper.look();
  }

  #check(): void {
    try {
      const current = this.#db.dataVersion();
      if (current === this.#version) return;
      this.#version = current;
    } catch {
      // The check failed: listeners read the store themselves, and get the error.
    }
    this.notify(null);
  }

  /** Detects a replaced file: a removed file lives on for the process that has it open, while others create a new one. */
  #checkFile(): void {
    let current: Stats | undefined;
    try {
      current = statSync(this.#file, { throwIfNoEntry: false });
    } catch {
      // The disk does not answer, or the way there is closed: the next poll may tell.
      return;
    }
    if (current?.ino === this.#opened.ino && current.dev === this.#opened.dev) return;
    this.#db.lose(new HermesError("STORE_REPLACED", { file: this.#file }));
  }
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
