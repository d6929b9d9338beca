import { HermesError } from "../../base/errors.ts";
import { shortName } from "../../base/one-line.ts";
import {
  type IdentityKey,
  PERSON_NAME_LIMIT,
  type Person,
  type PersonIdentity,
  type PersonRole,
  userOfIdentity,
} from "../../model/person.ts";
import { OPERATOR, type UserId } from "../../model/session.ts";
import type { PeopleStore } from "../people-stores.ts";
import { codeRows, revokeRow } from "./code-rows.ts";
import type { Context } from "./connection.ts";
import { grantedPeople, standingWithoutGuests } from "./granted-people.ts";
import { addLink, dropLink, type LinkRow, leaveSessions, linkOf, stopTurnsOf } from "./person-links.ts";
import { foldCase, readable } from "./text.ts";

interface PersonRow {
  readonly id: UserId;
  readonly name: string;
  readonly role: PersonRole;
  readonly created_at: number;
}

/** Of a code: it can be used, or is in use. */
const IN_FORCE = "state IN ('open', 'taken')";

export function sqlitePeople(context: Context): PeopleStore {
  const { db } = context;
  return {
    add: ({ name, role }) => db.write(() => required(context, addPerson(context, name, role))),

    get: (id) => db.read(() => personOf(context, id)),

    find: (reference) => db.read(() => findPeople(context, reference)),

    list: () => db.read(() => peopleIn(context)),

    setRole: (id, role) =>
      db.write(() => {
        const person = personOf(context, id);
        if (person === null) return null;
        if (id === OPERATOR) throw new HermesError("PERSON_IS_TERMINAL", {});
        db.run("UPDATE people SET role = ? WHERE id = ?", role, id);
        if (person.role === "operator" && role !== "operator") {
          for (const identity of person.identities) {
            stopTurnsOf(context, identity);
            leaveSessions(context, identity, id);
          }
          // Only operators may give a session away.
          for (const row of codeRows(context, `${IN_FORCE} AND kind = 'pass' AND issuer = ?`, id))
            revokeRow(context, row);
        }
        return required(context, id);
      }),

    rename: (id, name) =>
      db.write(() => {
        if (personOf(context, id) === null) return null;
        const named = freeName(context, name, id);
        db.run("UPDATE people SET name = ?, name_folded = ? WHERE id = ?", named, foldCase(named), id);
        return required(context, id);
      }),

    remove: (id) =>
      db.write(() => {
        const person = personOf(context, id);
        if (person === null) return false;
        if (id === OPERATOR) throw new HermesError("PERSON_IS_TERMINAL", {});
        for (const identity of person.identities) unlink(context, identity);
        const theirs = `${IN_FORCE} AND (issuer = ? OR person = ?)`;
        for (const row of codeRows(context, theirs, id, id)) revokeRow(context, row);
        db.run("DELETE FROM people WHERE id = ?", id);
        return true;
      }),

    link: (identity, person, word, name) =>
      db.write(() => {
        if (personOf(context, person) === null) throw new HermesError("PERSON_UNKNOWN", { reference: person });
        return addLink(context, identity, person, word, name) ? "linked" : "other-person";
      }),

    unlink: (identity) => db.write(() => unlink(context, identity)),

    of: (scope, key) =>
      db.read(() => {
        const link = linkOf(context, { ...scope, key });
        return link ? personOf(context, link.person) : null;
      }),

    lastSeen: () =>
      db.read(() =>
        db
          .all<{ platform: string | null; account: string | null; key: string | null; at: number }>(
            `SELECT author ->> '$.platform' AS platform, author ->> '$.account' AS account,
               coalesce(author ->> '$.person', author ->> '$.senderId') AS key, max(started_at) AS at
             FROM turns WHERE author IS NOT NULL GROUP BY 1, 2, 3`,
          )
          .map(({ platform, account, key, at }) => ({
            of: platform === null || key === null ? null : { platform, account: account ?? undefined, key },
            at,
          })),
      ),

    standing: async (scope, key) =>
      (await db.read(() => standingWithoutGuests(context, scope, key))) ??
      db.read(() => ({
        user: linkOf(context, { ...scope, key })?.person ?? null,
        people: grantedPeople(context, scope, key),
      })),
  };
}

function unlink(context: Context, identity: IdentityKey): boolean {
  const isGone = dropLink(context, identity);
  if (isGone) leaveSessions(context, identity, userOfIdentity(identity));
  return isGone;
}

function addPerson(context: Context, name: string, role: PersonRole): UserId {
  const { db, clock, ids } = context;
  const id = ids.next("per") as UserId;
  const named = freeName(context, name, id);
  db.run(
    "INSERT INTO people (id, name, name_folded, role, created_at) VALUES (?, ?, ?, ?, ?)",
    ...[id, named, foldCase(named), role, clock.now()],
  );
  return id;
}

/** Adds a member who chose the name themselves: where somebody has it, it gets a number. For use inside a transaction. */
export function addNewcomer(context: Context, wanted: string): UserId {
  for (let at = 1; ; at++) {
    try {
      return addPerson(context, numbered(wanted, at), "member");
    } catch (error) {
      const isTaken = error instanceof HermesError && error.code === "PERSON_NAME_TAKEN";
      if (!isTaken || at >= 100) throw error;
    }
  }
}

/** A name that is as long as one can be has room for its number, too. */
function numbered(name: string, at: number): string {
  const number = at === 1 ? "" : ` ${at}`;
  return [...shortName(name)].slice(0, PERSON_NAME_LIMIT - number.length).join("") + number;
}

/** Everybody, or those of the ids. */
function peopleIn({ db }: Context, only?: UserId): Person[] {
  const rows = db.all<PersonRow>(
    `SELECT id, name, role, created_at FROM people WHERE ${only === undefined ? "$only IS NULL" : "id = +$only"}
     ORDER BY id <> '${OPERATOR}', name_folded`,
    { only: only ?? null },
  );
  const links = db.all<LinkRow>(
    `SELECT * FROM person_identities WHERE ${only === undefined ? "$only IS NULL" : "person = +$only"}
     ORDER BY since, platform, account, key`,
    { only: only ?? null },
  );
  const linksOf = Map.groupBy(links, ({ person }) => person);
  return rows.map(({ id, name, role, created_at: createdAt }) => ({
    id,
    name,
    role,
    createdAt,
    identities: (linksOf.get(id) ?? []).map(toIdentity),
  }));
}

function toIdentity({ platform, account, key, name, since, word }: LinkRow): PersonIdentity {
  return { platform, account: account === "" ? undefined : account, key, name, since, word };
}

function personOf(context: Context, id: UserId): Person | null {
  return peopleIn(context, id)[0] ?? null;
}

function required(context: Context, id: UserId): Person {
  const person = personOf(context, id);
  if (person === null) throw new Error("the person was written and is not there");
  return person;
}

function findPeople(context: Context, reference: string): Person[] {
  const people = peopleIn(context);
  const wanted = foldCase(shortName(reference));
  const exact = people.filter(({ id, name }) => id === reference || foldCase(name) === wanted);
  if (exact.length > 0 || wanted === "") return exact;
  return people.filter(({ name }) => foldCase(name).includes(wanted));
}

/** The name as it is kept. Throws where it cannot be a name, or is somebody else's. */
function freeName({ db }: Context, name: string, id: UserId): string {
  const named = readable(shortName(name));
  if (named === "" || [...name.trim()].length > PERSON_NAME_LIMIT) {
    throw new HermesError("PERSON_NAME_INVALID", { max: PERSON_NAME_LIMIT });
  }
  const other = db.get<{ id: UserId }>("SELECT id FROM people WHERE name_folded = ?", foldCase(named));
  if (other && other.id !== id) throw new HermesError("PERSON_NAME_TAKEN", { name: named });
  return named;
}
