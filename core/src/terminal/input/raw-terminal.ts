import type { ReadStream } from "node:tty";
import { systemClock } from "../../base/clock.ts";
import type { Foot } from "../foot.ts";
import type { Io } from "../io.ts";
import { FOCUS_IN, FOCUS_OUT, type Key, KeyDecoder } from "./keys.ts";

/** Asks a terminal to say where a paste begins and ends; one that cannot ignores it. */
const PASTE_MARKS_ON = "\x1b[?2004h";
const PASTE_MARKS_OFF = "\x1b[?2004l";
/** Asks a terminal to say when its window comes to the front and goes to the back. */
const FOCUS_ON = "\x1b[?1004h";
const FOCUS_OFF = "\x1b[?1004l";

/** After this long without more, in milliseconds, an Escape was a key, and not the beginning of one. */
const ESCAPE_AFTER_MS = 60;

const nothing = () => {};

/** Ends when somebody reads the terminal again that was handed over for a while. */
let untilTaken: Disposable | null = null;

/** Keeps the raw mode that was left on for a while: somebody reads the terminal again. */
export function keepRaw(): void {
  untilTaken?.[Symbol.dispose]();
}

export interface RawTerminalListener {
  /** The window came to the front, or went to the back. Without it the terminal is not asked for that. */
  onFocus?(isFocused: boolean): void;
  /** Returns false when it wants no more keys: the rest is for whoever reads the terminal next. */
  onKey(key: Key): boolean;
  /** All keys that came together were handled. */
  onPause(): void;
  /** The terminal is gone, or its input ended. */
  onEnd(): void;
}

/**
 * The terminal, giving each key at once instead of whole lines. Ctrl-Z and `fg` are survived: a shell that has the terminal
 * meanwhile leaves its own mode behind, in which keys wait for Enter and Ctrl-C reaches nobody.
 */
export class RawTerminal implements Disposable {
  readonly #io: Io;
  readonly #foot: Foot;
  readonly #keys: Io["stdin"] & Partial<Pick<ReadStream, "setRawMode">>;
  readonly #listener: RawTerminalListener;
  readonly #decoder = new KeyDecoder();
  readonly #going: Disposable;
  readonly #exiting: Disposable | undefined;
  #escape: Disposable | null = null;
  #isOver = false;
  /** Another program has it, which this one waits for. */
  #isLent = false;

  constructor(io: Io, foot: Foot, listener: RawTerminalListener) {
    this.#io = io;
    this.#foot = foot;
    this.#keys = io.stdin;
    this.#listener = listener;
    // Of somebody else's SIGSTOP or SIGTSTP, too. After `bg` the terminal is not to be had, and the system stops the job.
    this.#going = io.onSignal("SIGCONT", () => this.#takeAgain());
    // However the process ends: a shell would get what the terminal says of its window as keys.
    this.#exiting = io.onExit?.(() => this.#release());
    this.#keys.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onEnd);
    // A terminal may be gone when nobody reads it any more; that must not end the process.
    if (!this.#keys.listeners("error").includes(nothing)) this.#keys.on("error", nothing);
    this.#take();
  }

  /** Ctrl-Z. */
  suspend(): void {
    this.#release();
    this.#foot.leave({ holds: false });
    this.#io.suspend();
    // Where nobody controls jobs the process was not stopped, and no signal follows; else it is done twice, which shows
    // nothing.
    this.#takeAgain();
  }

  /** Leaves the terminal to another program until `work` is done; what is written meanwhile is shown after that. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#isLent = true;
    this.#keys.pause();
    this.#release();
    this.#foot.leave({ holds: true });
    try {
      return await work();
    } finally {
      this.#isLent = false;
      this.#takeAgain();
    }
  }

  [Symbol.dispose](): void {
    this.#finish();
  }

  /**
   * Ends, and leaves the terminal in raw mode to whoever in this process reads it next: the system's line mode would echo
   * what is typed until then, and edit it. After `forMs` milliseconds in which nobody has read it, the line mode is back.
   */
  handOver(forMs?: number): void {
    if (this.#isOver) return;
    this.#finish({ staysRaw: true });
    if (forMs !== undefined) untilTaken = systemClock.setTimer(forMs, () => void this.#keys.setRawMode?.(false));
  }

  #finish({ staysRaw = false } = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#escape?.[Symbol.dispose]();
    this.#going[Symbol.dispose]();
    this.#keys.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onEnd);
    // A process that has nothing else to do may end.
    this.#keys.pause();
    this.#exiting?.[Symbol.dispose]();
    if (staysRaw) this.#io.stdout.write(this.#marksOff());
    else this.#release();
    const rest = this.#decoder.rest();
    if (rest !== "" && !this.#keys.readableEnded) this.#keys.unshift(Buffer.from(rest));
  }

  readonly #onData = (chunk: Buffer | string) => {
    this.#escape?.[Symbol.dispose]();
    this.#decoder.feed(chunk);
    for (let key = this.#decoder.next(); key !== null; key = this.#decoder.next()) {
      if (key.type === "chord" && (key.chord === FOCUS_IN || key.chord === FOCUS_OUT)) {
        this.#listener.onFocus?.(key.chord === FOCUS_IN);
      } else if (!this.#listener.onKey(key) || this.#isOver) break;
    }
    if (this.#isOver) return;
    if (this.#decoder.isHeld) this.#escape = systemClock.setTimer(ESCAPE_AFTER_MS, () => this.#settle());
    this.#listener.onPause();
  };

  readonly #onEnd = () => {
    if (!this.#isOver) this.#listener.onEnd();
  };

  #settle(): void {
    const key = this.#decoder.settle();
    if (key === null || this.#isOver) return;
    this.#listener.onKey(key);
    this.#listener.onPause();
  }

  #takeAgain(): void {
    if (this.#isOver || this.#isLent) return;
    // Off first: a mode that Node believes to be set is not set again.
    this.#keys.setRawMode?.(false);
    this.#take();
    this.#foot.retake();
  }

  #take(): void {
    keepRaw();
    this.#decoder.restart();
    this.#keys.setRawMode?.(true);
    this.#io.stdout.write(this.#listener.onFocus === undefined ? PASTE_MARKS_ON : `${PASTE_MARKS_ON}${FOCUS_ON}`);
    this.#keys.resume();
  }

  #release(): void {
    this.#io.stdout.write(this.#marksOff());
    this.#keys.setRawMode?.(false);
  }

  #marksOff(): string {
    return this.#listener.onFocus === undefined ? PASTE_MARKS_OFF : `${PASTE_MARKS_OFF}${FOCUS_OFF}`;
  }
}
