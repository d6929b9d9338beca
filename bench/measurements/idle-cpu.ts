import { setTimeout as sleep } from "node:timers/promises";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import type { Measurement } from "../support/measurement.ts";
import { cpuTimeMs } from "../support/process-usage.ts";
import { round } from "../support/statistics.ts";

/** What starting up has left to do is done by then. */
const SETTLE_MS = 5_000;

export const idleCpu: Measurement = {
  name: "idle-cpu",
  what: "a gateway that serves the web platform and has nothing to do: the share of one core it uses",
  unit: "% of a core",
  target: { figure: "share", atMost: 1 },
  async run({ quick, progress }) {
    await using machine = new HermesMachine();
    const { pid } = await machine.startGateway();
    const seconds = quick ? 20 : 60;
    progress(`a gateway is watched for ${seconds} s`);
    await sleep(SETTLE_MS);
    const used = cpuTimeMs(pid);
    const from = performance.now();
    await sleep(seconds * 1_000);
    const share = ((cpuTimeMs(pid) - used) / (performance.now() - from)) * 100;
    return { values: { share: round(share), seconds } };
  },
};
