import type { Conversation } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { GivenPass, Handoff } from "../model/handoff.ts";
import type { Session } from "../model/session.ts";
import { authorAt } from "../store/author-at.ts";
import { currentRights, userOf } from "../store/current-rights.ts";
import type { Store } from "../store/store.ts";
import { authorByChat } from "./readers.ts";

/**
 * The pass by which somebody may be in a session that is handed to their private chat: as long as that leads to it, and
 * whoever asked for the handoff may give it. Undefined for operators, and where the session is their own.
 */
export async function passOfHandoff(
  store: Store,
  { to, by }: Handoff,
  session: Session,
  { key, conversation }: { readonly key: SessionKey; readonly conversation: Conversation },
): Promise<GivenPass | undefined> {
  if (to.kind !== "conversation" || conversation.kind !== "dm") return undefined;
  const author = (await authorAt(store, { key, conversation })) ?? authorByChat(conversation);
  const person = await userOf(store, author);
  if (person === session.user || (await currentRights(store, author)).mayDo("operators-command").ok) return undefined;
  const { platform, account, senderId: id, name = null } = author;
  const who = { platform, account, key: author.person ?? id, id, name, conversation, surface: key };
  return { issuer: by, person, who };
}
