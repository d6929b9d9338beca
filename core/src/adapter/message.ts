import type { Conversation } from "./conversation.ts";
import type { KnownPerson } from "./identity.ts";
import type { SharedItem, UnreadableKind } from "./shared-items.ts";

/** A message that a person wrote on a platform, decoded by its adapter. */
export interface InboundMessage {
  readonly conversation: Conversation;
  /** The platform's own id of the message: the same for retries, reconnects, edits and double events. */
  readonly messageId: string;
  readonly sender: Sender;
  /**
   * The sender's own words as plain text or Markdown, without the platform's markup. Only this can be a command: words of
   * others that the message quotes or forwards are in `quotes`.
   */
  readonly text: string;
  /** Milliseconds since 1970, by the platform's clock. */
  readonly sentAt: number;
  /**
   * True for an edit: a later version of the message with this id. Of `attachments`, `quotes` and `items`, what it leaves
   * out stays as it was, and an empty list says that none are left. An edit that leaves nothing at all is handed over with
   * an empty `text`: the message is not answered then.
   */
  readonly isEdit?: boolean;
  readonly attachments?: readonly Attachment[];
  /** Others' words that the message quotes or forwards, in order. The model gets them as data. */
  readonly quotes?: readonly Quote[];
  /** The message that this one replies to or quotes. The model gets it as data, at most 500 characters of it. */
  readonly refersTo?: Reference;
  /** Polls, contacts and places that the message shares. The model gets each as data on one line. */
  readonly items?: readonly SharedItem[];
  /**
   * The message holds something of this kind that cannot be handed over. If it holds nothing else, its sender is told so
   * instead of getting no answer: in a group only if the message is addressed.
   */
  readonly unreadable?: UnreadableKind;
  /** In a group: the bot is mentioned, replied to, or given a command. */
  readonly isAddressed?: boolean;
  /**
   * The thread that this message would begin, on platforms where any message can. Outside the home channel the message
   * belongs to that thread and is answered there; in the home channel it belongs to the chat.
   */
  readonly beginsThread?: string;
  /**
   * True if the thread hangs on a message of the chat: it continues the chat's session until a session is bound to the
   * thread itself.
   */
  readonly isBranch?: boolean;
  /** The chat's name, if the platform gives it; shown to people and quoted to the model. */
  readonly chatName?: string;
}

/** Who wrote a message or pressed a choice, as the platform tells it. Nobody is known by a name. */
export interface Sender {
  /** The platform's id of the person. */
  readonly id: string;
  /** Other ids of the same person: a number beside a UUID, say. Each is looked up in the list of allowed users. */
  readonly aliases?: readonly string[];
  /** The person, on platforms that use several ids for one: as returned by {@link Identities}. */
  readonly person?: KnownPerson;
  readonly name?: string;
  readonly isBot?: boolean;
}

/**
 * Somebody else's words within a message. A bare forward has an empty `text` and a quote:
 * `{ kind: "forward", writer: "Grace", origin: "#news", text: "/new" }`.
 */
export interface Quote {
  readonly kind: "forward";
  /** Plain text or Markdown, as in {@link InboundMessage.text}; empty where only a file was passed on. */
  readonly text: string;
  /** The writer's name, if the platform gives it. */
  readonly writer?: string | undefined;
  /** The writer's id, if the platform gives it: Hermes marks the words of somebody who is not allowed as a stranger's. */
  readonly writerId?: string | undefined;
  /** The name of the chat it comes from, if the platform gives it. */
  readonly origin?: string | undefined;
  /** Set by Hermes when it takes the message in. */
  readonly isStranger?: boolean;
}

/**
 * The message that another one refers to, one level deep: of what it refers to itself nothing is told. An adapter hands
 * over what the platform's event holds, and leaves the rest out: Hermes looks up by `messageId` what it has kept itself.
 */
export interface Reference {
  /** Its id, as in {@link InboundMessage.messageId} or a receipt, if it stands in the same chat. */
  readonly messageId?: string | undefined;
  /** Its words, as in {@link InboundMessage.text}. */
  readonly text?: string | undefined;
  /** Who wrote it. Hermes marks the words of somebody who is not allowed as a stranger's. */
  readonly writer?: Pick<Sender, "name"> & Partial<Sender>;
  /** True if the bot wrote it. Then `writer` is not needed. */
  readonly isOwn?: boolean;
  /** The name of the chat it comes from, if that is another one. */
  readonly origin?: string | undefined;
  /** True if the sender chose a part of it, and `text` is that part. */
  readonly isPart?: boolean;
  /**
   * True where the platform does not vouch for `text` and `writer`: the sender's app sends them along. What Hermes has kept
   * is preferred, and the model is told otherwise.
   */
  readonly isClaimed?: boolean;
  /** Set by Hermes when it takes the message in. */
  readonly isStranger?: boolean;
}

/** A file of a message, handed over unread. */
export interface Attachment {
  readonly name: string;
  readonly mediaType: string;
  /** Bytes; 0 where the platform does not say. */
  readonly size: number;
  /**
   * Downloads the content. Hermes calls it when it knows that the sender may talk and that the message is meant for it,
   * for text files, pictures and PDFs: nothing of a stranger is downloaded.
   */
  readonly download?: Download;
  /**
   * Bytes of the largest file that the platform lets a bot download, where that is less than Hermes takes, which is 25 MB. A
   * larger one is not asked for: its sender and the model are told the limit.
   */
  readonly largest?: number;
  /** The text of a text file. Set by Hermes when it takes the message in. */
  readonly text?: string;
  /** The SHA-256 of a file that Hermes keeps, in hexadecimal digits. Set by Hermes when it takes the message in. */
  readonly hash?: string;
  /** The file could not be had, and its sender is told so. Set by Hermes when it takes the message in. */
  readonly isLost?: boolean;
  /** The file is larger than so many bytes and was not read, as its sender is told. Set by Hermes, too. */
  readonly limit?: number;
}

/**
 * Downloads a file. Returns null for one of more than `most` bytes, of which no more need be read. A refusal is returned as
 * the `Response` that it is, or thrown as a PlatformError. After a rate limit, an answer of 500 or above or a lost connection
 * Hermes calls it again, three times at most and no later than it would give up a slow download; any other refusal is final.
 * The file is only named then, its sender is told to send it again, and the error is logged, so it must not hold a token.
 *
 * @example
 * ```ts
 * const { name, mediaType, size, url } = file;
 * return { name, mediaType, size, download: ({ signal }) => fetch(url, { redirect: "manual", signal }) };
 * ```
 */
export type Download = (request: {
  readonly signal: AbortSignal;
  readonly most: number;
}) => Promise<Response | Uint8Array | null>;

/** A message for the adapter to render and send. */
export interface OutboundMessage {
  /**
   * `answer`: of the agent. `card`: where a session that was handed off stands. `notice`: a line of Hermes itself.
   * `echo`: what was said in the same session at another place; only adapters that claim `mirrors` get it. `question`:
   * asks for one of its `choices`.
   */
  readonly kind: "answer" | "card" | "notice" | "echo" | "earlier" | "question";
  readonly markdown: string;
  /**
   * The choices of a `question`. Only adapters that render `choices` get them, and only if all of them fit, so the text
   * names an alternative. Editing the message to one without choices removes them.
   */
  readonly choices?: readonly Choice[];
  /** Files that go along; only adapters that claim `files` get them, and none that is larger than they claim. */
  readonly files?: readonly OutboundFile[];
  /** It holds a code: Hermes forgets the text once the platform has it. */
  readonly isSecret?: boolean;
  /** It tells of sessions without being said in one: Hermes holds it back while others read the private chat. */
  readonly tellsOf?: ToldSessions;
  /** Of an `echo`: who said it. */
  readonly author?: "user" | "agent";
  /** Of an `echo`: where, as a person calls it. */
  readonly place?: string;
  /** Of `earlier`: the number in the transcript before which it was said, for `SessionHistory.earlier`. */
  readonly until?: number;
}

/** The sessions that a message names or shows. An adapter has nothing to do with it. */
export interface ToldSessions {
  /** Whose they are, by the id of a user, where only they may read it; `all` where only an operator may. */
  readonly user?: string;
  /** One of them, which whoever reads it has to be allowed to see. */
  readonly session?: string | undefined;
  /** What the session was called in which it was said, where that was deleted before it went out. */
  readonly deleted?: string;
}

/** What a person can choose below a message: a button, or what stands for one on the platform. */
export interface Choice {
  /** Reported when it is pressed; at most 64 bytes of ASCII. */
  readonly id: string;
  /** The visible label, as plain text. */
  readonly label: string;
  readonly style: "plain" | "primary" | "danger";
}

/** A platform's limits for choices. */
export interface ChoiceLimits {
  /** The most choices of one message. */
  readonly most: number;
  /** The longest label, in UTF-16 units. */
  readonly labelLength: number;
}

/** The press of a choice, decoded by the adapter. */
export interface Press {
  readonly conversation: Conversation;
  /** The message that carries the choice, by the id that `send` returned for it. */
  readonly messageId: string;
  readonly choiceId: string;
  /** Who pressed it, as the platform reports: in a group, anybody who sees the message. */
  readonly sender: Sender;
}

/** A file that goes out: its content is its text, or is kept in Hermes' home under its hash. */
export interface OutboundFile {
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** What stands below it, as plain text on one line. */
  readonly caption?: string;
  readonly text?: string;
  /** The SHA-256 of a kept file, in hexadecimal digits. */
  readonly hash?: string;
  /** Where it lies besides, for people who do not get it. Missing where others read it. */
  readonly origin?: { readonly path: string; readonly machine: string };
}

/** The part of an outbound message that one call of the platform sends, in the platform's form. Stored as JSON. */
export interface Piece {
  readonly text: string;
  /** The adapter's own additions, such as entities, blocks or a parse mode. Plain JSON. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** The file that this piece sends, without its content; `text` is then its caption and may be empty. */
  readonly file?: OutboundFile;
}

/** The platform's receipt for a send. */
export interface SendReceipt {
  readonly messageId: string;
  /** A link that opens the message. Holds no secret. */
  readonly link?: string | undefined;
  /**
   * Milliseconds since 1970, by the platform's clock if it tells: a message answers a question only if it is newer than
   * this.
   */
  readonly sentAt: number;
}

/** A thread that was opened for a session. */
export interface HandoffThread {
  readonly conversation: Conversation;
  /** A link that opens the thread. Holds no secret. */
  readonly link?: string | undefined;
}

/** What a turn says that somebody asked for at another place, while it is written. */
export interface SaidElsewhere {
  /** Where, such as `in the terminal`. */
  readonly place: string;
  /** The message that it answers; empty where nobody wrote one. */
  readonly asked: string;
  /** Markdown, as far as it is written; empty at first. */
  readonly text: string;
}
