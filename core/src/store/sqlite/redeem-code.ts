import { digestOf } from "../../base/digest.ts";
import { CLAIM_LASTS_MS, type Code, type CodeRefusal, type RedeemCode, type Redemption } from "../../model/code.ts";
import { putBinding } from "./binding-rows.ts";
import { mayGiveSessions } from "./code-issuers.ts";
import { type CodeRow, codeRow, identityOf, isLate, rowOfCode, toCode } from "./code-rows.ts";
import type { Context } from "./connection.ts";
import { settleExpired } from "./expired-approvals.ts";
import { steadyIn } from "./expiry.ts";
import { assertNoneInFlight } from "./handoff-rows.ts";
import { enqueue } from "./outbox-rows.ts";
import { showQuestionsOf } from "./questions.ts";
import { countWrongCode, forgetWrongCodes, heldBack } from "./wrong-codes.ts";

/** Uses a code that somebody sent on a platform, inside a transaction. */
export function redeemCode(context: Context, request: RedeemCode): Redemption {
  const { who, code } = request;
  const identity = identityOf(who);
  const held = heldBack(context, who, identity);
  const row = rowOfCode(context, code);
  if (row && isAgain(row, request, identity)) return { ok: true, code: toCode(context, row), isAgain: true };
  if (held !== null) return { ok: false, reason: held };
  const refusal = row ? refusalOf(context, row, request) : "unknown";
  if (!row || refusal !== null) {
    countWrongCode(context, who, identity, digestOf(JSON.stringify([who.surface, request.messageId])));
    return { ok: false, reason: refusal ?? "unknown" };
  }
  use(context, row, request, identity);
  forgetWrongCodes(context, who, identity);
  enqueue(context, request.outbox, { sessionId: row.session_id });
  return { ok: true, code: codeNow(context, row), isAgain: false };
}

function use(context: Context, row: CodeRow, { who, user, messageId, mirrors }: RedeemCode, identity: string): void {
  const { db, clock } = context;
  const { surface: key, conversation } = who;
  if (row.kind === "pass" && row.session_id !== null) {
    const { session_id: sessionId } = row;
    assertNoneInFlight(context, sessionId);
    putBinding(context, { key, conversation, sessionId, mirrors });
    settleExpired(context);
    // What is asked shows what the tools are to do, which is no guest's to read.
    if (user !== null) showQuestionsOf(context, sessionId, { key, conversation });
  }
  const { kind, expires_at, expires_steady } = row;
  const ends =
    kind === "pass"
      ? { expires_at, expires_steady }
      : { expires_at: clock.now() + CLAIM_LASTS_MS, expires_steady: steadyIn(clock, CLAIM_LASTS_MS) };
  db.run(
    `UPDATE codes SET state = 'taken', who = $who, identity = $identity, platform = $platform, account = $account,
       key = $key, message_id = $messageId, expires_at = $expires_at, expires_steady = $expires_steady
     WHERE number = $number`,
    {
      ...{ number: row.number, who: JSON.stringify(who), identity, platform: who.platform },
      ...{ account: who.account ?? "", key, messageId, ...ends },
    },
  );
}

/** The platform hands over the message that used it once more. */
function isAgain(row: CodeRow, { messageId }: RedeemCode, identity: string): boolean {
  return row.state !== "open" && row.identity === identity && row.message_id === messageId;
}

function refusalOf(context: Context, row: CodeRow, { user }: RedeemCode): CodeRefusal | null {
  if (row.state === "revoked") return "revoked";
  if (row.state !== "open") return "used";
  if (isLate(context, row)) return "expired";
  // What a chat asked for is typed in the terminal.
  if (row.kind === "pairing" || (row.kind === "link" && row.who !== null)) return "not-theirs";
  if (row.kind === "pass" && !mayGiveSessions(context, row.issuer)) return "revoked";
  return row.kind === "pass" && row.person !== null && row.person !== user ? "not-theirs" : null;
}

function codeNow(context: Context, { number }: CodeRow): Code {
  const row = codeRow(context, number);
  if (!row) throw new Error("the code was written and is not there");
  return toCode(context, row);
}
