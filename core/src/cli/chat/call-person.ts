import type { Clock } from "../../base/clock.ts";
import type { Io } from "../../terminal/io.ts";
import { type NotificationKind, notify } from "../../terminal/notification.ts";

/** A turn that takes no longer has nobody look elsewhere. In milliseconds. */
const LONG_MS = 10_000;

/** Calls the person back who looks at another window: when a long turn ends, and when something is asked. */
export class CallPerson {
  readonly #io: Io;
  readonly #clock: Clock;
  readonly #kind: NotificationKind;
  /** A terminal that does not say so counts as looked at. */
  #isFocused = true;

  constructor(io: Io, clock: Clock, kind: NotificationKind) {
    this.#io = io;
    this.#clock = clock;
    this.#kind = kind;
  }

  focus(isFocused: boolean): void {
    this.#isFocused = isFocused;
  }

  /** Runs a turn, and says when it is over. */
  async during<T>(title: string | null, turn: () => Promise<T>): Promise<T> {
    const from = this.#clock.now();
    try {
      return await turn();
    } finally {
      if (this.#clock.now() - from >= LONG_MS) this.#call(`${title ?? "the turn"} is done`);
    }
  }

  asks(what: string): void {
    this.#call(`asks: ${what}`);
  }

  #call(text: string): void {
    if (!this.#isFocused) notify(this.#io, this.#kind, `Hermes: ${text}`);
  }
}
