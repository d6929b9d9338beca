import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { HERMES_BIN, HermesMachine } from "../../e2e/support/hermes-process.ts";
import { longSession } from "../support/long-session.ts";
import type { Measurement } from "../support/measurement.ts";
import { cpuTimeMs, residentMiB } from "../support/process-usage.ts";
import { median, round, summarize, timed } from "../support/statistics.ts";
import { terminalHost } from "../support/terminal-host.ts";
import { timeHandoff } from "../support/time-handoff.ts";

/** Messages of 4,000 characters: 20 MB. */
const LONG = 5_000;

export const longHandoff: Measurement = {
  name: "long-handoff",
  what: "a session of 5,000 messages and 20 MB is handed to the web platform, until it is completed",
  unit: "ms",
  target: { figure: "p95", atMost: 200 },
  async run({ quick, progress }) {
    await using machine = new HermesMachine();
    const { pid } = await machine.startGateway();
    await using host = await terminalHost(machine);
    const ways = [
      { name: "compacted as it grew", compacted: true, taken: [] as number[], processor: [] as number[] },
      { name: "never compacted", compacted: false, taken: [] as number[], processor: [] as number[] },
    ];
    for (let i = 0; i < (quick ? 2 : 20); i++) {
      for (const { name, compacted, taken, processor } of ways) {
        const { id, characters } = await longSession(host, quick ? 500 : LONG, `Long ${i}`, { compacted });
        if (i === 0) progress(`${name}: a session of ${characters} characters`);
        await sleep(200);
        const used = cpuTimeMs(pid);
        taken.push((await timeHandoff(host, id)).completed);
        processor.push(cpuTimeMs(pid) - used);
      }
    }
    const cases = Object.fromEntries(
      ways.map(({ name, taken, processor }) => [name, { ...summarize(taken), processor: median(processor) }]),
    );
    return { values: summarize(ways.flatMap(({ taken }) => taken)), cases };
  },
};

export const longOpening: Measurement = {
  name: "long-opening",
  what: "`hermes resume` of such a session, from the start of the process until its end is shown",
  unit: "ms",
  target: { figure: "p95", atMost: 300 },
  async run({ quick, progress }) {
    await using machine = new HermesMachine();
    await using host = await terminalHost(machine);
    const { id, characters } = await longSession(host, quick ? 500 : LONG, "Long");
    progress(`a session of ${characters} characters is opened`);
    const short = await longSession(host, 100, "Short");
    const open = (session: string) =>
      timed(async () => {
        const options = { encoding: "utf8", input: "", env: machine.environment, cwd: machine.folder } as const;
        const { status, stderr } = spawnSync(process.execPath, [HERMES_BIN, "resume", session], options);
        if (status !== 0) throw new Error(`hermes resume ended with ${status}: ${stderr}`);
      });
    const long: number[] = [];
    const yardstick: number[] = [];
    for (let i = 0; i < (quick ? 3 : 20); i++) {
      long.push(await open(id));
      yardstick.push(await open(short.id));
    }
    return {
      values: summarize(long),
      baselines: [{ what: "a session of 100 messages", values: summarize(yardstick) }],
    };
  },
};

/** How long a gateway rests before its memory is read. */
const REST_MS = 12_000;

const COLLECTED_WITHIN_MS = 3_000;

const COLLECTS = new URL("../support/collects-when-asked.ts", import.meta.url).href;

export const restingSessions: Measurement = {
  name: "resting-sessions",
  what: "what 200 sessions that were handed to a gateway and rest add to its resident memory",
  unit: "MiB",
  target: { figure: "added", atMost: 10 },
  async run({ quick, progress }) {
    await using machine = new HermesMachine({}, { NODE_OPTIONS: `--import ${COLLECTS}` });
    const { pid } = await machine.startGateway();
    await using host = await terminalHost(machine);
    const handOver = async (count: number, name: string) => {
      for (let i = 0; i < count; i++) {
        const { id } = await longSession(host, 100, `${name} ${i}`);
        await timeHandoff(host, id);
      }
      await sleep(REST_MS);
      process.kill(pid, "SIGUSR2");
      await sleep(COLLECTED_WITHIN_MS);
      return residentMiB(pid);
    };
    const warm = await handOver(quick ? 5 : 50, "First");
    progress(`after the first sessions: ${round(warm)} MiB`);
    const rested = await handOver(quick ? 20 : 200, "Next");
    return { values: { added: round(rested - warm), before: round(warm), after: round(rested) } };
  },
};
