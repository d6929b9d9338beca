import type { AdapterEvents, Clock, Identities, InboundMessage, Logger, Redactor } from "@hermes/core";
import { createReadText } from "./attachments.ts";
import type { SignalOptions } from "./config.ts";
import { completeSelf } from "./connect.ts";
import type { DaemonClient } from "./daemon-client.ts";
import type { Directory } from "./directory.ts";
import type { ReceivedEvent } from "./envelope.ts";
import { EventJournal } from "./event-journal.ts";
import { EventStream } from "./event-stream.ts";
import type { Health } from "./health.ts";
import { type DecodeContext, decode } from "./inbound.ts";
import type { NumbersOfPeople } from "./numbers-of-people.ts";
import { Originals } from "./originals.ts";
import type { OwnNotes } from "./own-notes.ts";
import { Receiver } from "./receiver.ts";
import type { SelfAddress } from "./self-address.ts";
import { canonicalId } from "./source.ts";
import { UnreadableMessages } from "./unreadable.ts";

export interface IntakeParts {
  readonly client: DaemonClient;
  readonly directory: Directory;
  readonly self: SelfAddress;
  readonly numbers: NumbersOfPeople;
  readonly identities: Identities;
  readonly ownNotes: OwnNotes;
  readonly health: Health;
  /** Where events are kept until Hermes has them. */
  readonly folder: string;
  readonly redact: Redactor;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly options: SignalOptions;
  readonly receive: AdapterEvents["receive"];
}

/** The way of a message from the daemon's stream to Hermes: heard, kept, decoded, handed on. */
export class Intake {
  readonly #parts: IntakeParts;
  readonly #context: DecodeContext;
  readonly #receiver: Receiver;
  readonly #stream: EventStream;
  readonly #stopping = new AbortController();

  constructor(parts: IntakeParts) {
    const { client, self, numbers, identities, ownNotes, health, folder, redact, clock, logger, options, receive } =
      parts;
    this.#parts = parts;
    const readText = createReadText(client, logger, this.#stopping.signal);
    const { account } = options;
    this.#context = { self, account, ownNotes, readText, numbers, identities, originals: new Originals() };
    const unreadable = new UnreadableMessages({
      ...{ client, numbers, health, logger, trustNewIdentities: options.trustNewIdentities },
      isNamed: (ids) => isNamed(options, ids),
    });
    const receiver = new Receiver({
      ...{ journal: new EventJournal(folder, redact), clock, logger, receive },
      decode: (event) => this.#decode(event),
      onUnreadable: (event) => void unreadable.note(event),
    });
    this.#receiver = receiver;
    this.#stream = new EventStream({
      open: (lastEventId, signal) => client.openEvents(lastEventId, signal),
      ...{ clock, logger },
      lastEventId: () => receiver.lastEventId(),
      take: (event) => receiver.take(event),
      onHealth: (state) => {
        health.stream = state;
      },
    });
  }

  /** Resolves when events are received; rejects when they cannot be. */
  async start(): Promise<void> {
    this.#receiver.start();
    await this.#stream.start();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#receiver.stop();
    await this.#stream.stop();
  }

  async #decode(event: ReceivedEvent): Promise<InboundMessage | null> {
    if (!(await this.#isForUs(event))) return null;
    const message = await decode(event, this.#context);
    if (message) {
      const { conversation, sender } = message;
      this.#parts.health.noteUnread(sender.id, null);
      this.#parts.logger.debug({ chat: conversation.chatId, sender: sender.id }, "a message came");
    }
    return message;
  }

  /** Whether an event came for the account that Hermes writes as. */
  async #isForUs({ account }: ReceivedEvent): Promise<boolean> {
    const { client, directory, self } = this.#parts;
    const id = account ? canonicalId(account) : null;
    if (id === null || self.isAny(id)) return true;
    // A daemon that lists its accounts serves another one besides; else this is the one that could not be asked for.
    if (client.account !== undefined) return false;
    self.add(id);
    await completeSelf(self, directory, this.#stopping.signal);
    return true;
  }
}

/** Whether the config names somebody with one of these ids. */
function isNamed({ allowedUsers, operators, homeChannel }: SignalOptions, ids: readonly string[]): boolean {
  const named = [...allowedUsers, ...operators, homeChannel?.chatId];
  return named.includes("*") || ids.some((id) => named.includes(id));
}
