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
  SendReceipt,
} from "./message.ts";
import { buildSessionKey, type SessionKey } from "./session-key.ts";

/** What an adapter tells its host. */
export interface AdapterEvents {
  /** Takes a decoded message. Resolves once it is kept (or refused); only then is the platform told that it arrived. */
  receive(message: InboundMessage): Promise<void>;
  /**
   * The platform's late word on a message it had taken; only adapters that claim `lateRefusal` call it.
   * `refusal` is null when the message arrived. `at` is where it was sent, and has to be named where the ids of messages
   * are unique within a chat only.
   */
  settle(messageId: string, refusal: PlatformError | null, at?: Conversation): Promise<void>;
  /**
   * Takes a choice that somebody pressed; only adapters that render `choices` call it, and for everybody who presses.
   * Resolves once it is kept, or refused, or nothing asks for it any more; only then is the press acknowledged to the
   * platform. Whether it decides anything is Hermes' to know, and shows in the conversation.
   */
  choose(press: Press): Promise<void>;
  /**
   * The platform gave a chat another id: `from`, with its threads, is `to` from now on. Resolves once that is kept, and
   * only then is what comes by the new id handed over. Told once more, it changes nothing. What Hermes had for the former
   * id may still come, and a config may go on naming it: the adapter takes both. Where it is a person who got another id,
   * {@link Identities} tells.
   */
  moved(from: Conversation, to: Conversation): Promise<void>;
  /** Asks to be stopped and started anew, after a pause that fits the error. Nothing is thrown, here or later. */
  fail(error: unknown): void;
  /**
   * Whether this process still has the account. A process that was stopped for a while may have lost it without knowing,
   * so an adapter asks before it connects again where a connection ends another one's, or uses keys that only one may
   * use. False also while that cannot be known. Left out by a host that shares no account.
   */
  holdsAccount?(): Promise<boolean>;
}

export interface SendOptions {
  /** The same for every attempt at the same piece. */
  readonly key: string;
  /** The session that says it; left out where none does. Of use to an adapter that keeps what was said itself. */
  readonly sessionId?: string | undefined;
  readonly signal: AbortSignal;
}

export interface ThreadOptions {
  readonly home: HomeChannel;
  /** Identifies the attempt; `findThread` looks for it after a crash. */
  readonly mark: string;
  readonly signal: AbortSignal;
}

/** Turns a message into pieces and sends them. */
export interface Sends {
  /**
   * Formats and splits. Pure; the pieces' texts hold everything the message said, in order. `root` is the message's
   * Markdown, parsed: within what its length is worth, so that walking through it holds nobody up. A long message comes
   * in several sections, one call for each.
   */
  render(message: OutboundMessage, root: Root): Piece[];
  /** One call of the platform for one piece. Throws a PlatformError. */
  send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt>;
}

/** Opens a thread for a session that is handed off. */
interface CreatesHandoffThreads {
  /**
   * A thread in the chat `parentChatId` that the people of the home channel can see; null where there are no threads;
   * throws a PlatformError with the reason where there should be, and leaves nothing behind then.
   * `name` is cut and cleaned by the adapter to what the platform takes.
   */
  createHandoffThread(parentChatId: string, name: string, options: ThreadOptions): Promise<HandoffThread | null>;
}

/** Names conversations. What a person writes in a thread has the key that the thread was bound under. */
interface KeysSessions {
  buildSessionKey(at: Conversation): SessionKey;
}

/** What an adapter may do beyond what it must: it is able to where the member is there. */
interface OptionalAbilities {
  /**
   * It renders the `choices` of a message, on the last piece of the text, and reports a press by `choose`. This is how
   * much the platform takes.
   */
  readonly choices?: ChoiceLimits | undefined;
  /** Replaces the text of a message that was sent. There exactly where `capabilities` say how often. */
  edit?(at: Conversation, messageId: string, piece: Piece, options: SendOptions): Promise<SendReceipt>;
  /** Shows for a few seconds that an answer is being written. */
  typing?(at: Conversation, signal: AbortSignal): Promise<void>;
  /** The thread that was opened with `mark`, or null when there is certainly none. */
  findThread?(home: HomeChannel, mark: string, signal: AbortSignal): Promise<HandoffThread | null>;
  /** The message that was sent with `key`, or null when there is certainly none. */
  findSent?(to: Conversation, key: string, signal: AbortSignal): Promise<SendReceipt | null>;
  deleteThread?(thread: HandoffThread, signal: AbortSignal): Promise<void>;
}

/** Who is in a chat beside the bot, by the platform's own word. */
export interface PeopleAt {
  /** What their messages have as the sender: its person's name where it has one, else its id. */
  readonly ids: readonly string[];
  /** Nobody can ever enter or leave such a chat: it is between the bot and them, as long as it is there. */
  readonly isFixed: boolean;
}

const PLATFORM_ADAPTER = brandOf("PlatformAdapter");

/** Merged into the class: an adapter that lacks an ability lacks the method, which no `abstract` member could say. */
export interface PlatformAdapter extends OptionalAbilities {}

/** The base of every adapter, with the defaults. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: every merged member is optional, so none is missing at run time
export abstract class PlatformAdapter implements Sends, CreatesHandoffThreads, KeysSessions {
  /** The platform's name, as the plugin's manifest has it. */
  abstract readonly platform: string;
  abstract readonly capabilities: Capabilities;

  /**
   * Connects, and resolves once messages are received; goes on until `signal` aborts. It does not wait for `receive`:
   * messages that come before it has resolved are taken up when it has.
   */
  abstract start(events: AdapterEvents, signal: AbortSignal): Promise<void>;
  /** Lets go of the platform. Called once, also after a start that failed. */
  abstract stop(): Promise<void>;

  abstract render(message: OutboundMessage, root: Root): Piece[];
  abstract send(to: Conversation, piece: Piece, options: SendOptions): Promise<SendReceipt>;

  /** The home channel as a conversation: the adapter finds out what kind of chat it is. Throws when it cannot be reached. */
  abstract homeConversation(home: HomeChannel): Promise<Conversation>;
  /** Whether messages can be written in a home channel itself: not where it holds threads only, as a forum does. */
  takesMessages(_home: Conversation): boolean {
    return true;
  }

  /**
   * Who is in a home channel beside the bot. In a private one the person who is there when it becomes the home channel
   * is the operator; where the adapter names nobody, or several, nobody is until `operators` or the terminal says who.
   * Asked again whenever it matters whether others are there by now. Throws a PlatformError.
   */
  async peopleAt(_home: Conversation): Promise<PeopleAt> {
    return { ids: [], isFixed: false };
  }

  async createHandoffThread(
    _parentChatId: string,
    _name: string,
    _options: ThreadOptions,
  ): Promise<HandoffThread | null> {
    return null;
  }

  buildSessionKey(at: Conversation): SessionKey {
    return buildSessionKey(at);
  }

  /**
   * Removes what the adapter itself keeps of sessions that have been gone for 30 days, a small step at a time. Called
   * every few hours while it is up. `gone` tells which of some sessions are not there any more.
   */
  async prune(_gone: (sessionIds: readonly string[]) => Promise<readonly string[]>): Promise<void> {}

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
