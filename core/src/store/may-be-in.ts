import type { SessionKey } from "../adapter/session-key.ts";
import type { SessionId, UserId } from "../model/session.ts";
import type { Store } from "./store.ts";

/** Whoever reads a private chat. */
export interface ChatReader {
  /** Of the chat or the thread. */
  readonly at: SessionKey;
  /** What stays of them whatever ids come and go. */
  readonly identity: string;
  readonly user: UserId;
  readonly isOperator: boolean;
}

/**
 * Whether somebody may be in a session in their private chat, at this moment: as an operator, because they began it, or by
 * a pass that leads to it there. A session that is gone is nobody's secret.
 */
export async function mayBeIn(
  { sessions, codes }: Pick<Store, "sessions" | "codes">,
  sessionId: SessionId,
  { at, identity, user, isOperator }: ChatReader,
): Promise<boolean> {
  if (isOperator) return true;
  const session = await sessions.get(sessionId);
  if (session === null || session.user === user) return true;
  const pass = await codes.passAt(at);
  if (pass?.sessionId !== sessionId || pass.who?.key !== identity) return false;
  return pass.person === null || pass.person === user;
}
