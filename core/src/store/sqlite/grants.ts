import type { SessionKey } from "../../adapter/session-key.ts";
import type { NewGrants, PublishedGrants } from "../../model/grants.ts";
import type { IdentityScope } from "../../model/identity.ts";
import type { GrantStore } from "../people-stores.ts";
import { type Granted, grantRow, isHeldBy, listsOf } from "./config-grants.ts";
import type { Context } from "./connection.ts";
import { grantedPeople } from "./granted-people.ts";

export function sqliteGrants(context: Context): GrantStore {
  const { db } = context;
  return {
    async publish(grants, holder) {
      // It is said again every few seconds, and changes rarely.
      if (await db.read(() => isHeldBy(context, grants, holder.id) && isPublished(context, grants, holder.id))) {
        return true;
      }
      return db.write(() => {
        if (!isHeldBy(context, grants, holder.id)) return false;
        publish(context, grants, holder.id);
        return true;
      });
    },

    current: (scope) => db.read(() => current(context, scope)),
  };
}

function current(context: Context, scope: IdentityScope): PublishedGrants | null {
  const row = grantRow(context, scope);
  if (!row || !isHeldBy(context, scope, row.holder_id)) return null;
  return {
    ...listsOf(row),
    home: homeOf(context, scope, row),
    people: grantedPeople(context, scope),
    version: row.version,
    publishedAt: row.published_at,
  };
}

/** The terminal may have recorded another person since the grants were published. */
function homeOf({ db }: Context, scope: IdentityScope, { home, chat }: Granted): PublishedGrants["home"] {
  if (home === null || chat === null) return null;
  const recorded = db.get<{ chat: SessionKey; person: string | null }>(
    "SELECT chat, person FROM home_people WHERE platform = ? AND account = ? AND home = ?",
    ...namesOf(scope),
    home,
  );
  if (!recorded || recorded.person === null || recorded.chat !== chat) return null;
  return { chat, person: recorded.person };
}

function publish({ db, clock }: Context, grants: NewGrants, holderId: string): void {
  const [platform, account] = namesOf(grants);
  db.run(
    `INSERT INTO grants (
       platform, account, version, holder_id, published_at, operators, allowed_users, allowed_bots, home, chat
     ) VALUES (
       $platform, $account, 1, $holder_id, $published_at, $operators, $allowed_users, $allowed_bots, $home, $chat
     ) ON CONFLICT (platform, account) DO UPDATE SET
       version = version + 1, holder_id = excluded.holder_id, published_at = excluded.published_at,
       operators = excluded.operators, allowed_users = excluded.allowed_users, allowed_bots = excluded.allowed_bots,
       home = excluded.home, chat = excluded.chat`,
    { platform, account, holder_id: holderId, published_at: clock.now(), ...storedAs(grants) },
  );
}

function isPublished(context: Context, grants: NewGrants, holderId: string): boolean {
  const row = grantRow(context, grants);
  if (row?.holder_id !== holderId) return false;
  return Object.entries(storedAs(grants)).every(([column, value]) => row[column as keyof Granted] === value);
}

function storedAs({ operators, allowedUsers, allowedBots, home }: NewGrants): Granted {
  return {
    operators: JSON.stringify(operators),
    allowed_users: JSON.stringify(allowedUsers),
    allowed_bots: JSON.stringify(allowedBots),
    home: home?.chatId ?? null,
    chat: home?.chat ?? null,
  };
}

function namesOf({ platform, account }: IdentityScope): readonly [string, string] {
  return [platform, account ?? ""];
}
