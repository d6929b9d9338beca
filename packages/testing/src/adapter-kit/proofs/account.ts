import { check, checkEqual } from "../check.ts";
import { type KitProof, NotClaimed } from "../proof.ts";

/** Milliseconds for which an adapter that has asked is watched for connecting all the same. */
const WATCHED_MS = 1_000;

export const accountProofs: readonly KitProof[] = [
  {
    id: "account/asked-for",
    rule: "One process has an account at a time",
    proof: "an adapter whose account another process used reconnects only while its own process holds the account",
    async play(on) {
      const { takeOver } = on.subject;
      if (takeOver === undefined) {
        throw new NotClaimed("A connection there ends no other one, and uses no keys that only one process may use.");
      }
      const { tap } = await on.gateway();
      await on.ask({ tap });
      tap.holdsAccount = false;
      const asked = tap.askedForAccount;
      const connections = await takeOver(on.emulator, on.account);
      await on.until("it asks whether its process still holds the account", () => {
        const hasAsked = tap.askedForAccount > asked;
        check(hasAsked || connections() === 0, "it connected again without asking whether it may");
        return hasAsked;
      });
      on.model.push("I was away.");
      await on.write("Are you still there?");
      await on.quiet(WATCHED_MS);
      checkEqual(connections(), 0, "how often it connected while its process did not hold the account");
      tap.holdsAccount = true;
      await on.until("it receives again with the account", () => on.countSaid("I was away.") > 0, on.patienceMs * 2);
      await on.quiet();
      checkEqual(on.countSaid("I was away."), 1, "how often it answered");
      check(connections() > 0, "it answered without having connected again");
    },
  },
];
