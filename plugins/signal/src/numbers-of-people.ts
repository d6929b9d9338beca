import type { Account } from "./account.ts";
import { toPlatformError } from "./errors.ts";

/** A start does not wait for an answer of Signal for longer, in milliseconds: signal-cli may be offline. */
const PATIENCE_MS = 10_000;

/** What could not be asked for is asked for again after this at the earliest, in milliseconds. */
const ASK_AGAIN_MS = 30_000;

type Parts = Pick<Account, "directory" | "clock" | "logger">;

/**
 * The numbers of people who hide them. Somebody whom the config names by number is to be known by that also where a
 * message tells the service id alone.
 */
export class NumbersOfPeople {
  readonly #parts: Parts;
  readonly #byUuid = new Map<string, string>();
  /** Whether anybody is named by number: else nobody needs to know one, and nobody is asked with each message. */
  #isNamed = false;
  /** Those for which nobody could be asked. */
  #unasked: readonly string[] = [];
  #askedAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Asks Signal whose numbers these are. */
  async learn(numbers: readonly string[], signal?: AbortSignal): Promise<void> {
    this.#askedAt = this.#parts.clock.now();
    this.#isNamed ||= numbers.length > 0;
    const learnt = await Promise.all(numbers.map((number) => this.#learnOne(number, signal)));
    this.#unasked = numbers.filter((_, at) => !learnt[at]);
  }

  /** The number of a person; null where neither the config nor the daemon knows it, or it makes no difference. */
  async of(uuid: string): Promise<string | null> {
    const { directory, clock } = this.#parts;
    const learnt = this.#byUuid.get(uuid);
    if (learnt !== undefined || !this.#isNamed) return learnt ?? null;
    const known = await directory.person(uuid).catch(() => null);
    if (known?.number) this.#byUuid.set(uuid, known.number);
    else if (this.#unasked.length > 0 && clock.now() >= this.#askedAt + ASK_AGAIN_MS) await this.learn(this.#unasked);
    return this.#byUuid.get(uuid) ?? null;
  }

  /** A message told whose number this is: nobody else's. */
  heard(uuid: string, number: string): void {
    for (const [other, learnt] of this.#byUuid) {
      if (learnt === number && other !== uuid) this.#byUuid.delete(other);
    }
  }

  /** False when nobody could be asked. */
  async #learnOne(number: string, signal: AbortSignal | undefined): Promise<boolean> {
    const { directory, logger } = this.#parts;
    try {
      const uuid = await directory.uuidOf(number, { signal, patienceMs: PATIENCE_MS });
      if (uuid !== null) this.#byUuid.set(uuid, number);
      else logger.warn({ number }, "nobody has this number, or it is hidden; name the UUID instead");
      return true;
    } catch (error) {
      logger.warn({ number, reason: toPlatformError(error).message }, "whose number this is, is not known");
      return false;
    }
  }
}
