import type { Logger } from "@hermes/core";
import type { DaemonClient } from "./daemon-client.ts";
import { toPlatformError } from "./errors.ts";
import { errorOfSend, judge, sendAnswer } from "./send-results.ts";
import type { Recipient } from "./source.ts";

/** Shows that Hermes writes. A sign fades after 15 s ("sendTyping"), and goes at once when it is taken away. */
export class TypingSigns {
  readonly #client: DaemonClient;
  readonly #logger: Logger;
  readonly #shown = new Set<string>();

  constructor(client: DaemonClient, logger: Logger) {
    this.#client = client;
    this.#logger = logger;
  }

  async show(to: Recipient, signal: AbortSignal): Promise<void> {
    this.#shown.add(JSON.stringify(to));
    try {
      judge(sendAnswer(await this.#client.call("sendTyping", to, { signal })));
    } catch (error) {
      throw errorOfSend(error, { mayBeDone: false });
    }
  }

  /** Takes a sign away that was shown; nobody waits for that. */
  hide(to: Recipient): void {
    if (!this.#shown.delete(JSON.stringify(to))) return;
    this.#client.call("sendTyping", { ...to, stop: true }).catch((error: unknown) => {
      this.#logger.debug({ reason: toPlatformError(error).message }, "a typing sign could not be taken away");
    });
  }
}
