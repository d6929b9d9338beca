import type { InboundMessage, Sender } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { SessionId } from "./session.ts";

export type InboxId = Branded<"InboxId">;

/** An accepted message from a platform; the messages of a lane are processed in order. */
export interface InboxRow {
  readonly id: InboxId;
  /** The lane. */
  readonly key: SessionKey;
  readonly message: InboundMessage;
  readonly state: "queued" | "running" | "done";
  readonly receivedAt: number;
  /** Of the message as it is kept: another one once it was edited, or its place moved. */
  readonly digest: string;
}

export type AcceptResult =
  | { readonly outcome: "accepted"; readonly row: InboxRow }
  /** The message was accepted before, on any route. */
  | { readonly outcome: "duplicate" }
  /** The message edits one that still waits, whose text was replaced. `row`: as it reads now. */
  | { readonly outcome: "replaced"; readonly row: InboxRow }
  /** The message edits one whose turn has begun, or another person's. */
  | { readonly outcome: "ignored" }
  /** The message was written before a backup was restored, which cannot tell whether it was answered. */
  | { readonly outcome: "before-restore" };

/** What the store knows about an earlier message. */
export type SaidMessage =
  /** `sender`: null once the message was answered. `text`: as in the transcript, if the message is there. */
  | { readonly by: "person"; readonly sender: Sender | null; readonly text: string }
  /** `isLatest`: the bot has said nothing there since. `sessionId`: null for a notice that belongs to no session. */
  | {
      readonly by: "bot";
      readonly text: string;
      readonly sessionId: SessionId | null;
      readonly isLatest: boolean;
    };
