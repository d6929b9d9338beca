import type { Conversation } from "./conversation.ts";
import type { KnownPerson } from "./identity.ts";

/** A message that a person wrote on a platform, decoded by its adapter. */
export interface InboundMessage {
  readonly conversation: Conversation;
  /** The platform's own id of the message: the same for retries, reconnects, edits and double events. */
  readonly messageId: string;
  readonly sender: Sender;
  /**
   * What the sender wrote: plain text or Markdown; the platform's own markup is undone. The words of others that the
   * message brings along are not in it, but in `quotes`: only this can be a command.
   */
  readonly text: string;
  /** Milliseconds since 1970, by the platform's clock. */
  readonly sentAt: number;
  /** A later version of a message with the same id. */
  readonly isEdit?: boolean;
  readonly attachments?: readonly Attachment[];
  /** Words of others that the message brings along, in order. The model gets them as data. */
  readonly quotes?: readonly Quote[];
  /** In a group: the bot is mentioned, replied to, or given a command. */
  readonly isAddressed?: boolean;
  /**
   * Where any message of a chat can begin a thread: the thread that this one would begin. Outside the home channel the
   * message belongs to that thread and is answered there; in the home channel, to the chat.
   */
  readonly beginsThread?: string;
  /**
   * Its thread hangs on a message of the chat: until something is bound to the thread itself, the chat's session goes on
   * there.
   */
  readonly isBranch?: boolean;
  /** The chat's name, where the platform tells it; shown to people, quoted to the model. */
  readonly chatName?: string;
}

export interface Sender {
  /** The id by which the platform knows the person. */
  readonly id: string;
  /** Other ids of the same person: a number beside a UUID, say. Each is looked up in the list of allowed users. */
  readonly aliases?: readonly string[];
  /** Who that is, where the platform calls one person by several ids: what {@link Identities} returned. */
  readonly person?: KnownPerson;
  readonly name?: string;
  readonly isBot?: boolean;
}

/**
 * Somebody else's words within a message. A message that only passes another one on has an empty `text` and a quote:
 * `{ kind: "forward", writer: "Grace", origin: "#news", text: "/new" }`.
 */
export interface Quote {
  readonly kind: "forward";
  /** Plain text or Markdown, as in {@link InboundMessage.text}; empty where only a file was passed on. */
  readonly text: string;
  /** Who wrote it, by name, where the platform tells. */
  readonly writer?: string;
  /** The chat it comes from, by name, where the platform tells. */
  readonly origin?: string;
}

export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** The text of a text file; others are only named to the model. */
  readonly text?: string;
}

/** What Hermes wants said somewhere, before the adapter gives it the platform's form. */
export interface OutboundMessage {
  /**
   * `answer`: of the agent. `card`: where a session that was handed off stands. `notice`: a line of Hermes itself.
   * `echo`: what was said in the same session at another place; only adapters that claim `mirrors` get it. `question`:
   * asks for one of its `choices`.
   */
  readonly kind: "answer" | "card" | "notice" | "echo" | "question";
  readonly markdown: string;
  /**
   * Of a `question`: what people can choose. Only adapters that render `choices` get them, and only where all of them
   * fit; so the text says what else can be done. An edit to a message without them takes them away.
   */
  readonly choices?: readonly Choice[];
  /** Text files that go along; only adapters that claim `files` get them. */
  readonly files?: readonly TextFile[];
  /** Of an `echo`: who said it. */
  readonly author?: "user" | "agent";
  /** Of an `echo`: where, as a person calls it. */
  readonly place?: string;
}

/** What a person can choose below a message: a button, or what stands for one on the platform. */
export interface Choice {
  /** Comes back when it is pressed; at most 64 bytes of ASCII. */
  readonly id: string;
  /** What people read on it. Plain text. */
  readonly label: string;
  readonly style: "plain" | "primary" | "danger";
}

/** How much a platform takes of choices. */
export interface ChoiceLimits {
  /** How many one message carries. */
  readonly most: number;
  /** The longest label, in UTF-16 units. */
  readonly labelLength: number;
}

/** A choice that somebody pressed, decoded by the adapter. */
export interface Press {
  readonly conversation: Conversation;
  /** The message that carries the choice, by the id that `send` returned for it. */
  readonly messageId: string;
  readonly choiceId: string;
  /** Who pressed it, by the platform's own word: in a group that is whoever sees the message. */
  readonly sender: Sender;
}

export interface TextFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

/** A part of an outbound message in the platform's own form: what one call of the platform takes. Kept as JSON. */
export interface Piece {
  readonly text: string;
  /** What the adapter needs beside the text: entities, blocks, a parse mode. Plain JSON. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** A file that this piece is; its `text` is then a caption, and may be empty. */
  readonly file?: TextFile;
}

/** What the platform returned for a send. */
export interface SendReceipt {
  readonly messageId: string;
  /** A link that opens the message. Holds no secret. */
  readonly link?: string | undefined;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
}

/** A thread that was opened for a session. */
export interface HandoffThread {
  readonly conversation: Conversation;
  /** A link that opens the thread. Holds no secret. */
  readonly link?: string | undefined;
  /** The message the thread hangs on, where the platform needs one. */
  readonly messageId?: string | undefined;
}
