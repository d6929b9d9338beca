import { accountName, type IdentityScope } from "../model/identity.ts";
import { type IdentityKey, type Person, userOfIdentity } from "../model/person.ts";
import { OPERATOR, type UserId } from "../model/session.ts";
import type { ConfiguredPlugin } from "../plugin/configured-plugin.ts";
import type { Store } from "../store/store.ts";
import { type AccountRights, rightsOfAccounts } from "./rights-of-accounts.ts";

/** A right of somebody, where it comes from, and how it is taken back. */
export interface KnownRight {
  readonly grants: "operator" | "member" | "guest";
  /** The account that it holds on; null where it holds everywhere. */
  readonly on: string | null;
  readonly from: "terminal" | "role" | "config" | "home" | "pass";
  /** Of the config: the file, where it is known, and the key in it. */
  readonly file: string | null;
  readonly key: string | null;
  /** Such as `operators in plugins[0] of /home/ada/hermes.config.ts`. */
  readonly words: string;
  readonly takenBackBy: string;
}

export interface KnownIdentityDocument {
  readonly platform: string;
  readonly account: string | null;
  readonly key: string;
  readonly name: string | null;
  /** By which word it is the person's; null where it is linked to nobody. */
  readonly word: "code" | "terminal" | "pairing" | "home" | null;
  readonly since: number | null;
  readonly ids: readonly {
    readonly id: string;
    readonly strength: "strong" | "weak";
    readonly since: number;
    readonly word: string;
    readonly until: number | null;
    readonly endedBy: string | null;
  }[];
}

export interface KnownPersonDocument {
  /** Null for whom the store has no row of. */
  readonly id: UserId | null;
  readonly name: string;
  readonly role: "operator" | "member" | null;
  readonly identities: readonly KnownIdentityDocument[];
  readonly sessions: number;
  /** How many passes that they gave, or that are for them, are open or in use. */
  readonly passes: number;
  readonly lastSeenAt: number | null;
  readonly rights: readonly KnownRight[];
}

export interface PeopleDocument {
  readonly people: readonly KnownPersonDocument[];
  /** What is to be known of the list: which accounts no gateway serves. */
  readonly notes: readonly string[];
}

/** More sessions than that are not counted. */
const MOST_SESSIONS = 1_000;

/** Everybody who may do something, and where each right comes from: `hermes people --json`. */
export async function peopleDocument(
  store: Store,
  config: { readonly path: string | null; readonly plugins: readonly ConfiguredPlugin[] },
): Promise<PeopleDocument> {
  const [people, accounts, seen, ids, passes] = await Promise.all([
    store.people.list(),
    rightsOfAccounts(store, config),
    store.people.lastSeen(),
    store.identities.list(),
    store.codes.list("pass"),
  ]);
  const named = new Map(accounts.flatMap(({ of }) => of).map((one) => [nameOf(one.identity), one]));
  const owner = new Map(people.flatMap((person) => person.identities.map((one) => [nameOf(one), person.id] as const)));
  // Whoever is at home is the person at the terminal, unless they are linked to somebody else.
  for (const { identity, isHome } of named.values()) {
    if (isHome && !owner.has(nameOf(identity))) owner.set(nameOf(identity), OPERATOR);
  }
  const linked = new Map(people.flatMap((person) => person.identities.map((one) => [nameOf(one), one] as const)));

  const known = [...named.values()].map(({ identity }) => identity);
  const ofIds = ids.map(({ platform, account, person: key }) => ({ platform, account, key }));
  const all = uniqueBy(nameOf, [...linked.values(), ...known, ...ofIds]);
  const identitiesOf = Map.groupBy(all, (one) => owner.get(nameOf(one)) ?? null);

  const describe = async (one: IdentityKey): Promise<KnownIdentityDocument> => {
    const link = linked.get(nameOf(one));
    const { platform, account, key } = one;
    const own = ids.filter((id) => id.person === key && id.platform === platform && id.account === account);
    return {
      ...{ platform, account: account ?? null, key },
      name: link?.name ?? (await store.users.name(userOfIdentity(one))),
      word: link?.word ?? (owner.has(nameOf(one)) ? "home" : null),
      since: link?.since ?? null,
      ids: own.map(({ id, strength, since, word, until, endedBy }) => ({ id, strength, since, word, until, endedBy })),
    };
  };
  const document = async (person: Person | null, identities: readonly IdentityKey[]): Promise<KnownPersonDocument> => {
    const [first] = identities;
    const described = await Promise.all(identities.map(describe));
    const users = person === null ? identities.map(userOfIdentity) : [person.id];
    const isTheirs = (of: IdentityKey | null) =>
      of === null ? person?.id === OPERATOR : identities.some((one) => nameOf(one) === nameOf(of));
    const times = seen.filter(({ of }) => isTheirs(of)).map(({ at }) => at);
    return {
      ...{ id: person?.id ?? null, role: person?.role ?? null, identities: described },
      name: person?.name ?? described[0]?.name ?? first?.key ?? "",
      sessions: (await Promise.all(users.map((user) => countSessions(store, user)))).reduce((a, b) => a + b, 0),
      passes: passes.filter((pass) => users.some((user) => pass.issuer === user || pass.person === user)).length,
      lastSeenAt: times.length === 0 ? null : Math.max(...times),
      rights: [...ownRights(person), ...identities.flatMap((one) => named.get(nameOf(one))?.rights ?? [])],
    };
  };
  return {
    people: [
      ...(await Promise.all(people.map((person) => document(person, identitiesOf.get(person.id) ?? [])))),
      ...(await Promise.all((identitiesOf.get(null) ?? []).map((one) => document(null, [one])))),
      ...accounts.flatMap(everybodyOf),
    ],
    notes: accounts.flatMap(({ note }) => note ?? []),
  };
}

function ownRights(person: Person | null): KnownRight[] {
  if (person === null) return [];
  const nowhere = { on: null, file: null, key: null } as const;
  if (person.id === OPERATOR) {
    const words = "the person at the terminal";
    return [{ grants: "operator", from: "terminal", words, takenBackBy: "That is always so.", ...nowhere }];
  }
  const name = JSON.stringify(person.name);
  const lower = person.role === "operator" ? `; \`hermes people role ${name} member\` leaves them a member` : "";
  const takenBackBy = `\`hermes people remove ${name}\` removes them${lower}.`;
  return [{ grants: person.role, from: "role", words: "their role here", takenBackBy, ...nowhere }];
}

/** Everybody on an account, where its config allows everybody. */
function everybodyOf({ scope, everybody }: AccountRights): KnownPersonDocument[] {
  if (everybody === null) return [];
  const name = `everybody on ${accountName(scope)}`;
  return [
    { id: null, name, role: null, identities: [], sessions: 0, passes: 0, lastSeenAt: null, rights: [everybody] },
  ];
}

async function countSessions(store: Store, user: UserId): Promise<number> {
  return (await store.sessions.list({ visible: { kind: "begun-by", user }, limit: MOST_SESSIONS })).sessions.length;
}

function nameOf({ platform, account, key }: IdentityScope & { readonly key: string }): string {
  return JSON.stringify([platform, account ?? "", key]);
}

function uniqueBy<T>(name: (one: T) => string, all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [name(one), one])).values()];
}
