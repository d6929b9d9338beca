import { type Clock, sleep } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { Output } from "../terminal/output.ts";

/** The pause between attempts at a busy store, in milliseconds. */
const ASK_AGAIN_MS = 500;

/** How long it is waited for where nobody sits who could end the wait, in milliseconds. */
const UNATTENDED_MS = 60_000;

/**
 * The patience of a command with a store that another process keeps busy, which may have been stopped: the person is
 * told, and what they asked for is done once the store is free, or is taken back with Ctrl-C.
 */
export class StorePatience {
  readonly #output: Output;
  readonly #clock: Clock;
  #waiting = 0;
  #end = new AbortController();

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
  }

  /** Makes a call of the store until it goes through. Throws TAKEN_BACK, and STORE_BUSY where nobody could end the wait. */
  async persist<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      return await this.#waitAfter(busyOrThrow(error), call);
    }
  }

  /** Gives up what waits. False where nothing does. */
  takeBack(): boolean {
    if (this.#waiting === 0) return false;
    // A call that is under way may yet go through, and ends within seconds only.
    if (!this.#end.signal.aborted) this.#output.note("Cancelling; waiting for the last store call to finish.");
    this.#end.abort();
    return true;
  }

  async #waitAfter<T>(busy: HermesError, call: () => Promise<T>): Promise<T> {
    const { io } = this.#output;
    using _waiting = this.#enter(busy);
    using _interrupt = io.onSignal("SIGINT", () => this.takeBack());
    const { signal } = this.#end;
    const until = io.isInteractive ? Number.POSITIVE_INFINITY : this.#clock.now() + UNATTENDED_MS;
    for (;;) {
      await sleep(this.#clock, ASK_AGAIN_MS, signal);
      if (signal.aborted) throw new HermesError("TAKEN_BACK", {});
      try {
        return await call();
      } catch (error) {
        const again = busyOrThrow(error);
        if (this.#clock.now() >= until) throw again;
      }
    }
  }

  #enter(busy: HermesError): Disposable {
    if (this.#waiting++ === 0) this.#output.note(storeWaitText(busy, this.#output));
    return {
      [Symbol.dispose]: () => {
        if (--this.#waiting === 0) this.#end = new AbortController();
      },
    };
  }
}

/** Returns the note that a command waits for a busy store. */
export function storeWaitText(busy: HermesError, { io }: Output): string {
  return `${busy.message} Hermes continues as soon as the store is free${io.isInteractive ? "; Ctrl-C cancels it" : ""}.`;
}

function busyOrThrow(error: unknown): HermesError {
  if (error instanceof HermesError && error.code === "STORE_BUSY") return error;
  throw error;
}
