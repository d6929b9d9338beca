import { HermesError } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { Person } from "../../model/person.ts";
import { type KnownPersonDocument, peopleDocument } from "../../overview/people.ts";

/** Finds whom somebody means in the list of people: by name or id of a person, else by an id that they have somewhere. */
export async function findEntry({ store, config }: Host, reference: string): Promise<KnownPersonDocument> {
  const { people } = await peopleDocument(store, config);
  const found = await store.people.find(reference);
  const isMeant = ({ id }: KnownPersonDocument) => found.some((person) => person.id === id);
  const matches = found.length > 0 ? people.filter(isMeant) : people.filter((one) => isCalled(one, reference));
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

function isCalled({ name, identities }: KnownPersonDocument, reference: string): boolean {
  const ids = identities.flatMap(({ key, ids }) => [
    key,
    ...ids.flatMap(({ id, until }) => (until === null ? id : [])),
  ]);
  return ids.includes(reference) || name.toLowerCase() === reference.toLowerCase();
}
