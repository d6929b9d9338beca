import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import type { Binding } from "../model/binding.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import { type PlatformTarget, typedTarget } from "../model/place.ts";
import type { PlatformAuthor } from "../model/turn.ts";
import { currentRights } from "../store/current-rights.ts";
import type { Store } from "../store/store.ts";

/**
 * Who else would read what is handed to a conversation, to begin a sentence: `Everybody in #general`, `Ada`; null for the
 * operator alone. Throws where the config does not say that others may, and for the private chat of a stranger.
 */
export async function readersAt(
  store: Pick<Store, "places" | "grants" | "identities">,
  to: Extract<PlatformTarget, { kind: "conversation" }>,
  { home }: Pick<ServedPlatform, "home">,
): Promise<string | null> {
  const { platform, account, conversation, key } = to;
  const place = await store.places.get(key);
  if (conversation.kind !== "dm") {
    if (place?.called != null && !place.shared) {
      throw new HermesError("CONFIG_PLACE_NOT_SHARED", { platform, place: place.called });
    }
    return `Everybody in ${place?.name ?? place?.called ?? to.name ?? conversation.chatId}`;
  }
  const chat = buildSessionKey(chatOf(conversation));
  if (home?.kind === "dm" && (home.key === chat || home.key.startsWith(`${chat}:`))) return null;
  const { person } = place?.person ? place : ((await store.places.get(chat)) ?? { person: null });
  // Nobody has written there yet: on most platforms such a chat is called like its person.
  const author: PlatformAuthor = person?.author ?? {
    ...{ platform, account, senderId: conversation.chatId, aliases: [], conversation: chatOf(conversation) },
  };
  // An id that they wrote with may have passed to somebody else since.
  const rights = await currentRights(store, author);
  // A guest was let into one session only.
  if (!rights.mayDo("command").ok) throw new HermesError("PLACE_OF_STRANGER", { place: typedTarget(to) });
  if (rights.mayDo("operators-command").ok) return null;
  return person?.name ?? place?.called ?? author.senderId;
}

/** Who reads a session in a private chat and is no operator: somebody whom the config or the store allows; else null. */
export async function memberIn(
  store: Pick<Store, "places" | "grants" | "identities">,
  { key, conversation }: Pick<Binding, "key" | "conversation">,
): Promise<string | null> {
  const chat = buildSessionKey(chatOf(conversation));
  const person = (await store.places.get(key))?.person ?? (await store.places.get(chat))?.person;
  if (person == null) return null;
  const rights = await currentRights(store, person.author);
  const isMember = rights.mayDo("command").ok && !rights.mayDo("operators-command").ok;
  return isMember ? (person.name ?? person.author.senderId) : null;
}
