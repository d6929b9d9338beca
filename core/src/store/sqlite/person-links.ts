import type { SessionKey } from "../../adapter/session-key.ts";
import { shortName } from "../../base/one-line.ts";
import { type IdentityKey, userOfIdentity } from "../../model/person.ts";
import type { SessionId, UserId } from "../../model/session.ts";
import type { Context } from "./connection.ts";
import { dropUnsent } from "./drop-unsent.ts";
import { expireAsksOf } from "./open-ask.ts";
import { sessionRow } from "./session-rows.ts";
import { readable } from "./text.ts";
import { freeTitle, writeTitle } from "./titles.ts";
import { REVOKED } from "./turn-rows.ts";

/** A link of an identity to a person, as it is stored. */
export interface LinkRow {
  readonly platform: string;
  readonly account: string;
  readonly key: string;
  readonly person: UserId;
  readonly name: string | null;
  readonly since: number;
  readonly word: "code" | "terminal" | "pairing";
}

/** Where the user that an identity stands for is stored: all of it becomes the person's when it is linked. */
const USERS: readonly (readonly [table: string, column: string])[] = [
  ["sessions", "user"],
  ["codes", "issuer"],
  ["codes", "person"],
  ["asks", "person"],
  ["usage", "person"],
];

export function linkOf({ db }: Context, { platform, account = "", key }: IdentityKey): LinkRow | undefined {
  return db.get<LinkRow>(
    "SELECT * FROM person_identities WHERE platform = +? AND account = +? AND key = +?",
    ...[platform, account, key],
  );
}

/** Makes an identity a person's. False, and nothing is written, where it is somebody else's. */
export function addLink(
  context: Context,
  identity: IdentityKey,
  person: UserId,
  word: LinkRow["word"],
  name: string | null,
): boolean {
  const { platform, account = "", key } = identity;
  const known = linkOf(context, identity);
  if (known && known.person !== person) return false;
  context.db.run(
    `INSERT INTO person_identities (platform, account, key, person, name, since, word)
     VALUES ($platform, $account, $key, $person, $name, $since, $word)
     ON CONFLICT (platform, account, key) DO UPDATE SET name = coalesce(excluded.name, name)`,
    {
      ...{ platform, account, key, person, word, since: context.clock.now() },
      name: name === null ? null : readable(shortName(name)),
    },
  );
  giveAllOf(context, identity, person);
  return true;
}

/** Makes what an unlinked identity began the person's. A title that the person has already gets a number. */
function giveAllOf(context: Context, identity: IdentityKey, person: UserId): void {
  const { db } = context;
  const former = userOfIdentity(identity);
  const given = db.all<{ id: SessionId }>("SELECT id FROM sessions WHERE user = ? AND title IS NOT NULL", former);
  for (const [table, column] of USERS) db.run(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`, person, former);
  for (const { id } of given) keepApart(context, id);
  // A person has a name of their own.
  db.run("DELETE FROM users WHERE id = ?", former);
}

function keepApart(context: Context, id: SessionId): void {
  const row = sessionRow(context, id);
  if (row?.title == null) return;
  const title = freeTitle(context.db, row.title, row);
  if (title !== row.title) writeTitle(context.db, id, title);
}

/** Removes the link of an identity, asks the turns that run by it to stop, and closes what its person was offered. */
export function dropLink(context: Context, identity: IdentityKey): boolean {
  const person = linkOf(context, identity)?.person;
  const { platform, account = "", key } = identity;
  const isGone =
    context.db.run(
      "DELETE FROM person_identities WHERE platform = ? AND account = ? AND key = ?",
      ...[platform, account, key],
    ) > 0;
  if (isGone) stopTurnsOf(context, identity);
  if (person !== undefined) expireAsksOf(context, person);
  return isGone;
}

/**
 * Parts the private chats of an identity from the sessions that `user` did not begin: nothing shows those there any more,
 * and what waits to be sent there of them is dropped.
 * A home channel stays, whose person has their right by that.
 */
export function leaveSessions(context: Context, { platform, account = "", key }: IdentityKey, user: UserId): void {
  const { db } = context;
  const isOthersAt = (table: string) => `${table}.conversation ->> '$.kind' = 'dm'
    AND ${table}.session_id NOT IN (SELECT id FROM sessions WHERE user = $user)
    AND EXISTS (
      SELECT 1 FROM places WHERE platform = $platform AND account = $account AND is_home = 0
        AND coalesce(person ->> '$.author.person', person ->> '$.author.senderId') = $key
        AND (${table}.key = places.key OR substr(${table}.key, 1, length(places.key) + 3) = places.key || ':t=')
    )`;
  const whose = { platform, account, key, user };
  db.run(`DELETE FROM bindings WHERE ${isOthersAt("bindings")}`, whose);
  const waiting = db.all<{ key: SessionKey; session_id: SessionId }>(
    `SELECT DISTINCT key, session_id FROM outbox
     WHERE platform = $platform AND account = $account AND state IN ('queued', 'failed', 'uncertain')
       AND ${isOthersAt("outbox")}`,
    whose,
  );
  for (const row of waiting) dropUnsent(context, row.key, row.session_id);
}

/** Asks the turns that run for an identity to stop. Those that wait stay: whose they are is looked up when they go on. */
export function stopTurnsOf({ db }: Context, { platform, account = "", key }: IdentityKey): void {
  db.run(
    `UPDATE turns SET stop_requested = ${REVOKED}
     WHERE ended_at IS NULL AND state = 'running' AND author ->> '$.platform' = ?
       AND coalesce(author ->> '$.account', '') = ? AND coalesce(author ->> '$.person', author ->> '$.senderId') = ?`,
    ...[platform, account, key],
  );
}

/**
 * The platform says that two keys are one person from now on, known by the key `into`. A link goes along, unless `into`
 * is linked itself.
 */
export function mergeLinks(context: Context, from: IdentityKey, into: IdentityKey): void {
  const link = linkOf(context, from);
  if (!link) {
    const person = linkOf(context, into)?.person;
    if (person !== undefined) giveAllOf(context, from, person);
    return;
  }
  if (linkOf(context, into)) {
    dropLink(context, from);
    return;
  }
  context.db.run(
    "UPDATE person_identities SET key = ? WHERE platform = ? AND account = ? AND key = ?",
    ...[into.key, link.platform, link.account, link.key],
  );
  giveAllOf(context, into, link.person);
}
