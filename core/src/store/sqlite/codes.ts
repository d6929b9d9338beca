import type { NewCode } from "../../model/code.ts";
import type { UserId } from "../../model/session.ts";
import { type CodeStore, DENIED_MS, MOST_REQUESTS, type Newcomer, type PairingRequest } from "../code-store.ts";
import { mayGiveSessions } from "./code-issuers.ts";
import {
  type CodeRow,
  codeRow,
  codeRows,
  endCode,
  hashOfCode,
  identityOf,
  isLate,
  passInUse,
  revokeRow,
  rowOfCode,
  toCode,
} from "./code-rows.ts";
import type { Context } from "./connection.ts";
import { steadyIn } from "./expiry.ts";
import { enqueue } from "./outbox-rows.ts";
import { addNewcomer } from "./people.ts";
import { addLink, linkOf } from "./person-links.ts";
import { redeemCode } from "./redeem-code.ts";
import { sessionRow, unknownSession } from "./session-rows.ts";
import { readable } from "./text.ts";

export function sqliteCodes(context: Context): CodeStore {
  const { db } = context;
  const toCodeOrNull = (row: CodeRow | undefined) => (row ? toCode(context, row) : null);
  return {
    create: (code) =>
      db.write(() => {
        if (code.sessionId !== null && !sessionRow(context, code.sessionId)) throw unknownSession(code.sessionId);
        return toCode(context, add(context, code));
      }),

    async requestPairing(request) {
      // Mostly they were answered: then this takes no write lock.
      if (await db.read(() => isQuiet(context, request))) return null;
      return db.write(() => (isQuiet(context, request) ? null : requestPairing(context, request)));
    },

    find: (code) => db.read(() => toCodeOrNull(rowOfCode(context, code))),

    get: (number) => db.read(() => toCodeOrNull(codeRow(context, number))),

    passAt: (key) => db.read(() => toCodeOrNull(passInUse(context, key))),

    list: (kind) =>
      db.read(() =>
        codeRows(context, "kind = ? AND state IN ('open', 'taken')", kind)
          .filter((row) => !isLate(context, row))
          .map((row) => toCode(context, row)),
      ),

    redeem: (request) => db.write(() => redeemCode(context, request)),

    take: (number) =>
      db.write(() => {
        const row = codeRow(context, number);
        if (row?.state !== "open" || isLate(context, row)) return false;
        if (row.kind === "pass" && !mayGiveSessions(context, row.issuer)) return false;
        if (row.kind === "pass") endCode(context, number, "over");
        else db.run("UPDATE codes SET state = 'taken' WHERE number = ?", number);
        return true;
      }),

    settle: (number, state, outbox = [], person = null) =>
      db.write(() => {
        const row = codeRow(context, number);
        const isWaiting = row?.state === "taken" || (row?.state === "open" && row.kind === "pairing");
        if (!row || !isWaiting || row.kind === "pass" || isLate(context, row)) return false;
        if (person !== null && !linkSender(context, row, person)) return false;
        endCode(context, number, state);
        enqueue(context, outbox, {});
        return true;
      }),

    revoke: (number) =>
      db.write(() => {
        const row = codeRow(context, number);
        return row !== undefined && revokeRow(context, row);
      }),
  };
}

/** Makes who sent a code, or asked for it, the person's. False where they are somebody else's, or nobody sent it. */
function linkSender(context: Context, row: CodeRow, linked: UserId | Newcomer): boolean {
  const { who } = toCode(context, row);
  const person =
    typeof linked === "string" ? linked : ((who && linkOf(context, who)?.person) ?? addNewcomer(context, linked.name));
  const isThere = context.db.get("SELECT 1 FROM people WHERE id = ?", person) !== undefined;
  return (
    isThere && who !== null && addLink(context, who, person, row.kind === "pairing" ? "pairing" : "code", who.name)
  );
}

function add(
  context: Context,
  { code, kind, issuer, person, sessionId, who, ttlMs }: Omit<NewCode, "issuer"> & Pick<CodeRow, "issuer">,
): CodeRow {
  const { db, clock } = context;
  const now = clock.now();
  const row = db.get<CodeRow>(
    `INSERT INTO codes (
       hash, kind, state, issuer, person, session_id, who, identity, platform, account, created_at, expires_at,
       expires_steady
     ) VALUES (
       $hash, $kind, 'open', $issuer, $person, $sessionId, $who, $identity, $platform, $account, $now, $expiresAt,
       $steady
     ) RETURNING *`,
    {
      ...{ hash: hashOfCode(context, code), kind, issuer, person, sessionId },
      who: who && JSON.stringify({ ...who, name: who.name === null ? null : readable(who.name) }),
      identity: who && identityOf(who),
      platform: who?.platform ?? null,
      account: who && (who.account ?? ""),
      ...{ now, expiresAt: now + ttlMs, steady: steadyIn(clock, ttlMs) },
    },
  );
  if (!row) throw new Error("the code was written and is not there");
  return row;
}

/** Whether a request was answered and that answer is still valid. */
function isQuiet(context: Context, { who }: PairingRequest): boolean {
  const rows = codeRows(context, "kind = 'pairing' AND identity = ?", identityOf(who));
  return rows.some((row) =>
    row.state === "refused" ? isDenied(context, row) : !isLate(context, { ...row, state: "open" }),
  );
}

function isDenied({ db, clock }: Context, { number }: CodeRow): boolean {
  const row = db.get<{ ended_at: number | null }>("SELECT ended_at FROM codes WHERE number = ?", number);
  return clock.now() - (row?.ended_at ?? 0) < DENIED_MS;
}

function requestPairing(context: Context, { code, who, ttlMs, outbox }: PairingRequest) {
  const row = add(context, { code, kind: "pairing", issuer: null, person: null, sessionId: null, who, ttlMs });
  const open = codeRows(
    context,
    "kind = 'pairing' AND state = 'open' AND platform = ? AND account = ?",
    who.platform,
    who.account ?? "",
  ).filter((one) => !isLate(context, one));
  for (const { number } of open.slice(0, -MOST_REQUESTS)) {
    endCode(context, number, "over");
    // That they had their answer is all that counts from now on.
    context.db.run("UPDATE codes SET who = NULL WHERE number = ?", number);
  }
  enqueue(context, outbox, {});
  return toCode(context, row);
}
