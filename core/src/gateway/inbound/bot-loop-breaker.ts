import type { SessionKey } from "../../adapter/session-key.ts";

/** How many messages of bots are answered in a row. */
const LONGEST_RUN = 8;

/** Two bots that are allowed to talk to each other would do so for ever: after a while only a person starts them again. */
export class BotLoopBreaker {
  readonly #runs = new Map<SessionKey, number>();

  /** Counts a message of a bot; false when it is one too many. */
  mayAnswer(key: SessionKey): boolean {
    const run = (this.#runs.get(key) ?? 0) + 1;
    this.#runs.set(key, run);
    return run <= LONGEST_RUN;
  }

  heardPerson(key: SessionKey): void {
    this.#runs.delete(key);
  }
}
