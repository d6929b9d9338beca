import { setTimeout as sleep } from "node:timers/promises";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import type { Measurement } from "../support/measurement.ts";
import { residentMiB } from "../support/process-usage.ts";
import { summarize } from "../support/statistics.ts";

const SETTLE_MS = 5_000;

export const idleMemory: Measurement = {
  name: "idle-memory",
  what: "a gateway that serves the web platform and has nothing to do: its resident memory, once a second",
  unit: "MiB",
  target: { figure: "max", atMost: 120 },
  async run({ quick, progress }) {
    await using machine = new HermesMachine();
    const { pid } = await machine.startGateway();
    const seconds = quick ? 5 : 20;
    progress(`a gateway is watched for ${seconds} s`);
    await sleep(SETTLE_MS);
    const samples: number[] = [];
    for (let i = 0; i < seconds; i++) {
      samples.push(residentMiB(pid));
      await sleep(1_000);
    }
    return { values: summarize(samples) };
  },
};
