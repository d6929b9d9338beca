import { createHmac } from "node:crypto";
import type { SessionKey } from "../../adapter/session-key.ts";
import { digestOf } from "../../base/digest.ts";
import type { Code, CodeKind, CodeSender, CodeState } from "../../model/code.ts";
import type { IdentityScope } from "../../model/identity.ts";
import type { PeopleGrants } from "../../model/person.ts";
import type { SessionId, UserId } from "../../model/session.ts";
import { mayGiveSessions } from "./code-issuers.ts";
import type { Context, SqlValue } from "./connection.ts";
import { dropUnsent } from "./drop-unsent.ts";
import { since } from "./expiry.ts";
import { REVOKED } from "./turn-rows.ts";

export interface CodeRow {
  readonly number: number;
  readonly hash: string;
  readonly kind: CodeKind;
  readonly state: Exclude<CodeState, "expired">;
  readonly issuer: UserId | null;
  readonly person: UserId | null;
  readonly session_id: SessionId | null;
  readonly who: string | null;
  readonly identity: string | null;
  readonly key: SessionKey | null;
  readonly message_id: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly expires_steady: string | null;
}

export function toCode(context: Context, row: CodeRow): Code {
  return {
    number: row.number,
    kind: row.kind,
    state: isLate(context, row) ? "expired" : row.state,
    issuer: row.issuer,
    person: row.person,
    sessionId: row.session_id,
    who: whoOf(row),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function whoOf({ who }: Pick<CodeRow, "who">): CodeSender | null {
  if (who === null) return null;
  const { account, ...rest } = JSON.parse(who) as CodeSender;
  return { ...rest, account };
}

/** Whether a code's time was over before it was used: a pass that is in use has none. */
export function isLate({ clock }: Context, row: CodeRow): boolean {
  if (row.state !== "open" && !(row.state === "taken" && row.kind !== "pass")) return false;
  return since(clock, row.expires_at, row.expires_steady) >= 0;
}

export function codeRows({ db }: Context, condition: string, ...values: SqlValue[]): CodeRow[] {
  return db.all<CodeRow>(`SELECT * FROM codes WHERE ${condition} ORDER BY number`, ...values);
}

export function codeRow(context: Context, number: number): CodeRow | undefined {
  return codeRows(context, "number = ?", number)[0];
}

export function rowOfCode(context: Context, code: string): CodeRow | undefined {
  return codeRows(context, "hash = ?", hashOfCode(context, code))[0];
}

/** By what a code is found: whoever reads the file cannot search for codes without the key, which is not in it. */
export function hashOfCode({ codeKey }: Context, code: string): string {
  return createHmac("sha256", codeKey()).update(`code ${code}`).digest("hex");
}

/** Stands for an identity where nothing else of it is kept. */
export function identityOf({ platform, account, key }: IdentityScope & { readonly key: string }): string {
  return digestOf(JSON.stringify([platform, account ?? "", key]));
}

export function endCode({ db, clock }: Context, number: number, state: CodeState): void {
  db.run("UPDATE codes SET state = ?, ended_at = ? WHERE number = ?", state, clock.now(), number);
}

/** Ends the code; where a pass is in use, its conversation leads to the session no more, and what runs there is stopped. */
export function revokeRow(context: Context, row: CodeRow): boolean {
  if ((row.state !== "open" && row.state !== "taken") || isLate(context, row)) return false;
  endCode(context, row.number, "revoked");
  if (row.kind === "pass" && row.key !== null) {
    context.db.run("DELETE FROM bindings WHERE key = ? AND session_id = ?", row.key, row.session_id);
    if (row.session_id !== null) dropUnsent(context, row.key, row.session_id);
    context.db.run(
      `UPDATE turns SET stop_requested = ${REVOKED}
       WHERE ended_at IS NULL AND state = 'running' AND session_id = ? AND surface = ?`,
      ...[row.session_id, row.key],
    );
  }
  return true;
}

/** The pass by which a conversation leads to its session, while whoever gave it may give sessions; else undefined. */
export function passInUse(context: Context, key: SessionKey): CodeRow | undefined {
  return codeRows(context, "kind = 'pass' AND state = 'taken' AND key = +?", key).find(({ issuer }) =>
    mayGiveSessions(context, issuer),
  );
}

/** Whether a conversation leads to its session by a pass that was for whoever sends it first. */
export function isGuests(context: Context, key: SessionKey): boolean {
  return codeRows(context, `${GUESTS_PASS} AND key = +?`, key).length > 0;
}

/** A pass in use that was for whoever sends it first. */
export const GUESTS_PASS = "kind = 'pass' AND state = 'taken' AND person IS NULL";

/**
 * Those who talk on an account because they sent a pass that was for whoever sends it first, each in one conversation; of
 * one identity alone where `key` is given. A pass counts as long as whoever gave it may give sessions.
 */
export function guestsOf(
  context: Context,
  { platform, account = "" }: IdentityScope,
  key?: string,
): PeopleGrants["guests"] {
  return codeRows(context, `${GUESTS_PASS} AND platform = +? AND account = +?`, platform, account).flatMap((row) => {
    const who = whoOf(row);
    if (who === null || row.key === null || (key !== undefined && who.key !== key)) return [];
    return mayGiveSessions(context, row.issuer) ? [{ id: who.key, key: row.key }] : [];
  });
}
