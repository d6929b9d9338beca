import type { Measurement } from "../support/measurement.ts";
import { summarize } from "../support/statistics.ts";
import { timeHandoffs } from "../support/time-handoff.ts";

export const handoffDelivered: Measurement = {
  name: "handoff-delivered",
  what: "a handoff to the web platform is asked for, until it is completed: thread, notice, card and answer are there",
  unit: "ms",
  target: { figure: "p50", atMost: 6 },
  run: async (options) => ({ values: summarize((await timeHandoffs(options)).map(({ completed }) => completed)) }),
};
