import { setTimeout as sleep } from "node:timers/promises";
import { HermesMachine } from "../../e2e/support/hermes-process.ts";
import { fillWaiting } from "../support/fill-waiting.ts";
import type { Measurement } from "../support/measurement.ts";
import { cpuTimeMs, residentMiB } from "../support/process-usage.ts";
import { median, round, summarize, timed } from "../support/statistics.ts";

/** What starting up has left to do is done by then. */
const SETTLE_MS = 20_000;

const TURNS = 10_000;

export const waitingTurns: Measurement = {
  name: "waiting-turns",
  what: "10,000 turns wait for people beside an idle gateway: the share of one core that this adds, and the memory",
  unit: "% of a core",
  target: { figure: "added", atMost: 0.1 },
  async run({ quick, progress }) {
    const seconds = quick ? 20 : 120;
    await using empty = new HermesMachine();
    await using filled = new HermesMachine();
    progress(`${TURNS} turns are parked`);
    await fillWaiting(await filled.store(), "web", TURNS);
    const gateways = [await empty.startGateway(), await filled.startGateway()];
    progress(`two gateways are watched side by side for ${seconds} s`);
    await sleep(quick ? 5_000 : SETTLE_MS);
    const used = gateways.map(({ pid }) => cpuTimeMs(pid));
    const memory: number[][] = gateways.map(() => []);
    const from = performance.now();
    for (let second = 0; second < seconds; second++) {
      await sleep(1_000);
      for (const [at, { pid }] of gateways.entries()) memory[at]?.push(residentMiB(pid));
    }
    const lasted = performance.now() - from;
    const [without, beside] = gateways.map(({ pid }, at) => ({
      share: round(((cpuTimeMs(pid) - (used[at] ?? 0)) / lasted) * 100),
      MiB: round(median(memory[at] ?? [])),
    }));
    if (!without || !beside) throw new Error("a gateway is missing");
    const looks = { empty: await look(empty), filled: await look(filled) };
    return {
      values: {
        added: round(beside.share - without.share),
        addedMiB: round(beside.MiB - without.MiB),
        ...{ share: beside.share, MiB: beside.MiB, seconds },
      },
      casesBeside: { "one look for turns to go on with, in ms": looks.filled },
      baselines: [
        { what: "the same gateway without them, at the same time", values: without },
        { what: "one such look without them, in ms", values: looks.empty },
      ],
    };
  },
};

/** How long the look takes that a gateway does every two seconds, and at each write. */
async function look(machine: HermesMachine) {
  const { turns } = await machine.store();
  const times: number[] = [];
  for (let i = 0; i < 200; i++) {
    times.push(await timed(() => turns.resumable({ platform: "web", account: undefined })));
  }
  return summarize(times);
}
