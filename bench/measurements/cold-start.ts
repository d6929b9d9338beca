import { spawnSync } from "node:child_process";
import { HERMES_BIN } from "../../e2e/support/hermes-process.ts";
import type { Measurement } from "../support/measurement.ts";
import { round, summarize } from "../support/statistics.ts";

export const coldStart: Measurement = {
  name: "cold-start",
  what: "`hermes --version`, by how much its median is above that of an empty `node -e 0`",
  unit: "ms",
  target: { figure: "above", atMost: 100 },
  async run({ quick, progress }) {
    const rounds = quick ? 5 : 30;
    progress(`${rounds} starts of each, turn by turn`);
    const hermes: number[] = [];
    const empty: number[] = [];
    for (let i = 0; i < rounds; i++) {
      hermes.push(start([HERMES_BIN, "--version"]));
      empty.push(start(["-e", "0"]));
    }
    const ours = summarize(hermes);
    const yardstick = summarize(empty);
    return {
      values: { above: round(ours.p50 - yardstick.p50), ...ours },
      baselines: [{ what: "`node -e 0`", values: yardstick }],
    };
  },
};

/** How long a process of this Node takes from its start to its end, in milliseconds. */
function start(args: readonly string[]): number {
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - from;
}
