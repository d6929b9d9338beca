import type { Logger } from "@hermes/core";
import type { Directory } from "./directory.ts";
import { asPlatformError } from "./errors.ts";

/**
 * The numbers of people who hide them. Somebody whom the config names by number is to be known by that also where a
 * message tells the service id alone.
 */
export class NumbersOfPeople {
  readonly #directory: Directory;
  readonly #logger: Logger;
  readonly #byUuid = new Map<string, string>();

  constructor(directory: Directory, logger: Logger) {
    this.#directory = directory;
    this.#logger = logger;
  }

  /** Asks Signal whose numbers these are. What cannot be found out shows later, or never. */
  async learn(numbers: readonly string[], signal: AbortSignal): Promise<void> {
    await Promise.all(
      numbers.map(async (number) => {
        try {
          const uuid = await this.#directory.uuidOf(number, signal);
          if (uuid !== null) this.#byUuid.set(uuid, number);
          else this.#logger.warn({ number }, "nobody has this number, or it is hidden; name the UUID instead");
        } catch (error) {
          this.#logger.warn({ number, reason: asPlatformError(error).message }, "whose number this is, is not known");
        }
      }),
    );
  }

  /** The number of a person; null where neither the config nor the daemon knows it. */
  async of(uuid: string): Promise<string | null> {
    const learnt = this.#byUuid.get(uuid);
    if (learnt !== undefined) return learnt;
    const known = await this.#directory.person(uuid).catch(() => null);
    if (known?.number) this.#byUuid.set(uuid, known.number);
    return known?.number ?? null;
  }
}
