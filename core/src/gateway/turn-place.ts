import type { Conversation } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import type { Turn } from "../model/turn.ts";
import type { BindingStore } from "../store/work-stores.ts";

/** The conversation that a turn answers in. */
export interface TurnPlace {
  readonly key: SessionKey;
  readonly conversation: Conversation;
  /** Whether messages there still lead to the turn's session. */
  readonly isBound: boolean;
}

/** Looks up where a turn answers; null for one of the terminal, and where nobody knows how to reach its place any more. */
export async function turnPlace(
  bindings: BindingStore,
  { surface, sessionId, author }: Pick<Turn, "surface" | "sessionId" | "author">,
): Promise<TurnPlace | null> {
  if (surface === "terminal") return null;
  const binding = await bindings.get(surface);
  if (binding) return { key: surface, conversation: binding.conversation, isBound: binding.sessionId === sessionId };
  if (author === null || author === "terminal" || buildSessionKey(author.conversation) !== surface) return null;
  return { key: surface, conversation: author.conversation, isBound: false };
}
