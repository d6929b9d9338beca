import {
  type AdapterContext,
  type InboundMessage,
  OrderedIntake,
  PlatformError,
  type ReceiveFailure,
  reasonOf,
} from "@hermes/core";
import { type Account, completeSelf } from "./account.ts";
import type { SignalOptions } from "./config.ts";
import { chatIn, holdsMessage, type ReceivedEvent, readEvent } from "./envelope.ts";
import { BESIDE_THE_DAEMON, identityChanged, toPlatformError } from "./errors.ts";
import { EventJournal, type KeptEvent } from "./event-journal.ts";
import { listen, type StreamEvent } from "./event-stream.ts";
import { decode, Originals, retractionIn } from "./inbound.ts";
import type { Problem } from "./problems.ts";
import { canonicalId } from "./source.ts";

/** The stream is opened again after 1 s, 2 s, 4 s … and every 10 s, in milliseconds. */
const OPEN_AGAIN = { firstMs: 1_000, lastMs: 10_000 };

/** A message that Hermes could not keep is offered again every second, in milliseconds. */
const OFFER_AGAIN = { firstMs: 1_000, lastMs: 1_000 };

/** Receives the daemon's events, keeps those with a message, and hands each on to Hermes until Hermes has it. */
export class Receiver {
  readonly #account: Account;
  readonly #journal: EventJournal;
  readonly #intake: OrderedIntake;
  readonly #originals = new Originals();
  /** The last event that need not come again. */
  #lastEventId: string | null;
  readonly #retracted: AdapterContext["retracted"];
  #isStrange = false;

  constructor(account: Account, { receive, retracted }: Pick<AdapterContext, "receive" | "retracted">) {
    const { folder, redact, clock, logger } = account;
    this.#account = account;
    this.#retracted = retracted;
    this.#journal = new EventJournal(folder, redact);
    this.#lastEventId = this.#journal.lastEventId();
    this.#intake = new OrderedIntake({ receive, clock, logger, retry: OFFER_AGAIN });
  }

  /** Takes up what an earlier process left, too. Resolves when events are received; rejects when they cannot be. */
  async start({ keepReceiving, onStop }: AdapterContext): Promise<void> {
    const { client, clock, logger } = this.#account;
    onStop(() => this.#journal.close());
    onStop(() => this.#intake.stop());
    for (const kept of this.#journal.waiting()) {
      const event = readEvent(kept.event.data);
      if (event === null) this.#drop(kept);
      else void this.#handOn(kept, event);
    }
    const stream = {
      ...{ clock, logger },
      open: (signal: AbortSignal) => client.openEvents(this.#lastEventId, signal),
      take: (event: StreamEvent) => this.#take(event),
      room: () => this.#intake.room(),
    };
    await keepReceiving((round) => listen(round, stream), { retry: OPEN_AGAIN, judge });
  }

  /** When it returns, the event need not come again; throws when it could not be kept, and takes it once more then. */
  #take(streamed: StreamEvent): void {
    const event = readEvent(streamed.data);
    this.#noteStrange(event === null);
    if (event?.exception) void noteUnreadable(this.#account, event);
    if (event !== null && holdsMessage(event)) void this.#handOn(this.#journal.keep(streamed), event);
    if (streamed.id !== null) this.#lastEventId = streamed.id;
  }

  /** Logged once, until something is understood again: whatever sends this may send much of it. */
  #noteStrange(isStrange: boolean): void {
    if (isStrange && !this.#isStrange) {
      this.#account.logger.warn({}, "the daemon sent what is no event of signal-cli; it is passed over");
    }
    this.#isStrange = isStrange;
  }

  /** Messages of a chat go in the order in which they came; a chat waits for no other, whose file may be slow to come. */
  async #handOn(kept: KeptEvent, event: ReceivedEvent): Promise<void> {
    const chat = chatIn(event);
    const id = String(event.envelope.timestamp);
    await this.#intake.take(chat, { place: chat, id, decode: () => this.#decode(event) });
    this.#drop(kept);
  }

  /** What stays by mistake comes once more, and is known then. */
  #drop(kept: KeptEvent): void {
    try {
      this.#journal.drop(kept);
    } catch (error) {
      this.#account.logger.warn({ reason: reasonOf(error) }, "a message that Hermes has could not be removed");
    }
  }

  async #decode(event: ReceivedEvent): Promise<InboundMessage | null> {
    if (!(await this.#isForUs(event))) return null;
    const { signal } = this.#intake;
    const context = { ...this.#account, originals: this.#originals, signal };
    const retraction = await retractionIn(event, context);
    if (retraction !== null) {
      await this.#retracted(retraction.at, retraction.messageId, retraction.by);
      return null;
    }
    const message = await decode(event, context);
    if (message) {
      const { conversation, sender } = message;
      this.#account.problems.noteUnread(sender.id, null);
      this.#account.logger.debug({ chat: conversation.chatId, sender: sender.id }, "a message came");
    }
    return message;
  }

  /** Whether an event came for the account that Hermes writes as. */
  async #isForUs({ account }: ReceivedEvent): Promise<boolean> {
    const { client, directory, self } = this.#account;
    const id = account ? canonicalId(account) : null;
    if (id === null || self.isAny(id)) return true;
    // A daemon that lists its accounts serves another one besides; else this is the one that could not be asked for.
    if (client.account !== undefined) return false;
    self.add(id);
    await completeSelf(self, directory, this.#intake.signal);
    return true;
  }
}

/** Where nothing listens at all, nothing can be sent either; a daemon that only ends its stream takes messages. */
function judge(thrown: unknown, usual: ReceiveFailure): ReceiveFailure {
  if (usual.health === null || !(thrown instanceof PlatformError)) return usual;
  return { ...usual, health: { ...usual.health, state: "degraded" } };
}

/** The safety number changed, and nobody has confirmed the new one. signal-cli keeps the message until somebody does. */
const UNTRUSTED = "UntrustedIdentityException";

/** What came twice, or from the account itself, misses nobody. */
const HARMLESS = new Set(["ProtocolDuplicateMessageException", "SelfSendException"]);

/**
 * Notes a message that signal-cli could not read: the sender waits for an answer in vain, and the health tells whoever
 * runs Hermes why. The chat is not known, so nothing can be said there. Strangers who cannot be read are passed over.
 */
async function noteUnreadable(
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
