import type { Person } from "../model/person.ts";

/** A person in a JSON document. */
export function personDocument({ id, name, role, createdAt, identities }: Person) {
  return {
    id,
    name,
    role,
    createdAt,
    identities: identities.map(({ account, ...one }) => ({ ...one, account: account ?? null })),
  };
}
