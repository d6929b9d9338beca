import type { Identity } from "../../model/identity.ts";
import type { IdentityStore } from "../people-stores.ts";
import type { Context } from "./connection.ts";
import { type IdentityRow, IdentityRows } from "./identity-rows.ts";
import { adoptPerson, linkIdentities, noteIdentities, partJoined, recognise } from "./note-identities.ts";

export function sqliteIdentities(context: Context): IdentityStore {
  const { db } = context;
  return {
    async note(scope, note) {
      const rows = new IdentityRows(context, scope);
      // Called for every message, and mostly nothing is new: then no write is needed.
      return (await db.read(() => recognise(rows, note))) ?? (await db.write(() => noteIdentities(rows, note)));
    },

    link: (scope, link) => db.write(() => linkIdentities(new IdentityRows(context, scope), link)),

    person: (scope, key) => db.read(() => new IdentityRows(context, scope).personOrNull(key)),

    holder: (scope, id) =>
      db.read(() => {
        const rows = new IdentityRows(context, scope);
        const row = rows.holder(id);
        return row ? rows.person(row.person) : null;
      }),

    adopt: (scope, people) =>
      db.write(() => {
        const rows = new IdentityRows(context, scope);
        for (const person of people) adoptPerson(rows, person);
      }),

    part: (scope) => db.write(() => partJoined(new IdentityRows(context, scope))),

    list: () =>
      db.read(() =>
        db
          .all<IdentityRow>(
            "SELECT * FROM identities ORDER BY platform, account, person, until IS NOT NULL, heard_at DESC, number",
          )
          .map(toIdentity),
      ),
  };
}

function toIdentity({ account, ended_by: endedBy, heard_at: _, number: __, ...row }: IdentityRow): Identity {
  return { ...row, account: account === "" ? undefined : account, endedBy };
}
