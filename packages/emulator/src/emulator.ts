import type { IncomingMessage, ServerResponse } from "node:http";
import type { ChatKind, Clock } from "@hermes/core";

/**
 * Emulates a platform on this machine, for tests and for trying an adapter without an account. It uses real HTTP and
 * WebSockets, so that the platform's own client library can connect, and is as strict as the real platform. If the
 * platform lacks a feature (an edit, a thread, a rate limit), `receive`, `fail` and `removeThread` throw CannotEmulate
 * with the reason.
 */
export interface Emulator extends AsyncDisposable {
  readonly platform: string;
  /** `http://127.0.0.1:<port>`, for the server's address in the plugin's config. */
  readonly url: string;
  /** The plugin's config for this emulator: the address under the plugin's own key, and accepted tokens. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The chats that exist from the start: at least a private one, a group, and one for each kind of home channel. */
  readonly chats: readonly EmulatedChat[];
  /** The people that exist from the start, as `allowedUsers` names them; the first is the default author. */
  readonly people: readonly EmulatedPerson[];
  /** The current messages of a chat or thread, oldest first. */
  messages(chatId: string, threadId?: string): readonly EmulatedMessage[];
  /** The threads that are there now. */
  threads(chatId: string): readonly EmulatedThread[];
  /** The client's requests, oldest first, without tokens. */
  readonly log: readonly EmulatorLogEntry[];
  /** Writes a message as a person. Resolves when the platform has it; the client may get it later. */
  receive(message: EmulatedInbound): Promise<{ readonly messageId: string }>;
  /** The failures that `fail` can play. */
  readonly failures: readonly PlayableFailure[];
  /** Scripts a failure of the next calls or connections. Throws CannotEmulate for one that is not in `failures`. */
  fail(failure: EmulatorFailure): void;
  /** Cancels scripted failures that have not happened yet; hanging calls continue. */
  heal(): void;
  /** Removes a thread, as a person may. */
  removeThread(chatId: string, threadId: string): void;
  /** Deletes a message as its author. Missing if people cannot do that, or clients are not notified. */
  retract?(message: EmulatedRetraction): void | Promise<void>;
  /** Sends something without text or file as a person: a sticker, an order. Missing if the platform has none. */
  sendUnreadable?(at: EmulatedPlace): Promise<{ readonly messageId: string }>;
  /** Presses a choice as a person. Resolves when the platform has it. Missing if the platform has no choices. */
  press?(press: EmulatedPress): Promise<void>;
  /** Makes somebody enter or leave a private chat. Missing if that is not possible on the platform. */
  enter?(chatId: string, userId: string): void | Promise<void>;
  leave?(chatId: string, userId: string): void | Promise<void>;
  /** Whether the client is connected (or polling) now. */
  readonly isConnected: boolean;
  /** Ends the server, and cuts all connections. */
  close(): Promise<void>;
}

/** A chat that is there from the start. */
export interface EmulatedChat {
  readonly id: string;
  readonly name: string;
  readonly kind: ChatKind;
  /** Whether threads can be opened there. */
  readonly hasThreads: boolean;
  /** The platform's own name for this kind of chat: `forum`, `announcement`, `channel` … */
  readonly label: string;
}

/** A person who is there from the start. */
export interface EmulatedPerson {
  readonly id: string;
  readonly name: string;
}

/** A thread that is there now. */
export interface EmulatedThread {
  readonly id: string;
  readonly name: string;
  /** Whether everybody in the chat sees it. */
  readonly isVisible: boolean;
}

/** A message as people see it in a chat. */
export interface EmulatedMessage {
  readonly id: string;
  /** The author: `bot`, or a person's id. */
  readonly author: string;
  /** The text as people read it, with the platform's markup resolved. */
  readonly text: string;
  /** The message as it was sent. */
  readonly raw: unknown;
  readonly isEdited: boolean;
  readonly fileNames: readonly string[];
  /** The files that the bot sent with it, as people get them. Missing if there are none. */
  readonly files?: readonly EmulatedFile[];
  /**
   * Whom the platform notifies because a message of the bot mentions them, such as `everyone` or a person's id. Missing
   * if the emulator cannot tell.
   */
  readonly notifies?: readonly string[];
  /** The labels of the choices below it. Missing if there are none. */
  readonly choices?: readonly string[];
  /** The addresses that a tap opens. Missing if the platform shows plain addresses, without links behind other text. */
  readonly links?: readonly string[];
}

/** A file as people get it from the platform. */
export interface EmulatedFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** Whether apps show it as a picture. */
  readonly isPicture?: boolean;
}

/** A message that a person writes. */
export interface EmulatedInbound {
  readonly chatId: string;
  readonly threadId?: string;
  readonly text: string;
  /** The author; defaults to the first of `people`. */
  readonly userId?: string;
  readonly userName?: string;
  readonly isBot?: boolean;
  /** Whether it is an echo of the bot's own message: by its user, or by a webhook of its application. */
  readonly isOwn?: boolean;
  /** Whether it mentions the bot, in the platform's own form. */
  readonly mentions?: boolean;
  /** The id of the earlier message that it edits. */
  readonly editOf?: string;
  readonly replyTo?: string;
  /** Marks the text as forwarded: somebody with this name wrote it elsewhere. */
  readonly forwarded?: { readonly from: string };
  /** The files that it brings; of an edit those that are left, where it changes them. A text is sent in UTF-8. */
  readonly files?: readonly {
    readonly name: string;
    readonly mediaType: string;
    readonly content: string | Uint8Array;
  }[];
}

/** A chat, or a thread in it. */
export interface EmulatedPlace {
  readonly chatId: string;
  readonly threadId?: string;
}

/** A message that its author deletes. */
export interface EmulatedRetraction extends EmulatedPlace {
  readonly messageId: string;
  /** Who deletes it; defaults to the default author of `receive`. */
  readonly userId?: string;
}

/** A press of a choice below a message of the bot. */
export interface EmulatedPress {
  readonly chatId: string;
  readonly threadId?: string;
  /** The id of the message, as in `messages`. */
  readonly messageId: string;
  /** The label of the choice. */
  readonly label: string;
  /** Who presses it; defaults to the default author of `receive`. */
  readonly userId?: string;
}

/**
 * A failure to script. `operation` is `send`, `edit`, `createThread`, `deleteThread`, `typing`, `home` (a request about a
 * chat), `connect`, `deliver` (an event on its way to the client), or the platform's own name of a method.
 */
export interface EmulatorFailure {
  readonly operation: string;
  /** The number of the next calls that fail; 1 by default. */
  readonly times?: number;
  readonly kind:
    | { readonly is: "rate-limit"; readonly retryAfterMs: number }
    /** The platform refuses the call, with its own code and wording. */
    | { readonly is: "refuse"; readonly code: string }
    /** The server says that it cannot for now (503, or what the platform has for that); the call has no effect. */
    | { readonly is: "break" }
    /** The call takes effect, and the server answers with an internal error, in the platform's own words. */
    | { readonly is: "break-after" }
    /** The call takes effect, and what stands before the server answers 502 for it, with a page of its own. */
    | { readonly is: "bad-gateway" }
    /** The call takes effect, but its answer is lost. */
    | { readonly is: "drop-answer" }
    /** There is no answer until the client gives up. */
    | { readonly is: "hang" }
    /**
     * For `connect`: every connection of the client is cut at once, regardless of `times`, and the client may reconnect.
     * For another operation: the connection of its next call is cut, and the call has no effect.
     */
    | { readonly is: "disconnect" }
    /** The event is delivered twice, as after a missing acknowledgement, or by the platform's other route. */
    | { readonly is: "redeliver" }
    /** The event is never delivered, as when the platform gave up retrying. It is only in the history. */
    | { readonly is: "lose" }
    /** The event is delivered after the next one. */
    | { readonly is: "out-of-order" };
}

/** A failure that an emulator can play. */
export interface PlayableFailure {
  readonly is: EmulatorFailure["kind"]["is"];
  /** The operations that can fail like this. */
  readonly operations: readonly string[];
  /** The code of a `refuse`; a script may add its own text after a colon and a space. */
  readonly code?: string;
  /** A sentence that says what happens. */
  readonly description: string;
}

/** A request of the client. */
export interface EmulatorLogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The platform's own name of the method. */
  readonly method: string;
  readonly body: unknown;
  readonly status: number;
}

/** The exports of a plugin's `./emulator` module, for `hermes emulate <platform>`. */
export interface EmulatorModule {
  startEmulator(options?: EmulatorOptions): Promise<Emulator>;
}

/** How an emulator is started. */
export interface EmulatorOptions {
  /** The port; by default, the system chooses one. */
  readonly port?: number;
  /** The host in its addresses, for clients that need another name, as through a proxy; 127.0.0.1 by default. */
  readonly host?: string;
  /** The clock for message times and timers; the system clock by default. */
  readonly clock?: Clock;
  /** Sees each HTTP request first, and returns true if it answers it. `hermes emulate` serves its console with this. */
  readonly handle?: HandleFirst;
}

/** Sees a request before the emulator does. Returns true if it has answered. */
export type HandleFirst = (request: IncomingMessage, response: ServerResponse) => boolean;
