import type { Conversation, HomeChannel } from "../adapter/conversation.ts";
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

export interface BindingStore {
  get(key: SessionKey): Promise<Binding | null>;
  /** Those that lead to a session, the one used last first. */
  of(sessionId: SessionId): Promise<Binding[]>;
  /** Lets `key` lead to a session; what it led to before is kept as `previousSessionId`. */
  bind(binding: Pick<Binding, "key" | "conversation" | "sessionId" | "mirrors">): Promise<Binding>;
  unbind(key: SessionKey): Promise<void>;
  /** The home channel that was set with /sethome, or null. */
  home(platform: string, account: string | undefined): Promise<HomeChannel | null>;
  setHome(platform: string, account: string | undefined, home: HomeChannel): Promise<void>;
}
