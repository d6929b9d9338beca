import { runWithin, untilAborted } from "../../base/deadline.ts";
import { asHermesError, reasonOf } from "../../base/errors.ts";
import { type Check, type DoctorContext, type DoctorFinding, ofError, warning } from "./check.ts";

/** How long a check may take, in milliseconds. */
const CHECK_MS = 10_000;

export interface CheckOutcome {
  readonly check: Check;
  readonly findings: readonly DoctorFinding[];
}

/**
 * Runs all checks side by side, and yields what each found, in their order, as soon as it is there. One that hangs or
 * fails becomes a finding. Throws the signal's reason when it aborts.
 */
export async function* runChecks(
  checks: readonly Check[],
  context: DoctorContext,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (check: Check) => void },
): AsyncGenerator<CheckOutcome> {
  const outcomes = checks.map((check) => ({ check, outcome: runOne(check, context, signal) }));
  for (const { check, outcome } of outcomes) {
    onWait(check);
    yield await untilAborted(outcome, signal);
  }
}

async function runOne(check: Check, context: DoctorContext, signal: AbortSignal): Promise<CheckOutcome> {
  const late = new Error("late");
  try {
    const run = (limited: AbortSignal) => check.run(context, limited);
    return { check, findings: await runWithin(context.clock, CHECK_MS, signal, run, late) };
  } catch (error) {
    if (error === late) {
      const message = `This was not known within ${CHECK_MS / 1_000} s.`;
      const hint = "Check the network and how busy the machine is, then run `hermes doctor` again.";
      return { check, findings: [{ state: "problem", message, hint }] };
    }
    const known = asHermesError(error);
    const isKnown = known.code !== "INTERNAL";
    const failed = `This check itself failed: ${reasonOf(error)}.`;
    const finding = isKnown ? ofError(known) : warning(failed, "Run `hermes doctor` again; if it stays, report it.");
    return { check, findings: [finding] };
  }
}
