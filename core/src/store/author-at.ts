import { chatOf } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Binding } from "../model/binding.ts";
import { authorOf, type PlatformAuthor } from "../model/turn.ts";
import type { Store } from "./store.ts";

/** Who wrote in a private chat, or sent a pass there; null where nobody has. Look up what they may do now. */
export async function authorAt(
  { places, codes }: Pick<Store, "places" | "codes">,
  { key, conversation }: Pick<Binding, "key" | "conversation">,
): Promise<PlatformAuthor | null> {
  const chat = buildSessionKey(chatOf(conversation));
  const person = (await places.get(key))?.person ?? (await places.get(chat))?.person;
  if (person != null) return person.author;
  const sender = (await codes.list("pass")).find(({ who }) => who?.surface === key)?.who;
  if (sender == null) return null;
  const { id, key: identity, conversation: at } = sender;
  return { ...authorOf({ conversation: at, sender: { id, aliases: [] } }), person: identity };
}
