import { setTimeout as sleep } from "node:timers/promises";
import { idleAtPage, idleAtSix } from "../support/idle-gateway.ts";
import type { Measurement, RunOptions } from "../support/measurement.ts";
import { residentMiB } from "../support/process-usage.ts";
import { summarize } from "../support/statistics.ts";

export const idleMemory: Measurement = {
  name: "idle-memory",
  what: "a gateway that serves the web platform and has nothing to do: its resident memory, once a second",
  unit: "MiB",
  target: { figure: "max", atMost: 90 },
  run: (options) => memory(options, idleAtPage),
};

export const idleMemoryAtSix: Measurement = {
  name: "idle-memory-six",
  what: "a gateway that serves six messaging platforms and has nothing to do: its resident memory, once a second",
  unit: "MiB",
  target: { figure: "max", atMost: 200 },
  run: (options) => memory(options, idleAtSix),
};

async function memory({ quick, progress }: RunOptions, start: typeof idleAtPage) {
  await using gateway = await start();
  const seconds = quick ? 5 : 20;
  progress(`a gateway is watched for ${seconds} s`);
  const samples: number[] = [];
  for (let i = 0; i < seconds; i++) {
    samples.push(residentMiB(gateway.pid));
    await sleep(1_000);
  }
  return { values: summarize(samples) };
}
