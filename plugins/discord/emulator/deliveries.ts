import { CannotEmulate, type FailureScript } from "@hermes/emulator";
import type { EmulatedGateway } from "./gateway.ts";

/** Events on their way to the client, and what the script does to them. */
export class Deliveries {
  readonly #script: FailureScript;
  readonly #gateway: EmulatedGateway;
  /** Come after the next one. */
  readonly #overtaken: (() => void)[] = [];
  readonly #held: (() => void)[] = [];

  constructor(script: FailureScript, gateway: EmulatedGateway) {
    this.#script = script;
    this.#gateway = gateway;
  }

  deliver(tell: () => void): void {
    const failure = this.#script.take("deliver");
    switch (failure?.is) {
      case undefined:
        tell();
        break;
      case "redeliver":
        tell();
        tell();
        break;
      case "lose":
        break;
      case "out-of-order":
        this.#overtaken.push(tell);
        return;
      case "disconnect":
        // It is in the session, and comes when the client resumes.
        this.#gateway.cut();
        tell();
        break;
      case "hang":
        this.#held.push(tell);
        return;
      default:
        throw new CannotEmulate(`Discord has no "${failure?.is}" for an event: no client acknowledges one.`);
    }
    for (const overtaken of this.#overtaken.splice(0)) overtaken();
  }

  /** Delivers what was held up. */
  letGo(): void {
    for (const tell of [...this.#overtaken.splice(0), ...this.#held.splice(0)]) tell();
  }
}
