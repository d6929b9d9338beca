import { setTimeout as sleep } from "node:timers/promises";
import { idleAtPage, idleAtSix } from "../support/idle-gateway.ts";
import type { Measurement, RunOptions } from "../support/measurement.ts";
import { cpuTimeMs } from "../support/process-usage.ts";
import { round } from "../support/statistics.ts";

export const idleCpu: Measurement = {
  name: "idle-cpu",
  what: "a gateway that serves the web platform and has nothing to do: the share of one core it uses",
  unit: "% of a core",
  target: { figure: "share", atMost: 0.3 },
  run: (options) => share(options, idleAtPage),
};

export const idleCpuAtSix: Measurement = {
  name: "idle-cpu-six",
  what: "a gateway that serves six messaging platforms and has nothing to do: the share of one core it uses",
  unit: "% of a core",
  target: { figure: "share", atMost: 0.3 },
  run: (options) => share(options, idleAtSix),
};

async function share({ quick, progress }: RunOptions, start: typeof idleAtPage) {
  await using gateway = await start();
  const seconds = quick ? 20 : 60;
  progress(`a gateway is watched for ${seconds} s`);
  const used = cpuTimeMs(gateway.pid);
  const from = performance.now();
  await sleep(seconds * 1_000);
  const share = ((cpuTimeMs(gateway.pid) - used) / (performance.now() - from)) * 100;
  return { values: { share: round(share), seconds } };
}
