import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChatKind, Clock } from "@hermes/core";

/**
 * A platform on this machine, for tests and for trying an adapter without an account: real HTTP and WebSocket, so that
 * the platform's own client library speaks to it, and as strict as the real one. What every emulator can do; where the
 * platform itself has no such thing (an edit, a thread, a rate limit), `receive`, `fail` and `removeThread` throw
 * CannotEmulate with the reason.
 */
export interface Emulator extends AsyncDisposable {
  readonly platform: string;
  /** `http://127.0.0.1:<port>`: what the plugin's config takes for the server's address. */
  readonly url: string;
  /** What a plugin's config needs to use it: the address under the plugin's own key, tokens that it accepts. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Chats that are there from the start: at least a private one, a group, and one for each kind of home channel. */
  readonly chats: readonly EmulatedChat[];
  /** People that are there from the start, as `allowedUsers` names them; the first writes where nobody is named. */
  readonly people: readonly EmulatedPerson[];
  /** What the platform holds in a chat or thread now, oldest first. */
  messages(chatId: string, threadId?: string): readonly EmulatedMessage[];
  threads(chatId: string): readonly EmulatedThread[];
  /** What the client asked, oldest first; tokens are left out. */
  readonly log: readonly EmulatorLogEntry[];
  /** Lets a person write. Resolves when the platform has it; the client may get it later. */
  receive(message: EmulatedInbound): Promise<{ readonly messageId: string }>;
  /** What `fail` can play. */
  readonly failures: readonly PlayableFailure[];
  /** Scripts what happens to the next calls or connections. Throws CannotEmulate for what is not among `failures`. */
  fail(failure: EmulatorFailure): void;
  /** Takes back what was scripted and has not happened yet; calls that hang go on. */
  heal(): void;
  /** Removes a thread, as a person may. */
  removeThread(chatId: string, threadId: string): void;
  /** Lets a person delete a message of their own. Missing where nobody can, or no client is told. */
  retract?(message: EmulatedRetraction): void | Promise<void>;
  /** Lets a person send something that has no words and no file: a sticker, an order. Missing where there is none. */
  sendUnreadable?(at: EmulatedPlace): Promise<{ readonly messageId: string }>;
  /** Lets a person press a choice. Resolves when the platform has it. Missing where nothing can be pressed. */
  press?(press: EmulatedPress): Promise<void>;
  /** Somebody enters a private chat, or leaves it. Missing where nobody ever does. */
  enter?(chatId: string, userId: string): void | Promise<void>;
  leave?(chatId: string, userId: string): void | Promise<void>;
  /** Whether the client is connected (or polling) now. */
  readonly isConnected: boolean;
  close(): Promise<void>;
}

export interface EmulatedChat {
  readonly id: string;
  readonly name: string;
  readonly kind: ChatKind;
  /** Whether threads can be opened there. */
  readonly hasThreads: boolean;
  /** What the platform calls this kind: `forum`, `announcement`, `channel` … */
  readonly label: string;
}

export interface EmulatedPerson {
  readonly id: string;
  readonly name: string;
}

export interface EmulatedThread {
  readonly id: string;
  readonly name: string;
  /** Whether everybody in the chat sees it. */
  readonly isVisible: boolean;
}

export interface EmulatedMessage {
  readonly id: string;
  /** Who wrote it: `bot`, or a person's id. */
  readonly author: string;
  /** As people read it: the platform's markup is resolved. */
  readonly text: string;
  /** As it was sent. */
  readonly raw: unknown;
  readonly isEdited: boolean;
  readonly fileNames: readonly string[];
  /**
   * Of a message of the bot: whom the platform notifies because the message mentions them, such as `everyone` or a
   * person's id. Left out where the emulator cannot tell.
   */
  readonly notifies?: readonly string[];
  /** The labels of what can be pressed below it. Left out where nothing can. */
  readonly choices?: readonly string[];
  /** Addresses that a tap opens. Left out where people see addresses as they are, and nothing stands on another text. */
  readonly links?: readonly string[];
}

export interface EmulatedInbound {
  readonly chatId: string;
  readonly threadId?: string;
  readonly text: string;
  /** Who writes; the platform's own person `1` or the like when it is left out. */
  readonly userId?: string;
  readonly userName?: string;
  readonly isBot?: boolean;
  /** The bot's own message, come back: by its user, or by a webhook of its application. */
  readonly isOwn?: boolean;
  /** Mentions the bot, in the platform's own form. */
  readonly mentions?: boolean;
  /** An edit of a message that was written before. */
  readonly editOf?: string;
  readonly replyTo?: string;
  /** The text was written elsewhere, by somebody of this name, and is passed on. */
  readonly forwarded?: { readonly from: string };
  readonly files?: readonly { readonly name: string; readonly mediaType: string; readonly content: string }[];
}

export interface EmulatedPlace {
  readonly chatId: string;
  readonly threadId?: string;
}

export interface EmulatedRetraction extends EmulatedPlace {
  readonly messageId: string;
  /** Who says so; who writes when `receive` names nobody, unless set. */
  readonly userId?: string;
}

export interface EmulatedPress {
  readonly chatId: string;
  readonly threadId?: string;
  /** The message, by the id that `messages` shows. */
  readonly messageId: string;
  /** What is read on the choice. */
  readonly label: string;
  /** Who presses; who writes when `receive` names nobody, unless set. */
  readonly userId?: string;
}

/**
 * `operation`: `send`, `edit`, `createThread`, `deleteThread`, `typing`, `home` (asking about a chat), `connect`,
 * `deliver` (an event on its way to the client), or a method of the platform by its own name.
 */
export interface EmulatorFailure {
  readonly operation: string;
  /** How many of the next calls; 1 unless set. */
  readonly times?: number;
  readonly kind:
    | { readonly is: "rate-limit"; readonly retryAfterMs: number }
    /** Refused in the platform's own words, by its own code. */
    | { readonly is: "refuse"; readonly code: string }
    /** An error of the server. */
    | { readonly is: "break" }
    /** It is done, and the answer is lost. */
    | { readonly is: "drop-answer" }
    /** No answer, until the client gives up. */
    | { readonly is: "hang" }
    /**
     * Of `connect`: every connection of the client is cut at once, with `times` left out of account, and may come back.
     * Of another operation: the next call of it finds its connection cut, with nothing done.
     */
    | { readonly is: "disconnect" }
    /** The event is delivered once more, as the platform does when no acknowledgement came, or by its other route. */
    | { readonly is: "redeliver" }
    /** The event never comes: nobody took it for so long that the platform gave up. It stands in the history alone. */
    | { readonly is: "lose" }
    /** The event comes after the one that was written behind it. */
    | { readonly is: "out-of-order" };
}

/** A failure that an emulator can play. */
export interface PlayableFailure {
  readonly is: EmulatorFailure["kind"]["is"];
  /** What it can happen to. */
  readonly operations: readonly string[];
  /** Of `refuse`; a script may put words of its own behind it, after a colon and a space. */
  readonly code?: string;
  /** What happens, in a sentence. */
  readonly description: string;
}

export interface EmulatorLogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The platform's own name of the call. */
  readonly method: string;
  readonly body: unknown;
  readonly status: number;
}

/** What a plugin's `./emulator` module exports for `hermes emulate <platform>`. */
export interface EmulatorModule {
  startEmulator(options?: EmulatorOptions): Promise<Emulator>;
}

export interface EmulatorOptions {
  /** A port of the system's choosing when it is left out. */
  readonly port?: number;
  /** The host in its addresses, where clients reach it by another name, such as through a proxy: 127.0.0.1. */
  readonly host?: string;
  /** The time of messages, and all that waits; the machine's own when it is left out. */
  readonly clock?: Clock;
  /** Sees each HTTP request first; one for which it returns true is its own. `hermes emulate` puts its page there. */
  readonly handle?: HandleFirst;
}

export type HandleFirst = (request: IncomingMessage, response: ServerResponse) => boolean;
