import { describe } from "vitest";
import { describeApprovals } from "./store-kit/approvals.ts";
import { describeAsks } from "./store-kit/asks.ts";
import { describeAway } from "./store-kit/away.ts";
import { describeBindings } from "./store-kit/bindings.ts";
import { describeCalls } from "./store-kit/calls.ts";
import { describeCodes } from "./store-kit/codes.ts";
import { describeCompactions } from "./store-kit/compactions.ts";
import { describeCutOffTurns } from "./store-kit/cut-off-turns.ts";
import { describeDeliveries } from "./store-kit/deliveries.ts";
import { describeEndedTurns } from "./store-kit/ended-turns.ts";
import { describeEveryCall } from "./store-kit/every-call.ts";
import { describeFiles } from "./store-kit/files.ts";
import { describeForkAndRewind } from "./store-kit/fork-and-rewind.ts";
import { describeGoneThreads } from "./store-kit/gone-threads.ts";
import { describeGrants } from "./store-kit/grants.ts";
import { describeGrowingAnswers } from "./store-kit/growing-answers.ts";
import { describeHandoffSteps } from "./store-kit/handoff-steps.ts";
import { describeHandoffTargets } from "./store-kit/handoff-targets.ts";
import { describeHandoffRequests } from "./store-kit/handoffs.ts";
import { describeHandoffsOfTurns } from "./store-kit/handoffs-of-turns.ts";
import { describeHomePeople } from "./store-kit/home-people.ts";
import { describeIdentities } from "./store-kit/identities.ts";
import { describeInbox } from "./store-kit/inbox.ts";
import { describeKeptState } from "./store-kit/kept-state.ts";
import { type CreateStore, storeTest } from "./store-kit/kit.ts";
import { describeLeaseTime } from "./store-kit/lease-time.ts";
import { describeMovedChats } from "./store-kit/moved-chats.ts";
import { describeOffers } from "./store-kit/offers.ts";
import { describeOutbox } from "./store-kit/outbox.ts";
import { describeOverview } from "./store-kit/overview.ts";
import { describePartedPlaces } from "./store-kit/parted-places.ts";
import { describePasses } from "./store-kit/passes.ts";
import { describePeople } from "./store-kit/people.ts";
import { describePlaces } from "./store-kit/places.ts";
import { describeProcesses } from "./store-kit/processes.ts";
import { describePruning } from "./store-kit/pruning.ts";
import { describeShownQuestions } from "./store-kit/questions-shown.ts";
import { describeRefusals } from "./store-kit/refusals.ts";
import { describeSecrets } from "./store-kit/secrets.ts";
import { describeSessions } from "./store-kit/sessions.ts";
import { describeTakeAlong } from "./store-kit/take-along.ts";
import { describeTitles } from "./store-kit/titles.ts";
import { describeToTerminal } from "./store-kit/to-terminal.ts";
import { describeTranscripts } from "./store-kit/transcripts.ts";
import { describeTurns } from "./store-kit/turns.ts";
import { describeTypedLines } from "./store-kit/typed-lines.ts";
import { describeUsage } from "./store-kit/usage.ts";
import { describeViews } from "./store-kit/views.ts";
import { describeWaitingTurns } from "./store-kit/waiting-turns.ts";

export type { CreateStore, StoreParts, StoreUnderTest } from "./store-kit/kit.ts";

/**
 * Tests that a store keeps the whole contract, only through the contract. Each test gets an empty store from `create`,
 * with a clock that the kit advances and processes that live and die as the kit says. Call it in a vitest test file:
 *
 * ```ts
 * describeStore("my store", async ({ clock, ids, probe }) => {
 *   const url = await createDatabase();
 *   const open = () => openMyStore({ url, clock, ids, probe });
 *   …
 *   return { store, reopen, second, dispose };
 * });
 * ```
 */
export function describeStore(name: string, create: CreateStore): void {
  const test = storeTest(create);
  describe(name, () => {
    describeSessions(test);
    describeTitles(test);
    describeTranscripts(test);
    describeForkAndRewind(test);
    describeTurns(test);
    describeCutOffTurns(test);
    describeCalls(test);
    describeWaitingTurns(test);
    describeEndedTurns(test);
    describeEveryCall(test);
    describeApprovals(test);
    describeShownQuestions(test);
    describeAsks(test);
    describeTakeAlong(test);
    describeTypedLines(test);
    describeHandoffRequests(test);
    describeHandoffSteps(test);
    describeHandoffTargets(test);
    describeToTerminal(test);
    describePlaces(test);
    describeFiles(test);
    describeHandoffsOfTurns(test);
    describeKeptState(test);
    describeCompactions(test);
    describeAway(test);
    describeBindings(test);
    describePartedPlaces(test);
    describeIdentities(test);
    describeHomePeople(test);
    describePeople(test);
    describeGrants(test);
    describeCodes(test);
    describePasses(test);
    describeViews(test);
    describeUsage(test);
    describeInbox(test);
    describeOutbox(test);
    describeGrowingAnswers(test);
    describeGoneThreads(test);
    describeMovedChats(test);
    describeRefusals(test);
    describeDeliveries(test);
    describeOffers(test);
    describeOverview(test);
    describeProcesses(test);
    describeLeaseTime(test);
    describePruning(test);
    describeSecrets(test);
  });
}
