import { HermesError } from "../base/errors.ts";
import type { Person } from "../model/person.ts";
import type { Store } from "../store/store.ts";

/** Finds the person that somebody means by a name, a part of it or an id. Throws PERSON_UNKNOWN, PERSON_AMBIGUOUS. */
export async function findPerson({ people }: Pick<Store, "people">, reference: string): Promise<Person> {
  const [first, ...others] = await people.find(reference);
  if (first === undefined) throw new HermesError("PERSON_UNKNOWN", { reference });
  if (others.length === 0) return first;
  const names = [first, ...others].map(({ name }) => name).join(", ");
  throw new HermesError("PERSON_AMBIGUOUS", { reference, count: others.length + 1, names });
}
