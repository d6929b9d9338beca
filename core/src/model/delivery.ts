import type { Conversation } from "../adapter/conversation.ts";
import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { NewOutboxEntry, OutboxId } from "./outbox.ts";
import type { SessionId } from "./session.ts";

/** A message that has not arrived, with all of its pieces that have not. */
export interface UndeliveredMessage {
  /** Of the first such piece; names the message. */
  readonly id: OutboxId;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly message: OutboundMessage;
  /** Null for what is no session's: the reply to a command, say. */
  readonly sessionId: SessionId | null;
  readonly state: UndeliveredState;
  /** How many pieces are left, of all that it goes out in. */
  readonly pieces: { readonly left: number; readonly all: number };
  readonly attempts: number;
  /** Why; null for one that was not tried yet. */
  readonly error: StoredError | null;
  /** It was said again below a notice, and this is what became of it then. */
  readonly wasOffered: boolean;
  readonly createdAt: number;
}

/** `failed`: a piece was refused for good. `uncertain`: one may have arrived. `waiting`: it is still sent by itself. */
export type UndeliveredState = "failed" | "uncertain" | "waiting";

/** Stands above what is said again; `uncertain` where a part of it may be there already. */
interface OfferNotices {
  readonly failed: OutboundMessage;
  readonly uncertain: OutboundMessage;
}

/** Messages of the outbox that did not arrive: kept for 30 days, with their reason. */
export interface DeliveryStore {
  /** The newest first. Those that wait only when they are asked for. */
  list(query: { readonly waiting?: boolean; readonly limit: number }): Promise<UndeliveredMessage[]>;
  /** By the id of any of its pieces that is not delivered. */
  get(id: OutboxId): Promise<UndeliveredMessage | null>;
  /**
   * In one step: what a lane was not told, `limit` messages at most and the oldest first, waits at its end again, behind
   * a notice. What was offered before is not, nor what a handoff that runs answers for. When the notice does not get
   * through, all is as before; when it does, each of them has been offered. Returns what is offered.
   */
  offer(
    at: Pick<NewOutboxEntry, "key" | "conversation">,
    notices: OfferNotices,
    limit: number,
  ): Promise<UndeliveredMessage[]>;
  /** Puts a message that failed or is uncertain at the end of its lane. False when there is no such message. */
  retry(id: OutboxId): Promise<boolean>;
  /** Gives a message up: nothing more of it is sent. False when there is no such message. */
  drop(id: OutboxId): Promise<boolean>;
  /** Messages that failed, and of which nobody who looks at their sessions was told yet; the oldest first. */
  untold(limit: number): Promise<UndeliveredMessage[]>;
  /** In one step: the message counts as told, `outbox` is written. Nothing is when it was told before. */
  tell(id: OutboxId, outbox: readonly NewOutboxEntry[]): Promise<void>;
}
