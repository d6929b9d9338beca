import type { EmulatedFile } from "@hermes/emulator";

export type Service = "iMessage" | "SMS";

/** Somebody's address on one service: a phone number, or an email address. */
export interface Handle {
  readonly rowId: number;
  readonly address: string;
  readonly service: Service;
  /** In the Mac's contacts; null for somebody who is not there. */
  name: string | null;
}

export interface Chat {
  readonly rowId: number;
  /** `iMessage;-;+49…`, `SMS;-;+49…`, `iMessage;+;chat…`; since macOS 26 `any;-;…`. */
  guid: string;
  readonly service: Service;
  /** 43 is a group, 45 a private chat. */
  readonly style: 43 | 45;
  readonly identifier: string;
  displayName: string;
  participants: Handle[];
}

export interface Attachment {
  readonly rowId: number;
  readonly guid: string;
  readonly file: EmulatedFile;
  readonly isOutgoing: boolean;
  /** Whether Messages has downloaded it. */
  isOnDisk: boolean;
}

/** A row of the table of messages, in the database of the Messages app. */
export interface Row {
  /** 0 until the row is in the database. */
  rowId: number;
  readonly guid: string;
  readonly chat: Chat;
  /** Who wrote it, as the emulator knows: `bot`, the account's owner, or somebody's address. */
  readonly author: string;
  /** The other person, also of an own message; null for own messages in a group. */
  readonly handle: Handle | null;
  readonly isFromMe: boolean;
  text: string | null;
  /** What stood there before its edits. */
  readonly earlierTexts: string[];
  readonly attachments: readonly Attachment[];
  /** How many of them are linked to the message. */
  linkedAttachments: number;
  readonly subject: string | null;
  error: number;
  readonly dateCreated: number;
  dateDelivered: number | null;
  dateRead: number | null;
  dateEdited: number | null;
  readonly itemType: number;
  readonly groupTitle: string | null;
  readonly groupActionType: number;
  readonly otherHandle: number;
  /** With the part that a tapback is on: `p:0/<guid>`. */
  readonly associatedMessageGuid: string | null;
  /** `love` … `-question`, `sticker`; a string. */
  readonly associatedMessageType: string | null;
  readonly threadOriginatorGuid: string | null;
  readonly balloonBundleId: string | null;
  /** An effect, such as `com.apple.MobileSMS.expressivesend.loud`. */
  readonly expressiveSendStyleId: string | null;
  /** 0 once everything of it was taken back. */
  partCount: number;
  /** Where people are mentioned in the text: begin and length, and the address. */
  readonly mentions: readonly { readonly range: readonly [number, number]; readonly address: string }[];
  /** When the server last told of it, and so when it forgets that it did; null before. */
  toldAt: number | null;
}

export type NewRow = Pick<Row, "chat" | "author" | "isFromMe"> & Partial<Omit<Row, "rowId" | "guid">>;

export const REACTIONS = ["love", "like", "dislike", "laugh", "emphasize", "question"] as const;

export function isReaction(reaction: string): boolean {
  return REACTIONS.some((one) => one === reaction.replace(/^-/, ""));
}
