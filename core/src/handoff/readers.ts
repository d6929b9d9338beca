import { type Conversation, chatOf } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { HermesError } from "../base/errors.ts";
import type { Binding } from "../model/binding.ts";
import type { ServedPlatform } from "../model/gateway-row.ts";
import { type PlatformTarget, typedTarget } from "../model/place.ts";
import { chatCalled } from "../model/place-name.ts";
import { OPERATOR, type UserId } from "../model/session.ts";
import type { PlatformAuthor } from "../model/turn.ts";
import { authorAt } from "../store/author-at.ts";
import { currentRights, userOf } from "../store/current-rights.ts";
import type { Store } from "../store/store.ts";

/**
 * Who else would read what is handed to a conversation, to begin a sentence: `Everybody in #general`, `Ada`; null for
 * whoever hands it off alone. Throws where the config does not say that others may, and for the private chat of a stranger
 * or of whoever is not known yet.
 */
export async function readersAt(
  store: Pick<Store, "places" | "grants" | "identities" | "people">,
  to: Extract<PlatformTarget, { kind: "conversation" }>,
  { home }: Pick<ServedPlatform, "home">,
  by: UserId = OPERATOR,
): Promise<string | null> {
  const { platform, account, conversation, key } = to;
  const known = await store.places.get(key);
  if (conversation.kind !== "dm") {
    if (known?.called != null && !known.shared) {
      throw new HermesError("CONFIG_PLACE_NOT_SHARED", { platform, place: known.called });
    }
    return `Everybody in ${chatCalled(known?.name ?? known?.called ?? to.name, conversation)}`;
  }
  const chat = buildSessionKey(chatOf(conversation));
  if (home?.kind === "dm" && (home.key === chat || home.key.startsWith(`${chat}:`))) return null;
  const { person } = known?.person ? known : ((await store.places.get(chat)) ?? { person: null });
  const author = person?.author ?? authorByChat({ ...conversation, platform, account });
  // An id that they wrote with may have passed to somebody else since.
  const rights = await currentRights(store, author);
  // A guest was let into one session only.
  if (!rights.mayDo("command").ok) {
    const place = typedTarget(to);
    throw person ? new HermesError("PLACE_OF_STRANGER", { place }) : new HermesError("PLACE_READER_UNKNOWN", { place });
  }
  if ((await personOf(store, author)) === by) return null;
  return person?.name ?? known?.called ?? author.senderId;
}

/** Whose private chat it is where nobody has written yet: on most platforms such a chat is called like its person. */
export function authorByChat(conversation: Conversation): PlatformAuthor {
  const { platform, account, chatId } = conversation;
  return { platform, account, senderId: chatId, aliases: [], conversation: chatOf(conversation) };
}

/**
 * Who besides the person at the terminal reads a session in a private chat: whoever may talk to the agent there, operators
 * too; null where that is nobody else.
 */
export async function readerIn(
  store: Pick<Store, "places" | "grants" | "identities" | "people">,
  { key, conversation }: Pick<Binding, "key" | "conversation">,
): Promise<string | null> {
  const chat = buildSessionKey(chatOf(conversation));
  const person = (await store.places.get(key))?.person ?? (await store.places.get(chat))?.person;
  if (person == null || !(await currentRights(store, person.author)).mayDo("command").ok) return null;
  if ((await personOf(store, person.author)) === OPERATOR) return null;
  return person.name ?? person.author.senderId;
}

/**
 * Who besides the person at the terminal reads what is said in a conversation from now on, whatever their rights, to
 * begin a sentence; null where that is nobody else.
 */
export async function whoReads(
  store: Pick<Store, "places" | "codes" | "grants" | "people">,
  { key, conversation }: Pick<Binding, "key" | "conversation">,
): Promise<string | null> {
  const known = await store.places.get(key);
  const name = known?.name ?? known?.called;
  if (conversation.kind !== "dm") return `Everybody in ${chatCalled(name, conversation)}`;
  const author = await authorAt(store, { key, conversation });
  if (author === null) return `Whoever is in ${name ?? `the chat ${conversation.chatId} on ${conversation.platform}`}`;
  if ((await personOf(store, author)) === OPERATOR) return null;
  const chat = await store.places.get(buildSessionKey(chatOf(conversation)));
  return known?.person?.name ?? chat?.person?.name ?? author.senderId;
}

/** Who an author is: in the private home channel the person at the terminal, whom it stands for. */
async function personOf(store: Pick<Store, "grants" | "people">, author: PlatformAuthor): Promise<UserId> {
  const home = (await store.grants.current(author))?.home;
  const isHome = home?.chat === buildSessionKey(chatOf(author.conversation));
  return isHome && home?.person === (author.person ?? author.senderId) ? OPERATOR : userOf(store, author);
}
