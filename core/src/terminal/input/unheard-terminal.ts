import type { ReadStream } from "node:tty";
import type { Io } from "../io.ts";
import { keepRaw } from "./raw-terminal.ts";

const CTRL_C = "\x03";
const CTRL_Z = "\x1a";

/**
 * A terminal between two questions: what is typed is not echoed, since it may be meant for a question about a secret, and
 * waits for the next one. Ctrl-C and Ctrl-Z do what they do in the system's line mode.
 */
export class UnheardTerminal implements Disposable {
  readonly #io: Io;
  readonly #keys: Io["stdin"] & Partial<Pick<ReadStream, "setRawMode">>;
  readonly #going: Disposable;
  readonly #onEnd: () => void;
  #held = "";

  /** `onEnd`: the terminal is gone, which the next question would not notice. */
  constructor(io: Io, onEnd: () => void) {
    this.#io = io;
    this.#keys = io.stdin;
    this.#onEnd = onEnd;
    keepRaw();
    this.#going = io.onSignal("SIGCONT", () => this.#takeAgain());
    this.#keys.on("data", this.#onData).on("end", onEnd).on("error", onEnd);
    this.#keys.setRawMode?.(true);
    this.#keys.resume();
  }

  readonly #onData = (chunk: Buffer | string) => {
    for (const key of chunk.toString("latin1")) {
      if (key !== CTRL_C && key !== CTRL_Z) this.#held += key;
      else {
        // As the system does it: what was typed before is dropped.
        this.#held = "";
        if (key === CTRL_C) this.#io.interrupt();
        else this.#suspend();
      }
    }
  };

  #suspend(): void {
    this.#keys.setRawMode?.(false);
    this.#io.suspend();
    this.#takeAgain();
  }

  /** A shell that had the terminal meanwhile leaves its own mode behind; Node sets none that it believes to be set. */
  #takeAgain(): void {
    this.#keys.setRawMode?.(false);
    this.#keys.setRawMode?.(true);
  }

  [Symbol.dispose](): void {
    this.#going[Symbol.dispose]();
    this.#keys.off("data", this.#onData).off("end", this.#onEnd).off("error", this.#onEnd);
    this.#keys.pause();
    this.#keys.setRawMode?.(false);
    if (this.#held !== "" && !this.#keys.readableEnded) this.#keys.unshift(Buffer.from(this.#held, "latin1"));
  }
}
