import type { IdentityScope } from "../../model/identity.ts";
import type { PeopleGrants, PersonRole } from "../../model/person.ts";
import { guestsOf } from "./code-rows.ts";
import type { Context } from "./connection.ts";

/** What the store itself grants on an account at this moment; of one identity alone where `key` is given. */
export function grantedPeople(context: Context, { platform, account = "" }: IdentityScope, key?: string): PeopleGrants {
  const { db } = context;
  const ofOne = key === undefined ? "" : "AND linked.key = +$key";
  const linked = db.all<{ key: string; role: PersonRole }>(
    `SELECT linked.key, people.role FROM person_identities AS linked JOIN people ON people.id = linked.person
     WHERE linked.platform = +$platform AND linked.account = +$account ${ofOne}`,
    { platform, account, ...(key === undefined ? {} : { key }) },
  );
  const keysOf = (wanted: PersonRole) => linked.flatMap((one) => (one.role === wanted ? [one.key] : []));
  return {
    operators: keysOf("operator"),
    members: keysOf("member"),
    guests: guestsOf(context, { platform, account }, key),
  };
}
