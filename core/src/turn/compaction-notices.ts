import type { SessionKey } from "../adapter/session-key.ts";
import { type Compaction, compactionMarker } from "../model/compaction.ts";
import { withReadableMarks } from "../model/mark.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import type { Turn } from "../model/turn.ts";
import type { Store } from "../store/store.ts";
import type { ContextEvent } from "./turn-context.ts";
import type { TurnEvent } from "./turn-runner.ts";

/** What the place of a turn is told of compactions; nothing in the terminal, which was told at once. */
export async function compactionNotices(
  { bindings }: Pick<Store, "bindings">,
  { surface, sessionId }: Turn,
  made: readonly Compaction[],
): Promise<NewOutboxEntry[]> {
  if (made.length === 0 || surface === "terminal") return [];
  const binding = await bindings.get(surface as SessionKey);
  if (binding === null) return [];
  const { key, conversation } = binding;
  return made.map((compaction) => ({
    ...{ key, conversation, sessionId },
    message: { kind: "notice", markdown: withReadableMarks(compactionMarker(compaction)) },
  }));
}

export function turnEventOf(event: ContextEvent): TurnEvent {
  if (event.type !== "waiting") return event;
  const { reason: why, waitMs } = event;
  return { type: "waiting", for: { reason: "model", why, waitMs } };
}
