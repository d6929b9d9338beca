import { shortName } from "../base/one-line.ts";
import type { SessionId, Surface } from "../model/session.ts";
import { type Hop, wayOf } from "../model/session-way.ts";
import type { Store } from "../store/store.ts";

/** How many hops of a session are shown, the latest. */
const HOPS = 50;

/** The way of a session, hop by hop, with the names of its places. */
export async function wayOfSession(
  store: Pick<Store, "handoffs" | "bindings" | "places">,
  sessionId: SessionId,
): Promise<Hop[]> {
  const handoffs = await store.handoffs.list({ sessionId, limit: HOPS });
  const names = new Map<Surface, string>();
  for (const { key, conversation } of await store.bindings.of(sessionId)) {
    const { name, called } = (conversation.kind === "dm" ? null : await store.places.get(key)) ?? {};
    names.set(key, [conversation.platform, shortName(name ?? called ?? "")].filter((part) => part !== "").join(" › "));
  }
  return wayOf(handoffs, (surface) => names.get(surface) ?? null);
}
