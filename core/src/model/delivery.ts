import type { Conversation } from "../adapter/conversation.ts";
import type { OutboundMessage } from "../adapter/message.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { StoredError } from "../base/errors.ts";
import type { OutboxId } from "./outbox.ts";
import type { SessionId } from "./session.ts";

/** A message of which at least one piece has not arrived. */
export interface UndeliveredMessage {
  /** The id of the first such piece, which identifies the message. */
  readonly id: OutboxId;
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly message: OutboundMessage;
  /** Null for a message outside any session, such as the reply to a command. */
  readonly sessionId: SessionId | null;
  readonly state: UndeliveredState;
  /** How many of the message's pieces are undelivered. */
  readonly pieces: { readonly left: number; readonly all: number };
  readonly attempts: number;
  /** When it was to be sent last, in milliseconds since 1970: another time each time it is sent again. */
  readonly dueAt: number;
  /** When the people at its place were told of it; null before that, and again once it is sent by hand. */
  readonly toldAt?: number | null;
  /** Why it has not arrived; null before the first attempt. */
  readonly error: StoredError | null;
  /** Whether it was repeated below a notice; `state` is then the result of that. */
  readonly wasOffered: boolean;
  /** Whether it is never repeated by itself: others read its place by now, or it was in a backup. */
  readonly isHeldBack: boolean;
  /** Whether it is held back since a call for it began, which may be under way still. */
  readonly isUnderWay: boolean;
  readonly createdAt: number;
}

/** `failed`: a piece was refused for good. `uncertain`: a piece may have arrived. `waiting`: Hermes still sends it. */
export type UndeliveredState = "failed" | "uncertain" | "waiting";
