import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import { shortName } from "../base/one-line.ts";
import type { Binding } from "../model/binding.ts";
import type { Handoff } from "../model/handoff.ts";
import { placeName } from "../model/place-name.ts";
import type { SessionId, Surface } from "../model/session.ts";
import type { Store } from "./store.ts";

/** Names a surface for people. It does not parse the key: the conversation comes from the key's binding. */
export async function lookUpPlace(
  store: Pick<Store, "bindings" | "places" | "handoffs">,
  surface: Surface,
): Promise<string> {
  if (surface === "terminal") return placeName(surface);
  const binding = await store.bindings.get(surface);
  return binding === null ? placeName(surface) : nameOfPlace(store, binding);
}

/**
 * Names a conversation for people, by the name of its own where it has one: for a place that a session has just come to,
 * by what its handoff calls it. Plain text: people choose names.
 */
export async function nameOfPlace(
  { places, handoffs }: Pick<Store, "places" | "handoffs">,
  { key, conversation, sessionId }: Pick<Binding, "key" | "conversation"> & { readonly sessionId?: SessionId | null },
): Promise<string> {
  if (conversation.kind === "dm") return placeName(key, conversation);
  const own = (await nameOf(places, key)) ?? (sessionId ? await nameByHandoff(handoffs, key, sessionId) : null);
  if (own !== null || conversation.threadId === undefined) return placeName(key, conversation, own);
  const chat = await nameOf(places, buildSessionKey(chatOf(conversation)));
  return placeName(key, conversation, chat && `a thread of ${chat}`);
}

/** The place has no name of its own before the handoff that led there is completed. */
async function nameByHandoff(
  handoffs: Store["handoffs"],
  key: SessionKey,
  sessionId: SessionId,
): Promise<string | null> {
  const latest = await handoffs.latestOf(sessionId);
  const isThere = latest?.conversation != null && buildSessionKey(latest.conversation) === key;
  return isThere ? nameOfLanding(latest) : null;
}

/** What people call the chat or thread where a handoff landed, without the platform; null where it has an id only. */
export function nameOfLanding({ place, conversation }: Pick<Handoff, "place" | "conversation">): string | null {
  const name = place?.split(" › ").slice(1).join(" › ");
  return name === conversation?.chatId ? null : name || null;
}

async function nameOf(places: Store["places"], key: SessionKey): Promise<string | null> {
  const place = await places.get(key);
  return shortName(place?.name ?? place?.called ?? "") || null;
}
