import type { SessionKey } from "../adapter/session-key.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import type { ContextEvent } from "./turn-context.ts";
import type { TurnEvent } from "./turn-runner.ts";

/** What the place of a turn is told beside its answer, as Markdown; nothing in the terminal, which was told at once. */
export async function turnNotices(
  { bindings }: Pick<Store, "bindings">,
  { surface, sessionId }: Turn,
  texts: readonly string[],
): Promise<NewOutboxEntry[]> {
  if (texts.length === 0 || surface === "terminal") return [];
  const binding = await bindings.get(surface as SessionKey);
  if (binding === null) return [];
  const { key, conversation } = binding;
  return texts.map((markdown) => ({ key, conversation, sessionId, message: { kind: "notice", markdown } }));
}

export function turnEventOf(event: ContextEvent): TurnEvent {
  if (event.type !== "waiting") return event;
  const { reason: why, waitMs } = event;
  return { type: "waiting", for: { reason: "model", why, waitMs } };
}
