/**
 * What the page and its server say to each other, as JSON. The page's build reads this file too, so it imports nothing.
 */

export type MessageKind = "user" | "answer" | "card" | "notice" | "echo" | "earlier" | "question";

/** A button below a message. Its id is a right: it goes to signed-in browsers only. */
export interface WireChoice {
  readonly id: string;
  /** Plain text. */
  readonly label: string;
  readonly style: "plain" | "primary" | "danger";
}

/** The message that another one replies to, as it was then. */
export interface WireQuote {
  readonly id: string;
  readonly author: "user" | "agent" | "hermes";
  /** The beginning of it. */
  readonly text: string;
}

export interface WireMessage {
  /** Chosen by the browser for what a person writes; by the server otherwise. */
  readonly id: string;
  readonly threadId: string;
  /** Orders the messages of all threads. */
  readonly seq: number;
  readonly kind: MessageKind;
  readonly author: "user" | "agent" | "hermes";
  /** Of an `echo`: where it was said, such as `in the terminal`. */
  readonly place: string | null;
  /** Markdown. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  readonly editedAt: number | null;
  /** Of a person's message: whether Hermes has it. */
  readonly isAccepted: boolean;
  readonly replyTo: WireQuote | null;
  /** Of a `question`; empty when there are none. */
  readonly choices: readonly WireChoice[];
  /** Grows with every change of the file; of two versions of a message, the higher one is the newer. */
  readonly change: number;
}

export interface WireThread {
  /** `home` for the home channel. */
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly activityAt: number;
  /** Messages that the person has not seen. */
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
  /** Where GET /api/events?after= goes on. */
  readonly eventId: string;
}

/** GET /api/threads/:id/messages */
export interface MessagesAnswer {
  readonly thread: WireThread;
  /** Oldest first. */
  readonly messages: readonly WireMessage[];
  /** Whether there are older ones: ask again with `before` = the first one's `seq`. */
  readonly hasMore: boolean;
}

/** POST /api/threads/:id/messages: 201 for a new message, 200 for one that was there. */
export interface PostAnswer {
  readonly message: WireMessage;
}

/** Every refusal. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly text: string };
}

/** GET /api/events: `event:` is the type, `data:` the rest. All but `typing` and `reset` have an id to resume from. */
export type WireEvent =
  | { readonly type: "message"; readonly message: WireMessage }
  | { readonly type: "thread"; readonly thread: WireThread }
  | { readonly type: "thread-gone"; readonly threadId: string }
  | { readonly type: "typing"; readonly threadId: string; readonly forMs: number }
  /** Too much was missed (or the file is another one): load everything anew, and follow from `eventId`. */
  | { readonly type: "reset"; readonly eventId: string };
