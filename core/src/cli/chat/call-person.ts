import { inject, Lifecycle, scoped } from "tsyringe";
import type { Host } from "../../host/host.ts";
import { notify } from "../../terminal/notification.ts";
import type { Output } from "../../terminal/output.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/** A turn that takes no longer has nobody look elsewhere. In milliseconds. */
const LONG_MS = 10_000;

/** Calls the person back who looks at another window: when a long turn ends, and when something is asked. */
@scoped(Lifecycle.ContainerScoped)
export class CallPerson {
  /** A terminal that does not say so counts as looked at. */
  #isFocused = true;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
  ) {}

  focus(isFocused: boolean): void {
    this.#isFocused = isFocused;
  }

  /** Runs a turn, and says when it is over. */
  async during<T>(title: string | null, turn: () => Promise<T>): Promise<T> {
    const { clock } = this.host;
    const from = clock.now();
    try {
      return await turn();
    } finally {
      if (clock.now() - from >= LONG_MS) this.#call(`${title ?? "the turn"} is done`);
    }
  }

  asks(what: string): void {
    this.#call(`asks: ${what}`);
  }

  #call(text: string): void {
    if (!this.#isFocused) notify(this.output.io, this.host.config.notify, `Hermes: ${text}`);
  }
}
