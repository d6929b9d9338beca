import { HermesError } from "../base/errors.ts";
import { accountName } from "../model/identity.ts";
import type { IdentityKey, Person, PersonRole } from "../model/person.ts";
import type { UserId } from "../model/session.ts";
import type { Store } from "../store/store.ts";
import { personDocument } from "./person-document.ts";

/** What somebody lost with a right: accounts unlinked, passes revoked, turns asked to stop. */
export interface Lost {
  readonly identities: number;
  readonly passes: number;
  readonly turns: number;
}

/** `hermes people add --json`. Throws PERSON_NAME_TAKEN, PERSON_NAME_INVALID. */
export async function addPerson({ people }: Store, person: { readonly name: string; readonly role: PersonRole }) {
  return personDocument(await people.add(person));
}

/** `hermes people rename --json`. Throws PERSON_UNKNOWN, PERSON_NAME_TAKEN, PERSON_NAME_INVALID. */
export async function renamePerson({ people }: Store, id: UserId, name: string) {
  return personDocument(known(id, await people.rename(id, name)));
}

/** `hermes people role --json`. Throws PERSON_UNKNOWN, PERSON_IS_TERMINAL. */
export async function setRole(store: Store, id: UserId, role: PersonRole) {
  const { identities, role: former } = known(id, await store.people.get(id));
  const isLess = former === "operator" && role !== "operator";
  const { result, lost } = await whatIsLost(store, isLess ? identities : [], () => store.people.setRole(id, role));
  return { ...personDocument(known(id, result)), lost };
}

/** `hermes people remove --json`. Throws PERSON_UNKNOWN, PERSON_IS_TERMINAL. */
export async function removePerson(store: Store, id: UserId) {
  const person = known(id, await store.people.get(id));
  const { result, lost } = await whatIsLost(store, person.identities, () => store.people.remove(id));
  known(id, result ? person : null);
  return { id, name: person.name, removed: true, lost: { ...lost, identities: person.identities.length } };
}

/** Makes an identity nobody's again: `hermes people unlink --json`. Throws PERSON_NOT_LINKED. */
export async function unlinkIdentity(
  store: Store,
  { platform, account, key }: { readonly platform: string; readonly account: string | null; readonly key: string },
) {
  const scope = { platform, account: account ?? undefined };
  const identity = { ...scope, key };
  const person = await store.people.of(scope, key);
  const { result: isGone, lost } = await whatIsLost(store, [identity], () => store.people.unlink(identity));
  if (person === null || !isGone) {
    throw new HermesError("PERSON_NOT_LINKED", { id: key, account: accountName(scope) });
  }
  return { ...{ platform, account, key, person: person.id, linked: false }, lost: { ...lost, identities: 1 } };
}

function known(reference: UserId, person: Person | null): Person {
  if (person === null) throw new HermesError("PERSON_UNKNOWN", { reference });
  return person;
}

/** Does something that takes rights away, and counts the passes that it ended and the turns that it found running. */
async function whatIsLost<T>(
  store: Store,
  identities: readonly IdentityKey[],
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly lost: Lost }> {
  const turns = await turnsOf(store, identities);
  const before = await passesIn(store);
  const result = await work();
  const after = new Set(await passesIn(store));
  return { result, lost: { identities: 0, passes: before.filter((number) => !after.has(number)).length, turns } };
}

async function passesIn({ codes }: Store): Promise<number[]> {
  return (await codes.list("pass")).map(({ number }) => number);
}

/** How many turns run for some identities at this moment. */
async function turnsOf({ overview, turns }: Store, identities: readonly IdentityKey[]): Promise<number> {
  const held = (await overview.leases()).flatMap(({ of, isLive }) => (isLive && of.kind === "turn" ? [of.turnId] : []));
  const running = await Promise.all(held.map((id) => turns.get(id)));
  return running.filter((turn) => {
    const author = turn?.state === "running" ? turn.author : null;
    if (author === null || author === "terminal") return false;
    return identities.some(
      ({ platform, account, key }) =>
        author.platform === platform && author.account === account && (author.person ?? author.senderId) === key,
    );
  }).length;
}
