import type { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { tokensIn } from "../marks.ts";
import type { StoreFile } from "../store-file.ts";

/** The messages whose answers `hermes deliveries` lists as not delivered. */
export async function listedTokens(machine: HermesMachine): Promise<ReadonlySet<string>> {
  const { code, stdout } = await machine.run("deliveries", "list", "--limit", "10000", "--json");
  return new Set(code === 0 ? tokensIn(stdout) : []);
}

/** The messages of whose answers the store does not know whether they arrived, or knows that they were refused. */
export function unsureTokens(file: StoreFile): ReadonlySet<string> {
  const rows = file.rows(
    `SELECT m.message FROM outbox o JOIN outbox_messages m ON m.id = o.message_id
     WHERE o.state IN ('uncertain', 'failed') OR o.offered_at IS NOT NULL OR o.by_hand_only = 1`,
  );
  return new Set(rows.flatMap(({ message }) => tokensIn(String(message))));
}

/** Whether Hermes has ever kept a message. */
export function isKept(file: StoreFile, token: string): boolean {
  const holds = `%${token}%`;
  return (
    file.rows("SELECT 1 FROM messages WHERE text LIKE ? LIMIT 1", holds).length > 0 ||
    file.rows("SELECT 1 FROM inbox WHERE message LIKE ? LIMIT 1", holds).length > 0
  );
}
