import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { SessionId } from "./session.ts";

/** Session key → session. Several keys may lead to one session. */
export interface Binding {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly sessionId: SessionId;
  /** The session that the key led to before; reachable with /resume. */
  readonly previousSessionId: SessionId | null;
  /** The conversation wants to see what is said in the session elsewhere. */
  readonly mirrors: boolean;
  readonly boundAt: number;
  /** When a turn last came from there. */
  readonly usedAt: number;
}
