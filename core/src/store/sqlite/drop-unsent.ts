import type { SessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import type { Context } from "./connection.ts";

/** Why a message of a session is not sent to a private chat. */
const NOT_THEIRS = new HermesError("SESSION_NOT_THEIRS", {});

/**
 * Drops what waits for a conversation of a session that nobody there may see any more, and what could not be delivered:
 * it is not offered there again. For use inside a transaction.
 */
export function dropUnsent({ db }: Context, key: SessionKey, sessionId: SessionId): void {
  db.run(
    `UPDATE outbox SET state = 'cancelled', error_code = $code, error_text = $text
     WHERE key = +$key AND session_id = $sessionId AND state IN ('queued', 'failed', 'uncertain')`,
    { key, sessionId, code: NOT_THEIRS.code, text: NOT_THEIRS.message },
  );
}

/** Drops all that waits for a conversation, which others read by now. For use inside a transaction. */
export function dropAllUnsent({ db }: Context, key: SessionKey): void {
  db.run(
    `UPDATE outbox SET state = 'cancelled', error_code = $code, error_text = $text
     WHERE key = +$key AND state IN ('queued', 'failed', 'uncertain')`,
    { key, code: NOT_THEIRS.code, text: NOT_THEIRS.message },
  );
}
