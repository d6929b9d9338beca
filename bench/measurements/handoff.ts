import type { Measurement, Target } from "../support/measurement.ts";
import { summarize } from "../support/statistics.ts";
import { type HandoffTimes, timeHandoffs } from "../support/time-handoff.ts";

export const handoffClaim = handoffUntil("claimed", {
  name: "handoff-claim",
  what: "a handoff is asked for in one process, until that process sees that a gateway has claimed it",
  target: { figure: "p95", atMost: 2 },
});

export const handoffDelivered = handoffUntil("completed", {
  name: "handoff-delivered",
  what: "a handoff to the web platform is asked for, until it is completed: thread, notice, card and answer are there",
  target: { figure: "p50", atMost: 6 },
});

function handoffUntil(
  step: keyof HandoffTimes,
  about: { readonly name: string; readonly what: string; readonly target: Target },
): Measurement {
  return {
    ...about,
    unit: "ms",
    run: async (options) => ({ values: summarize((await timeHandoffs(options)).map((times) => times[step])) }),
  };
}
