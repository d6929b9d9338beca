import { setTimeout as sleep } from "node:timers/promises";
import { idleAtPage, idleAtSix } from "../support/idle-gateway.ts";
import type { Measurement } from "../support/measurement.ts";
import { cpuTimeMs, residentMiB } from "../support/process-usage.ts";
import { round, summarize } from "../support/statistics.ts";

/** The gateways that are watched while they have nothing to do. */
const GATEWAYS = [
  { suffix: "", serves: "the web platform", start: idleAtPage, atMostMiB: 90 },
  { suffix: "-six", serves: "six messaging platforms", start: idleAtSix, atMostMiB: 200 },
];

export const idleCpu = GATEWAYS.map(
  ({ suffix, serves, start }): Measurement => ({
    name: `idle-cpu${suffix}`,
    what: `a gateway that serves ${serves} and has nothing to do: the share of one core it uses`,
    unit: "% of a core",
    target: { figure: "share", atMost: 0.3 },
    async run({ quick, progress }) {
      await using gateway = await start();
      const seconds = quick ? 20 : 60;
      progress(`a gateway is watched for ${seconds} s`);
      const used = cpuTimeMs(gateway.pid);
      const from = performance.now();
      await sleep(seconds * 1_000);
      const share = ((cpuTimeMs(gateway.pid) - used) / (performance.now() - from)) * 100;
      return { values: { share: round(share), seconds } };
    },
  }),
);

export const idleMemory = GATEWAYS.map(
  ({ suffix, serves, start, atMostMiB }): Measurement => ({
    name: `idle-memory${suffix}`,
    what: `a gateway that serves ${serves} and has nothing to do: its resident memory, once a second`,
    unit: "MiB",
    target: { figure: "max", atMost: atMostMiB },
    async run({ quick, progress }) {
      await using gateway = await start();
      const seconds = quick ? 5 : 20;
      progress(`a gateway is watched for ${seconds} s`);
      const samples: number[] = [];
      for (let i = 0; i < seconds; i++) {
        samples.push(residentMiB(gateway.pid));
        await sleep(1_000);
      }
      return { values: summarize(samples) };
    },
  }),
);
