import type { InboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Branded } from "../base/brand.ts";
import type { NewOutboxEntry } from "./outbox.ts";

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

export interface Inbox {
  /**
   * Keeps a message, once for its chat (of one account) and message id; done rows stay as tombstones for 30 days.
   */
  acceptInbound(key: SessionKey, message: InboundMessage): Promise<AcceptResult>;
  /** The oldest row of a lane that is not done: the head. */
  head(key: SessionKey): Promise<InboxRow | null>;
  /** The lanes of one platform account that have rows which are not done. */
  openLanes(platform: string, account: string | undefined): Promise<SessionKey[]>;
  /** In one step: the row → done, `outbox` written. For what needs no turn: a command, a refusal. */
  settle(id: InboxId, outbox: readonly NewOutboxEntry[]): Promise<void>;
}
