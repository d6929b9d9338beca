import type { Account } from "./account.ts";
import type { SignalOptions } from "./config.ts";
import type { ReceivedEvent } from "./envelope.ts";
import { BESIDE_THE_DAEMON, identityChanged, toPlatformError } from "./errors.ts";
import type { Problem } from "./problems.ts";
import { canonicalId } from "./source.ts";

/** The safety number changed, and nobody has confirmed the new one. signal-cli keeps the message until somebody does. */
const UNTRUSTED = "UntrustedIdentityException";

/** What came twice, or from the account itself, misses nobody. */
const HARMLESS = new Set(["ProtocolDuplicateMessageException", "SelfSendException"]);

/**
 * Notes a message that signal-cli could not read: the sender waits for an answer in vain, and the health tells whoever
 * runs Hermes why. The chat is not known, so nothing can be said there. Strangers who cannot be read are passed over.
 */
export async function noteUnreadable(
  account: Account,
  { envelope: { sourceUuid, sourceNumber }, exception }: ReceivedEvent,
): Promise<void> {
  const { numbers, problems, logger, options } = account;
  const type = exception?.type ?? "an unknown problem";
  logger.warn({ type, reason: exception?.message, from: sourceUuid ?? sourceNumber }, "a message cannot be read");
  const hidden = sourceUuid && !sourceNumber ? await numbers.of(canonicalId(sourceUuid)) : null;
  const [person, ...aliases] = [sourceUuid, sourceNumber, hidden].flatMap((id) => (id ? [canonicalId(id)] : []));
  if (person === undefined || HARMLESS.has(type) || !isNamed(options, [person, ...aliases])) return;
  if (type === UNTRUSTED && (await trust(account, person))) return;
  problems.noteUnread(person, type === UNTRUSTED ? identityChanged([person]) : undecryptable(person, type));
}

/** Trusts a person's new safety number where the config says so; signal-cli then reads what it has kept. */
async function trust({ client, logger, options }: Account, person: string): Promise<boolean> {
  if (!options.trustNewIdentities) return false;
  try {
    await client.call("trust", { recipient: person, trustAllKnownKeys: true });
    logger.warn({ person }, "a new safety number was trusted, as the config says");
    return true;
  } catch (error) {
    logger.warn({ person, reason: toPlatformError(error).message }, "a new safety number could not be trusted");
    return false;
  }
}

/** Whether the config names somebody with one of these ids. */
function isNamed({ allowedUsers, operators, homeChannel }: SignalOptions, ids: readonly string[]): boolean {
  const named = [...allowedUsers, ...operators, homeChannel?.chatId];
  return named.includes("*") || ids.some((id) => named.includes(id));
}

function undecryptable(person: string, type: string): Problem {
  return {
    message: `A message of ${person} could not be decrypted (${type}).`,
    hint:
      "Mostly the sender's app sends it once more by itself. Where this goes on, " +
      `\`signal-cli send --end-session ${person}\` begins a fresh encrypted session; then ask for the message again.${BESIDE_THE_DAEMON}`,
  };
}
