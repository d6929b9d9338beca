import type { Conversation } from "../adapter/conversation.ts";
import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { OutboxId } from "./outbox.ts";
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
