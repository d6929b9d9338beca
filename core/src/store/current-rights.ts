import { senderOf } from "../adapter/identity.ts";
import { type Act, mayDo, type Ruling } from "../model/may-do.ts";
import { userOfIdentity } from "../model/person.ts";
import { OPERATOR, type UserId } from "../model/session.ts";
import { authorOf, type PlatformAuthor, type TurnAuthor } from "../model/turn.ts";
import type { Store } from "./store.ts";

/** What one author may do, as it was at one moment: ask again for the next act. */
export interface Rights {
  mayDo(act: Act): Ruling;
}

/**
 * Looks up what the author of a message may do now, in whatever process: by what the gateway that serves their account
 * publishes. Where there is none, an author on a platform may do nothing.
 *
 * @example
 * ```ts
 * const ruling = (await currentRights(store, turn.author)).mayDo("tool");
 * if (!ruling.ok) return failedCall(call, ruling.reason);
 * ```
 */
export async function currentRights(
  { grants, identities }: Pick<Store, "grants" | "identities">,
  author: TurnAuthor | null,
): Promise<Rights> {
  if (author === null || author === "terminal") return { mayDo: (act) => mayDo(author, act, null) };
  const { platform, account } = author;
  const granted = await grants.current({ platform, account });
  const now = granted === null ? author : await current(identities, author);
  return { mayDo: (act) => mayDo(now, act, granted) };
}

/**
 * Whether whoever asked for a turn may not talk to the agent any more. False where no gateway serves their account: then
 * it is not known.
 */
export async function isStranger(
  store: Pick<Store, "grants" | "identities">,
  author: TurnAuthor | null,
): Promise<boolean> {
  if (author === null || author === "terminal") return false;
  if ((await store.grants.current(author)) === null) return false;
  return !(await currentRights(store, author)).mayDo("talk").ok;
}

/** Whose words a message is: of an identity that is linked to nobody, the user that it stands for. */
export async function userOf({ people }: Pick<Store, "people">, author: TurnAuthor): Promise<UserId> {
  if (author === "terminal") return OPERATOR;
  const { platform, account, person, senderId, isBot } = author;
  const identity = { platform, account, key: person ?? senderId };
  const linked = isBot ? null : (await people.standing(identity, identity.key)).user;
  return linked ?? userOfIdentity(identity);
}

/** The author with the ids that are theirs by now: one of them may have passed to somebody else. */
async function current(identities: Store["identities"], author: PlatformAuthor): Promise<PlatformAuthor> {
  const { person, isBot, conversation, platform, account } = author;
  if (person === undefined) return author;
  const known = await identities.person({ platform, account }, person);
  return known === null ? author : authorOf({ conversation, sender: { ...senderOf(known), isBot: isBot ?? false } });
}
