import { HermesError } from "../../base/errors.ts";
import { shortName } from "../../base/one-line.ts";
import type { Host } from "../../host/host.ts";
import type { Code } from "../../model/code.ts";
import type { Person } from "../../model/person.ts";
import { OPERATOR } from "../../model/session.ts";
import { type KnownIdentityDocument, type KnownPersonDocument, peopleDocument } from "../../overview/people.ts";

/**
 * Finds whom somebody means in the list of people, by any name that Hermes prints of them: that of a person or their id,
 * else what a platform, or a pass, calls one of their accounts and its ids, else a part of a person's name.
 */
export async function findEntry({ store, config }: Host, reference: string): Promise<KnownPersonDocument> {
  const { people } = await peopleDocument(store, config);
  const passes = await store.codes.list("pass");
  const parts = await store.people.find(reference);
  const ways: readonly ((one: KnownPersonDocument) => boolean)[] = [
    ({ id, name }) => id === reference || isSame(name, reference) || (id === OPERATOR && isSame("you", reference)),
    ({ identities }) => identities.some((one) => isCalled(one, passes, reference)),
    ({ id }) => parts.some((person) => person.id === id),
  ];
  const matches = ways.map((way) => people.filter(way)).find(({ length }) => length > 0) ?? [];
  const [only, ...others] = matches;
  if (only === undefined) throw new HermesError("PERSON_UNKNOWN", { reference });
  if (others.length === 0) return only;
  const names = matches.map(({ name }) => name).join(", ");
  throw new HermesError("PERSON_AMBIGUOUS", { reference, count: matches.length, names });
}

/** Finds a person whom the store keeps. Throws PERSON_NOT_KEPT with how else their rights are changed. */
export async function findKept(host: Host, reference: string): Promise<{ person: Person; entry: KnownPersonDocument }> {
  const entry = await findEntry(host, reference);
  const person = entry.id === null ? null : await host.store.people.get(entry.id);
  if (person !== null) return { person, entry };
  const { name, rights } = entry;
  const from = rights.map(({ words }) => words).join("; ") || "nothing grants them anything";
  const hint = rights.map(({ takenBackBy }) => takenBackBy).join(" ") || "`hermes people add` adds a person.";
  throw new HermesError("PERSON_NOT_KEPT", { name, from, hint });
}

function isCalled(
  { platform, account, key, name, ids }: KnownIdentityDocument,
  passes: readonly Code[],
  reference: string,
): boolean {
  const isTheirs = ({ who }: Code) =>
    who?.platform === platform && (who.account ?? null) === account && who.key === key;
  const names = [name, ...passes.filter(isTheirs).map(({ who }) => who?.name ?? null)];
  return (
    key === reference ||
    ids.some(({ id, until }) => until === null && id === reference) ||
    names.some((one) => one !== null && isSame(one, reference))
  );
}

function isSame(name: string, reference: string): boolean {
  return shortName(name).toLowerCase() === shortName(reference).toLowerCase();
}
