import { check, checkEqual, shown } from "../check.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";

/** The maximum number of milliseconds for a renewal at once, without a back-off. */
const AT_ONCE_MS = 5_000;

export const renewalProofs = proofsOfRule(
  "Guarantee: what new credentials or another cursor can fix is fixed at once",
  [
    {
      id: "renewal/place",
      proof: "a gateway whose event cursor is refused continues from another, answers no history, and says so",
      async play(on) {
        if (on.subject.refusePlace === undefined) throw new NotClaimed("It hands out no places in its events");
        const first = await on.gateway();
        await on.ask(first);
        await first.end();
        await on.write("In between.");
        await on.subject.refusePlace(on.emulator);
        const second = await on.gateway();
        await on.until("it is up", () => second.health().state === "up", AT_ONCE_MS);
        const { detail = "" } = second.health();
        check(detail.length > 10, () => `the health says nothing of it: ${shown(second.health())}`);
        await on.ask(second);
        await on.subject.refusePlace(on.emulator);
        await on.quiet();
        await on.ask(second);
        await on.quiet();
        checkEqual(on.model.requests.length, 3, "how many turns ran");
      },
    },
    {
      id: "renewal/credentials",
      proof: "a gateway whose sign-in ends signs in again at once if its options allow it",
      async run({ stage, subject }) {
        const { renewals = [] } = subject;
        if (renewals.length === 0) throw new NotClaimed("Its options hold one credential, from which no other is made");
        for (const { name, options, end } of renewals) {
          await stage(
            async (on) => {
              const gateway = await on.gateway();
              await on.ask(gateway);
              await end(on.emulator);
              on.model.push("Here again.");
              await on.write("Are you there?");
              await on.until(`a question is answered after ${name}`, () => on.countSaid("Here again.") > 0, AT_ONCE_MS);
              checkEqual(gateway.health().state, "up", `the health after ${name}`);
            },
            { options },
          );
        }
      },
    },
  ],
);
