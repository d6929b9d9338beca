import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { SessionId } from "./session.ts";

/** Binds a session key to a session. Several keys may be bound to one session. */
export interface Binding {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  readonly sessionId: SessionId;
  /** The session that the key was bound to before; reachable with /resume. */
  readonly previousSessionId: SessionId | null;
  /** Whether the conversation shows what is said in the session elsewhere. */
  readonly mirrors: boolean;
  readonly boundAt: number;
  /** When a turn last came from this conversation. */
  readonly usedAt: number;
}
