import type { GivenPass } from "../../model/handoff.ts";
import { identityOf } from "./code-rows.ts";
import type { Context } from "./connection.ts";
import type { HandoffRow } from "./handoff-rows.ts";
import { readable } from "./text.ts";

/** Keeps that somebody has a session in their private chat by a handoff, as a pass in use. For use inside a transaction. */
export function givePass({ db, clock }: Context, handoff: HandoffRow, { issuer, person, who }: GivenPass): void {
  const now = clock.now();
  db.run(
    `INSERT INTO codes (
       hash, kind, state, issuer, person, session_id, who, identity, platform, account, key, created_at, expires_at
     ) VALUES (
       $hash, 'pass', 'taken', $issuer, $person, $sessionId, $who, $identity, $platform, $account, $key, $now, $now
     )`,
    {
      // Nobody has a code for it.
      hash: `none ${handoff.id}`,
      ...{ issuer, person, sessionId: handoff.session_id, now },
      who: JSON.stringify({ ...who, name: who.name === null ? null : readable(who.name) }),
      ...{ identity: identityOf(who), platform: who.platform, account: who.account ?? "", key: who.surface },
    },
  );
}
