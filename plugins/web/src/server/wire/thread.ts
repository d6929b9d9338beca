/**
 * The JSON between the page and its server, about threads and what is said in them. The page's build includes this file
 * too, so it imports only types.
 */
import type { WireSessionHere } from "./session.ts";

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

/** A file of a message, of Hermes as of a person; or one that a person attaches, as `POST /api/files` answers. */
export interface WireFile {
  /** The SHA-256 of its content, in hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /**
   * The path on the page's own address where a signed-in browser gets the content: with a `picture` for `<img src>` and a
   * link that opens it, else for `<a href download>`, which the server has the browser save under `name`. Null where the
   * page keeps no content: of a text that a person sent, and of what is being attached. It answers 410 once the message
   * or the content is gone, so a picture needs words in its place.
   */
  readonly path: string | null;
  /** The size of a PNG, JPEG, GIF or WebP in pixels, as its header says; null for what is no picture to show. */
  readonly picture: WirePicture | null;
}

/** Known before the picture is there, so that its place can be kept free. */
export interface WirePicture {
  readonly width: number;
  readonly height: number;
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
  /** Of a person's message, what they attached; of Hermes', a file with `text` as its caption, which may be empty. */
  readonly files: readonly WireFile[];
  /** The turn that it says something of, whose calls stand in front of it; null where there is none. */
  readonly turnId: string | null;
  /** Of `earlier`: whether it can be read in parts, with all that was said before. */
  readonly hasParts: boolean;
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
  /** Whether the person may see the overview. */
  readonly mayOversee: boolean;
  /** Whether Hermes shows sessions on the page: which ones, it decides at each request. */
  readonly hasSessions: boolean;
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

/** What is said at another place while it is written there. */
export interface WireGrowing {
  /** Where, such as `in the terminal`. */
  readonly place: string;
  /** What was asked there. */
  readonly asked: string;
  /** Markdown. */
  readonly text: string;
}

/** The calls of tools in a turn. Only the operator gets them. */
export interface WireTurn {
  readonly turnId: string;
  /** Whether it runs, or waits to go on. */
  readonly isOpen: boolean;
  readonly calls: readonly WireCall[];
}

export interface WireCall {
  /** Unique within its turn. */
  readonly id: string;
  readonly name: string;
  /** What it does, on one line of plain text. */
  readonly summary: string;
  readonly state: "waits" | "runs" | "done" | "failed" | "not-run";
  /** Milliseconds since 1970. */
  readonly beganAt: number | null;
  readonly endedAt: number | null;
  readonly outcome: WireOutcome | null;
}

/** What a call put out, or as a unified diff what it changed. */
export interface WireOutcome {
  readonly kind: "text" | "diff";
  readonly lines: readonly string[];
  /** How many more lines there are: behind those of a diff, in front of those of a text. */
  readonly folded: number;
}

/** GET /api/threads/:id/calls?turns=<ids, with commas between> */
export interface CallsAnswer {
  readonly turns: readonly WireTurn[];
}

/** GET /api/threads/:id/outcome?turn=…&call=… */
export interface OutcomeAnswer {
  readonly outcome: WireOutcome;
}

export interface WireEarlier {
  readonly seq: number;
  readonly author: WireMessage["author"];
  readonly place: string | null;
  /** Empty where there are only calls. */
  readonly markdown: string;
  readonly saidAt: number;
  readonly turnId: string | null;
  readonly calls: readonly WireCall[];
}

/** GET /api/threads/:id/earlier?message=…&before=… */
export interface EarlierAnswer {
  /** Oldest first. */
  readonly messages: readonly WireEarlier[];
  /** The `before` for what was said in front of it; null at the beginning. */
  readonly before: number | null;
}

/** GET /api/events: `event:` is the type, `data:` the rest. `message`, `thread` and `thread-gone` have an id to resume
 * from. */
export type WireEvent =
  | { readonly type: "message"; readonly message: WireMessage }
  | { readonly type: "thread"; readonly thread: WireThread }
  | { readonly type: "thread-gone"; readonly threadId: string }
  | { readonly type: "typing"; readonly threadId: string; readonly forMs: number }
  /** Something that the overview shows may have changed; sent only while the person may see it. */
  | { readonly type: "overview" }
  /** What is being said elsewhere in the session of a thread; null: nothing is any more. Nothing of it is kept. */
  | { readonly type: "growing"; readonly threadId: string; readonly said: WireGrowing | null }
  /**
   * The calls of the turn that runs in the session of a thread that the page shows, wherever it runs, up to its end; null:
   * none are to be seen any more. Nothing of it is kept.
   */
  | { readonly type: "calls"; readonly threadId: string; readonly turn: WireTurn | null }
  /** Who else can read the session of a thread that the page shows, a sentence for each place; nobody where it is empty. */
  | { readonly type: "readers"; readonly threadId: string; readonly readers: readonly string[] }
  /** The list of sessions that the person may see has changed. */
  | { readonly type: "sessions" }
  /** How the session stands of a thread that the page shows; null where the person may not see it. */
  | { readonly type: "session"; readonly threadId: string; readonly session: WireSessionHere | null }
  /** The page missed too much, or the file was replaced: reload everything, and follow from `eventId`. */
  | { readonly type: "reset"; readonly eventId: string };
