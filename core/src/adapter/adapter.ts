import type { Root } from "mdast";
import { brandOf, hasBrand } from "../base/brand.ts";
import type { PlatformError } from "../base/errors.ts";
import type { AdapterHealth, Capabilities } from "./capabilities.ts";
import type { Conversation, HomeChannel } from "./conversation.ts";
import type {
  ChoiceLimits,
  HandoffThread,
  InboundMessage,
  OutboundMessage,
  Piece,
  Press,
  SaidElsewhere,
  Sender,
  SendReceipt,
} from "./message.ts";
import type { SessionHistory, ShownTurn } from "./session-history.ts";
import { buildSessionKey, type SessionKey } from "./session-key.ts";

/** The callbacks by which an adapter reports to Hermes. */
export interface AdapterEvents {
  /** Hands over a decoded message. Resolves once it is stored or refused; acknowledge it to the platform only then. */
  receive(message: InboundMessage): Promise<void>;
  /**
   * Reports the delivery status of a message for which `send` has ended; only adapters that claim
   * `lateRefusal` call it. `refusal` is null when the message arrived. `at` is where it was sent; required where message
   * ids are unique within a chat only. `key`: that of its `send`, where the platform reports it too; it settles a message
   * for which `send` had no receipt, so that nobody could tell whether it arrived.
   */
  settle(messageId: string, refusal: PlatformError | null, at?: Conversation, key?: string): Promise<void>;
  /**
   * Reports that somebody pressed a choice; only adapters that render `choices` call it, whoever pressed. Resolves once
   * the press is stored, refused or out of date; acknowledge it to the platform only then. Hermes decides what the press
   * means and shows the outcome in the conversation.
   */
  choose(press: Press): Promise<void>;
  /**
   * Reports that a place has another id: the chat `from`, with its threads, is now `to`; or, where `from` has a `threadId`,
   * that thread alone, which was renamed or moved to another chat, with its messages under the ids that they had. Resolves
   * once that is stored; hand over messages with the new id only then. Idempotent. Hermes may still use the former id, and
   * a config may go on naming it: the adapter accepts both. For a person who got another id, use {@link Identities}.
   */
  moved(from: Conversation, to: Conversation): Promise<void>;
  /**
   * Reports that a message was deleted. One that waits for its turn is not answered then; where its turn has begun, nothing
   * happens. Resolves once that is stored. Idempotent, and harmless for a message that Hermes never had. `by`: who deleted
   * it, where anybody could claim to have done so and the platform does not check it; then only the writer's word counts.
   * Left out where the platform itself has deleted it, be it for a moderator.
   */
  retracted(at: Conversation, messageId: string, by?: Sender): Promise<void>;
  /** Asks Hermes to restart the adapter, after a back-off that fits the error. Never throws. */
  fail(error: unknown): void;
  /**
   * Tells whether this process still holds the account's lease. A process that was suspended may have lost it unnoticed,
   * so an adapter asks before it reconnects if a connection would end another process's, or uses keys that only one
   * process may use. False also while unknown. Absent where the host shares no account.
   */
  holdsAccount?(): Promise<boolean>;
  /** What was said and done in sessions, for an adapter that mirrors. Absent where the host has none. */
  readonly history?: SessionHistory;
}

/** What `send` and `edit` get beside the piece. */
export interface SendOptions {
  /** Idempotency key: the same for every attempt at the same piece. */
  readonly key: string;
  /** The session that the message belongs to, if any; for adapters that keep messages themselves. */
  readonly sessionId?: string | undefined;
  /** The content of the piece's file; given exactly when it has one. */
  readonly content?: Uint8Array | undefined;
  /** The turn that it says something of, if any; for adapters that show its calls by {@link SessionHistory}. */
  readonly turnId?: string | undefined;
  readonly signal: AbortSignal;
}

/** What `createHandoffThread` gets beside the chat and the name. */
export interface ThreadOptions {
  readonly home: HomeChannel;
  /** Identifies the attempt; `findThread` looks for it after a crash. */
  readonly mark: string;
  readonly signal: AbortSignal;
}

/** The members of a chat other than the bot, as the platform reports them. */
export interface PeopleAt {
  /** Their ids as in `Sender`: the person's name if there is one, else the id. */
  readonly ids: readonly string[];
  /** True if nobody can ever join or leave the chat, such as a direct message. */
  readonly isFixed: boolean;
  /** True if the platform does not tell who is there: that nobody is named does not mean that they left. */
  readonly isUnknown?: boolean;
}

const PLATFORM_ADAPTER = brandOf("PlatformAdapter");

/** The optional abilities, merged into the class: an adapter has one if it implements the member. */
export interface PlatformAdapter {
  /**
   * The platform's limits for `choices`. The adapter renders them on the last piece of the text and reports each press by
   * `context.choose`.
   */
  readonly choices?: ChoiceLimits | undefined;
  /** Replaces the text of a sent message. Required exactly when `capabilities.edits` is set. */
  edit?(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt>;
  /** Shows a typing indicator for a few seconds. */
  typing?(at: Conversation, signal: AbortSignal): Promise<void>;
  /**
   * Shows that a person's message was read. Called once Hermes has stored the message, and for no other: a stranger does not
   * learn that somebody is there. A failure changes nothing.
   */
  markRead?(at: Conversation, messageId: string, signal: AbortSignal): Promise<void>;
  /** Finds the thread that was opened with `mark`; null if there is certainly none. */
  findThread?(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null>;
  /** Finds the message that was sent with `key`; null if there is certainly none. */
  findSent?(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null>;
  /**
   * Reads a person's message anew, as `context.receive` would get it: null where it was certainly deleted, and undefined
   * where that cannot be told. It is the whole message: a list that it leaves out is empty, and so is `text` where an edit
   * has left nothing. Asked before a message is answered that an earlier process left, for at most 10 s: while
   * none listened, nobody told of an edit or a deletion. Where it is not told, or the adapter lacks this, Hermes waits for
   * what the platform held: until nothing has been handed over for 2 s, up to 10 s after the start.
   */
  readNow?(kept: InboundMessage, signal: AbortSignal): Promise<InboundMessage | null | undefined>;
  /** Removes the thread of a handoff that failed. One that is gone already is no error. */
  deleteThread?(thread: HandoffThread, signal: AbortSignal): Promise<void>;
  /**
   * Deletes a message that a person wrote, for everybody, in private chats at least: it held a code. Idempotent; throws a
   * PlatformError where this one cannot be deleted.
   */
  deleteMessage?(at: Conversation, messageId: string, signal: AbortSignal): Promise<void>;
  /**
   * The conversations that somebody looks at now, of an adapter that mirrors: what is said elsewhere in their sessions is
   * shown by `showGrowing`, and who else reads those by `showReaders`.
   */
  watched?(): readonly Conversation[];
  /**
   * Shows what is being said elsewhere in the session of a conversation, until it is sent as an echo; null where nothing is
   * any more. Nothing of it is kept.
   */
  showGrowing?(at: Conversation, said: SaidElsewhere | null): void;
  /**
   * Shows the calls of the turn that runs in the session of a conversation, wherever it runs: as they begin and end, up to
   * the turn's end; null where none are to be seen any more. Called in private chats of operators only.
   */
  showCalls?(at: Conversation, turn: ShownTurn | null): void;
  /**
   * Shows who else can read the session of a conversation that somebody looks at, before they write: a sentence for each
   * place, as plain text, since people choose names; empty where nobody else can. Called when that has changed.
   */
  showReaders?(at: Conversation, readers: readonly string[]): void;
  /** What people call a chat, such as `#general`: for one that the config does not name. Undefined if it has no name. */
  chatName?(chat: Conversation): Promise<string | undefined>;
}

/**
 * Base class of every adapter, with defaults. Extend {@link ConnectedAdapter} unless the platform has no connection.
 *
 * @example
 * ```ts
 * class LogAdapter extends PlatformAdapter {
 *   override readonly platform = "log";
 *   override readonly capabilities = PLAIN_TEXT_ONLY;
 *   override async start() {}
 *   override async stop() {}
 *   override health() {
 *     return { state: "up" } as const;
 *   }
 *   override render({ markdown }: OutboundMessage) {
 *     return [{ text: markdown }];
 *   }
 *   override async send(to: Conversation, { text }: Piece) {
 *     console.log(to.chatId, text);
 *     return { messageId: "1", sentAt: 0 };
 *   }
 *   …
 * }
 * ```
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: every merged member is optional, so none is missing at run time
export abstract class PlatformAdapter {
  /** The platform's name, as in the plugin's manifest. */
  abstract readonly platform: string;
  /** Facts about the platform. */
  abstract readonly capabilities: Capabilities;

  /**
   * Connects and resolves once messages can arrive; stays connected until `signal` aborts. Must not wait for `receive`:
   * Hermes handles messages that arrive before this resolves only afterwards.
   */
  abstract start(events: AdapterEvents, signal: AbortSignal): Promise<void>;
  /** Disconnects from the platform. Called once, also after a failed start. */
  abstract stop(): Promise<void>;

  /**
   * Formats a message and splits it into pieces. Pure; the pieces' texts hold the whole message, in order. `root` is its
   * parsed Markdown, of a size that is bounded by the message's length. A long message comes in sections, one call each.
   */
  abstract render(message: OutboundMessage, root: Root): Piece[];
  /** Sends one piece with one call of the platform. Throws a PlatformError. */
  abstract send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt>;

  /** Looks up the home channel and the kind of chat it is. Throws a PlatformError if it cannot be reached. */
  abstract homeConversation(home: HomeChannel): Promise<Conversation>;
  /** Tells whether a home channel itself can hold messages. False for one that holds threads only, such as a forum. */
  takesMessages(_home: Conversation): boolean {
    return true;
  }

  /**
   * Lists who is in a home channel, or another private chat, besides the bot: by the ids with which their messages come.
   * The only person present when a private chat becomes the home channel is the operator; with nobody or several listed
   * there is none until `operators` or the terminal names one. Unless it is fixed, Hermes asks again before anything of a
   * session is said there, since others may have joined. Throws a PlatformError.
   */
  async peopleAt(_chat: Conversation): Promise<PeopleAt> {
    return { ids: [], isFixed: false, isUnknown: true };
  }

  /**
   * Opens a thread in the chat `parentChatId` that the people of the home channel can see, for a session that is handed
   * off. Returns null where the platform has no threads; throws a PlatformError, and leaves nothing behind, if it has
   * but none could be opened. The adapter shortens and cleans `name` for the platform.
   */
  async createHandoffThread(
    _parentChatId: string,
    _name: string,
    _options: ThreadOptions,
  ): Promise<HandoffThread | null> {
    return null;
  }

  /** Gives each conversation its session key. A message in a thread has the key under which the thread was bound. */
  buildSessionKey(at: Conversation): SessionKey {
    return buildSessionKey(at);
  }

  /**
   * Deletes the adapter's own data of sessions that were deleted 30 days ago, in small steps. Called every few hours while
   * the adapter is up. `gone` filters the given sessions down to the deleted ones.
   */
  async prune(_gone: (sessionIds: readonly string[]) => Promise<readonly string[]>): Promise<void> {}

  /**
   * Says how a person at `at` types a command, given as name and argument (`new`, `resume 2`): by itself `/resume 2`.
   * What it returns must work there when it is typed or pasted; help and hints name commands so.
   */
  typedCommand(command: string, _at: Conversation): string {
    return `/${command}`;
  }

  /** Says how the adapter is doing, at any time. */
  health(): AdapterHealth {
    return { state: "up" };
  }

  get [PLATFORM_ADAPTER](): true {
    return true;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return this === PlatformAdapter
      ? hasBrand(value, PLATFORM_ADAPTER)
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}
