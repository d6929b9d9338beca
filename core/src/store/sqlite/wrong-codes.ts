import { backOff } from "../../base/back-off.ts";
import type { IdentityScope } from "../../model/identity.ts";
import { ACCOUNT_DELAY, FREE_ON_ACCOUNT, MOST_WRONG_CODES, SILENT_MS } from "../code-store.ts";
import type { Context } from "./connection.ts";
import { since, steadyIn } from "./expiry.ts";

interface WrongCodes {
  readonly count: number;
  /** Milliseconds since the last one. */
  readonly ago: number;
  /** Digests of the messages that were counted last; of an account none. */
  readonly messages: readonly string[];
}

/** Counts what is no longer counted for this long goes, by the way of the next wrong code. */
const FORGET_MS = 24 * 60 * 60_000;

/**
 * Whether a code of this identity is looked up. Nobody else's wrong codes keep out an identity that sent none itself: so
 * no number of them locks the owner out.
 */
export function heldBack(context: Context, scope: IdentityScope, identity: string): "silenced" | "slow" | null {
  const own = wrongCodesOf(context, scope, identity);
  if (own.count === 0) return null;
  if (own.count >= MOST_WRONG_CODES) return "silenced";
  const beyond = wrongCodesOf(context, scope, "").count - FREE_ON_ACCOUNT;
  return beyond > 0 && own.ago < backOff(beyond, ACCOUNT_DELAY) ? "slow" : null;
}

/**
 * Counts a wrong code of an identity, and on its account; one that the platform hands over again only once. `message`: a
 * digest of the message that holds it.
 */
export function countWrongCode(context: Context, scope: IdentityScope, identity: string, message: string): void {
  const { db, clock } = context;
  db.run("DELETE FROM wrong_codes WHERE at < ?", clock.now() - FORGET_MS);
  const { messages: counted } = wrongCodesOf(context, scope, identity);
  if (counted.includes(message)) return;
  for (const whose of [identity, ""]) {
    const { count } = wrongCodesOf(context, scope, whose);
    db.run(
      `INSERT OR REPLACE INTO wrong_codes (platform, account, identity, count, at, steady, messages)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      ...namesOf(scope),
      whose,
      count + 1,
      clock.now(),
      steadyIn(clock, 0),
      JSON.stringify(whose === "" ? [] : [...counted, message].slice(-MOST_WRONG_CODES)),
    );
  }
}

/** A right code clears what was mistyped before. */
export function forgetWrongCodes({ db }: Context, scope: IdentityScope, identity: string): void {
  db.run("DELETE FROM wrong_codes WHERE platform = ? AND account = ? AND identity = ?", ...namesOf(scope), identity);
}

function wrongCodesOf({ db, clock }: Context, scope: IdentityScope, identity: string): WrongCodes {
  const row = db.get<{ count: number; at: number; steady: string | null; messages: string }>(
    "SELECT count, at, steady, messages FROM wrong_codes WHERE platform = ? AND account = ? AND identity = ?",
    ...namesOf(scope),
    identity,
  );
  const ago = row === undefined ? 0 : since(clock, row.at, row.steady);
  if (row === undefined || ago >= SILENT_MS) return { count: 0, ago, messages: [] };
  return { count: row.count, ago, messages: JSON.parse(row.messages) as string[] };
}

function namesOf({ platform, account }: IdentityScope): readonly [string, string] {
  return [platform, account ?? ""];
}
