import type { SessionId, Surface } from "../model/session.ts";
import { type Hop, wayOf } from "../model/session-way.ts";
import type { Store } from "../store/store.ts";

/** How many hops of a session are shown, the latest. */
const HOPS = 50;

/** The way of a session, hop by hop, with the names of its places. */
export async function wayOfSession(store: Pick<Store, "handoffs" | "bindings">, sessionId: SessionId): Promise<Hop[]> {
  const handoffs = await store.handoffs.list({ sessionId, limit: HOPS });
  const names = new Map<Surface, string>();
  for (const { key, conversation } of await store.bindings.of(sessionId)) names.set(key, conversation.platform);
  return wayOf(handoffs, (surface) => names.get(surface) ?? null);
}
