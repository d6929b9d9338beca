/**
 * The JSON between the page and its server. The page's build includes this file too, so it imports nothing.
 */

export type MessageKind = "user" | "answer" | "card" | "notice" | "echo" | "earlier" | "question";

/** A button below a message. Its id grants a right, so only signed-in browsers get it. */
export interface WireChoice {
  readonly id: string;
  /** Plain text. */
  readonly label: string;
  readonly style: "plain" | "primary" | "danger";
}

/** The message that another one replies to, as it was at that time. */
export interface WireQuote {
  readonly id: string;
  readonly author: "user" | "agent" | "hermes";
  /** The beginning of it. */
  readonly text: string;
}

export interface WireMessage {
  /** Chosen by the browser for a person's message; by the server for others. */
  readonly id: string;
  readonly threadId: string;
  /** Orders the messages of all threads. */
  readonly seq: number;
  readonly kind: MessageKind;
  readonly author: "user" | "agent" | "hermes";
  /** Of an `echo`: where it was written, such as `in the terminal`. */
  readonly place: string | null;
  /** Markdown. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  readonly editedAt: number | null;
  /** Of a person's message: whether Hermes has stored it. */
  readonly isAccepted: boolean;
  readonly replyTo: WireQuote | null;
  /** Of a `question`; empty when there are none. */
  readonly choices: readonly WireChoice[];
  /** Increases with every change of the file; of two versions of a message, the newer has the higher one. */
  readonly change: number;
}

export interface WireThread {
  /** `home` for the home channel. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly activityAt: number;
  /** How many messages the person has not seen. */
  readonly unread: number;
  /** The beginning of the last message. */
  readonly preview: WirePreview | null;
  readonly change: number;
}

export interface WirePreview {
  readonly seq: number;
  readonly author: WireMessage["author"];
  readonly text: string;
}

/** GET /api/chats */
export interface ChatsAnswer {
  readonly home: WireThread;
  /** The latest activity first. */
  readonly threads: readonly WireThread[];
  /** The `after` for GET /api/events. */
  readonly eventId: string;
}

/** GET /api/threads/:id/messages */
export interface MessagesAnswer {
  readonly thread: WireThread;
  /** Oldest first. */
  readonly messages: readonly WireMessage[];
  /** Whether there are older ones; request them with `before` = the first one's `seq`. */
  readonly hasMore: boolean;
}

/** POST /api/threads/:id/messages: 201 for a new message, 200 for an existing one. */
export interface PostAnswer {
  readonly message: WireMessage;
}

/** The body of every refusal. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly text: string };
}

/** GET /api/events: `event:` is the type, `data:` the rest. All but `typing` and `reset` have an id to resume from. */
export type WireEvent =
  | { readonly type: "message"; readonly message: WireMessage }
  | { readonly type: "thread"; readonly thread: WireThread }
  | { readonly type: "thread-gone"; readonly threadId: string }
  | { readonly type: "typing"; readonly threadId: string; readonly forMs: number }
  /** The page missed too much, or the file was replaced: reload everything, and follow from `eventId`. */
  | { readonly type: "reset"; readonly eventId: string };
