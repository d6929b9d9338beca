import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { bindingRow } from "./binding-rows.ts";
import { codeRows, revokeRow } from "./code-rows.ts";
import type { Context } from "./connection.ts";
import { dropAllUnsent } from "./drop-unsent.ts";
import { enqueue } from "./outbox-rows.ts";
import { REVOKED } from "./person-links.ts";

/**
 * Parts a place from its session, since others read it from now on at `to`: nothing that waits for it is said there, and
 * `told` is, where it led to a session. For use inside a transaction.
 */
export function partLane(
  context: Context,
  from: SessionKey,
  to: { readonly key: SessionKey; readonly conversation: Conversation },
  told: OutboundMessage,
): void {
  const { db } = context;
  for (const pass of codeRows(context, "kind = 'pass' AND state = 'taken' AND key = +?", from)) {
    revokeRow(context, pass);
  }
  const bound = bindingRow(context, from);
  db.run("DELETE FROM bindings WHERE key = ?", from);
  db.run("DELETE FROM places WHERE key = ?", from);
  dropAllUnsent(context, from);
  db.run(
    `UPDATE turns SET stop_requested = ${REVOKED} WHERE ended_at IS NULL AND state = 'running' AND surface = ?`,
    from,
  );
  if (bound !== undefined) enqueue(context, [{ ...to, message: told }], {});
}
