import { type Conversation, chatOf } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import { shortName } from "../base/one-line.ts";
import { placeName } from "../model/place-name.ts";
import type { Surface } from "../model/session.ts";
import type { Store } from "./store.ts";

/** Names a surface for people. It does not parse the key: the conversation comes from the key's binding. */
export async function lookUpPlace(store: Pick<Store, "bindings" | "places">, surface: Surface): Promise<string> {
  if (surface === "terminal") return placeName(surface);
  const binding = await store.bindings.get(surface);
  return binding === null ? placeName(surface) : nameOfPlace(store, binding);
}

/** Names a conversation for people, by the name of its own where it has one. Plain text: people choose names. */
export async function nameOfPlace(
  { places }: Pick<Store, "places">,
  { key, conversation }: { readonly key: SessionKey; readonly conversation: Conversation },
): Promise<string> {
  if (conversation.kind === "dm") return placeName(key, conversation);
  const own = await nameOf(places, key);
  if (own !== null || conversation.threadId === undefined) return placeName(key, conversation, own);
  const chat = await nameOf(places, buildSessionKey(chatOf(conversation)));
  return placeName(key, conversation, chat && `a thread of ${chat}`);
}

async function nameOf(places: Store["places"], key: SessionKey): Promise<string | null> {
  const place = await places.get(key);
  return shortName(place?.name ?? place?.called ?? "") || null;
}
