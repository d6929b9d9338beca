import type { Measurement } from "../support/measurement.ts";
import { summarize } from "../support/statistics.ts";
import { timeHandoffs } from "../support/time-handoff.ts";

export const handoffClaim: Measurement = {
  name: "handoff-claim",
  what: "a handoff is asked for in one process, until that process sees that a gateway has claimed it",
  unit: "ms",
  target: { figure: "p95", atMost: 2 },
  run: async (options) => ({ values: summarize((await timeHandoffs(options)).map(({ claimed }) => claimed)) }),
};
