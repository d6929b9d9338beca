import type { SessionKey } from "../../adapter/session-key.ts";

/** Most messages of bots that are answered in a row. */
const LONGEST_RUN = 8;

/** Breaks loops between bots: after a number of bot messages in a row, only a person's message resumes the answers. */
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
