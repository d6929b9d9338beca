import type { SessionKey } from "../../adapter/session-key.ts";
import type { Context } from "./connection.ts";

/**
 * The lanes of an account with open rows. Steps through the index from key to key, so that a lane with a long backlog
 * costs no more than one with a single row.
 */
export function openKeys(
  { db }: Context,
  table: "inbox" | "outbox",
  isOpen: "done_at IS NULL" | "state IN ('queued', 'sending')",
  platform: string,
  account: string,
): SessionKey[] {
  const next = (after: string) => `
    SELECT min(key) FROM ${table} WHERE platform = +$platform AND account = +$account AND ${isOpen} ${after}`;
  return db
    .all<{ key: SessionKey }>(
      `WITH RECURSIVE lanes (key) AS (
         SELECT (${next("")}) UNION ALL SELECT (${next("AND key > lanes.key")}) FROM lanes WHERE key IS NOT NULL
       ) SELECT key FROM lanes WHERE key IS NOT NULL`,
      { platform, account },
    )
    .map(({ key }) => key);
}
