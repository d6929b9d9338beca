import type { Logger } from "@hermes/core";
import type { DaemonClient } from "./daemon-client.ts";
import type { ReceivedEvent } from "./envelope.ts";
import { BESIDE_THE_DAEMON, identityChanged, toPlatformError } from "./errors.ts";
import type { Health, Problem } from "./health.ts";
import type { NumbersOfPeople } from "./numbers-of-people.ts";
import { canonicalId } from "./source.ts";

/** The safety number changed, and nobody has confirmed the new one. signal-cli keeps the message until somebody does. */
const UNTRUSTED = "UntrustedIdentityException";

/** What came twice, or from the account itself, misses nobody. */
const HARMLESS = new Set(["ProtocolDuplicateMessageException", "SelfSendException"]);

export interface UnreadableParts {
  readonly client: DaemonClient;
  readonly numbers: NumbersOfPeople;
  readonly health: Health;
  readonly logger: Logger;
  readonly trustNewIdentities: boolean;
  /** Whether the config names somebody with one of these ids. */
  readonly isNamed: (ids: readonly string[]) => boolean;
}

/**
 * Messages that came and that signal-cli could not read. Who wrote waits for an answer and sees nothing; whoever runs
 * Hermes is told why. Of the chat nothing is known, so nothing can be said there. That a stranger cannot be read is
 * nobody's concern.
 */
export class UnreadableMessages {
  readonly #parts: UnreadableParts;

  constructor(parts: UnreadableParts) {
    this.#parts = parts;
  }

  async note({ envelope: { sourceUuid, sourceNumber }, exception }: ReceivedEvent): Promise<void> {
    const { numbers, health, logger, isNamed } = this.#parts;
    const type = exception?.type ?? "an unknown problem";
    logger.warn({ type, reason: exception?.message, from: sourceUuid ?? sourceNumber }, "a message cannot be read");
    const hidden = sourceUuid && !sourceNumber ? await numbers.of(canonicalId(sourceUuid)) : null;
    const [person, ...aliases] = [sourceUuid, sourceNumber, hidden].flatMap((id) => (id ? [canonicalId(id)] : []));
    if (person === undefined || HARMLESS.has(type) || !isNamed([person, ...aliases])) return;
    if (type === UNTRUSTED && (await this.#trust(person))) return;
    health.noteUnread(person, type === UNTRUSTED ? identityChanged([person]) : undecryptable(person, type));
  }

  /** Trusts a person's new safety number where the config says so; signal-cli then reads what it has kept. */
  async #trust(person: string): Promise<boolean> {
    const { client, logger, trustNewIdentities } = this.#parts;
    if (!trustNewIdentities) return false;
    try {
      await client.call("trust", { recipient: person, trustAllKnownKeys: true });
      logger.warn({ person }, "a new safety number was trusted, as the config says");
      return true;
    } catch (error) {
      logger.warn({ person, reason: toPlatformError(error).message }, "a new safety number could not be trusted");
      return false;
    }
  }
}

function undecryptable(person: string, type: string): Problem {
  return {
    message: `A message of ${person} could not be decrypted (${type}).`,
    hint:
      "Mostly the sender's app sends it once more by itself. Where this goes on, " +
      `\`signal-cli send --end-session ${person}\` begins a fresh encrypted session; then ask for the message again.${BESIDE_THE_DAEMON}`,
  };
}
