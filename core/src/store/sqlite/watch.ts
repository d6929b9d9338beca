import {
  closeSync,
  constants,
  type FSWatcher,
  lutimesSync,
  openSync,
  type Stats,
  statSync,
  watch as watchFile,
} from "node:fs";
import type { Clock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { regularly } from "../../base/regularly.ts";
import type { WatchedRows } from "../store.ts";
import type { Connection, Written } from "./connection.ts";
import { LogKeeper } from "./log-keeper.ts";

/** Follows no link, and waits for no reader of a pipe. */
const MADE = constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Notifies listeners of writes to a store by this process or another. After each write, a process touches an empty file
 * beside the database, `-written`, which all watch. They do not watch the write-ahead log: a write changes it page by
 * page, wakes them up for each, and can be seen only after the last. What other programs write is found by the check
 * every `pollMs`.
 */
export class StoreWatcher implements Disposable {
  readonly #file: string;
  /** The file that is touched. */
  readonly #touched: string;
  readonly #db: Connection;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #opened: Stats;
  readonly #keeper: LogKeeper;
  readonly #listeners = new Set<Listening>();
  #watching: FSWatcher | null = null;
  #timer: Disposable | null = null;
  #version = 0;
  #isScheduled = false;
  /** Whether other processes were not woken up yet for a write of this one. */
  #isUntold = false;
  /** What was written since the listeners were called last; null where it may be anything. */
  #unheard: Set<string> | null = new Set();

  constructor(file: string, db: Connection, clock: Clock, pollMs: number) {
    this.#file = file;
    this.#touched = `${file}-written`;
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

  /** Call it after a write of this process, once others can see it. */
  notify(written: Written): void {
    this.#isUntold = true;
    this.#tellSoon(written);
  }

  #tellSoon(written: Written): void {
    this.#unheard = written && this.#unheard && new Set([...this.#unheard, ...written]);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // Deferred, so that no listener runs within a write, several writes share one call, and whoever waits for a write
    // goes on before others are woken up.
    setImmediate(() => this.#tell());
  }

  [Symbol.dispose](): void {
    this.#wakeOthers();
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
    this.#disarm();
  }

  #tell(): void {
    this.#isScheduled = false;
    this.#wakeOthers();
    const heard = this.#unheard;
    this.#unheard = new Set();
    for (const entry of [...this.#listeners]) {
      if (this.#listeners.has(entry) && concerns(entry, heard)) call(entry.listener);
    }
  }

  /** Touches the file where this process has written since it last did. */
  #wakeOthers(): void {
    if (!this.#isUntold) return;
    this.#isUntold = false;
    const now = this.#clock.now() / 1000;
    try {
      lutimesSync(this.#touched, now, now);
    } catch {
      // It is missing, or others look again a little later.
      this.#make();
    }
  }

  #make(): void {
    try {
      closeSync(openSync(this.#touched, MADE, 0o600));
    } catch {
      // The disk is full, say, or something else has its name: it is made at a later write.
    }
  }

  #arm(): void {
    this.#make();
    try {
      this.#watching = watchFile(this.#touched, { persistent: false }, (event) => {
        // The next poll watches the file that took its place.
        if (event === "rename") this.#disarm();
        this.#check();
      });
      this.#watching.on("error", () => this.#disarm());
    } catch {
      this.#watching = null;
    }
  }

  #disarm(): void {
    this.#watching?.close();
    this.#watching = null;
  }

  #poll(): void {
    this.#checkFile();
    if (this.#watching === null) this.#arm();
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
    this.#tellSoon(null);
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
