import type { IdentityScope } from "../../model/identity.ts";
import type { PeopleGrants, PersonRole, StandingOf } from "../../model/person.ts";
import type { UserId } from "../../model/session.ts";
import { GUESTS_PASS, guestsOf } from "./code-rows.ts";
import type { Context } from "./connection.ts";

interface StandingRow {
  readonly person: UserId | null;
  readonly role: PersonRole | null;
  readonly hasGuests: number;
}

/**
 * What the store says of one identity, by one statement, since it is asked several times for each message; null where
 * somebody is a guest on the account.
 */
export function standingWithoutGuests(
  { db }: Context,
  { platform, account = "" }: IdentityScope,
  key: string,
): StandingOf | null {
  const row = db.get<StandingRow>(
    `SELECT linked.person, people.role, EXISTS (
       SELECT 1 FROM codes WHERE ${GUESTS_PASS} AND platform = +$platform AND account = +$account
     ) AS hasGuests
     FROM (SELECT 1) LEFT JOIN person_identities AS linked
       ON linked.platform = +$platform AND linked.account = +$account AND linked.key = +$key
     LEFT JOIN people ON people.id = linked.person`,
    { platform, account, key },
  );
  if (row === undefined || row.hasGuests === 1) return null;
  const keysOf = (wanted: PersonRole) => (row.role === wanted ? [key] : []);
  return { user: row.person, people: { operators: keysOf("operator"), members: keysOf("member"), guests: [] } };
}

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
