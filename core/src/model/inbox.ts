import type { InboundMessage, Sender } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { SessionId } from "./session.ts";

export type InboxId = Branded<"InboxId">;

/** A message from a platform that was accepted and is worked on in order. */
export interface InboxRow {
  readonly id: InboxId;
  /** The lane. */
  readonly key: SessionKey;
  readonly message: InboundMessage;
  readonly state: "queued" | "running" | "done";
  readonly receivedAt: number;
}

export type AcceptResult =
  | { readonly outcome: "accepted"; readonly row: InboxRow }
  /** Seen before, by whatever route. */
  | { readonly outcome: "duplicate" }
  /** An edit of a message that still waits: its text was replaced. */
  | { readonly outcome: "replaced" }
  /** An edit of a message whose turn has begun, or of another person's. */
  | { readonly outcome: "ignored" };

/** What is kept of a message, whoever wrote it. */
export type SaidMessage =
  /** `sender`: known until the message was answered. `text`: as it stands in the transcript, if it is there. */
  | { readonly by: "person"; readonly sender: Sender | null; readonly text: string }
  /** `isLatest`: the bot has said nothing there since. `sessionId`: whose words they are; null for a notice of none. */
  | {
      readonly by: "bot";
      readonly text: string;
      readonly sessionId: SessionId | null;
      readonly isLatest: boolean;
    };
