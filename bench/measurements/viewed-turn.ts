import { AGENT, type Agent, type Host, OPERATOR } from "@hermes/core/embed";
import type { Measurement, Values } from "../support/measurement.ts";
import { createScratchHost } from "../support/scratch-host.ts";
import { summarize } from "../support/statistics.ts";

/** An answer of 4,000 characters in two seconds, as a model writes it. */
const PIECES = 100;
const PIECE = "Boats leave at noon, and at six in summer. ";
const EVERY_MS = 20;

const speaking: Agent = {
  modelOf: () => "bench/speaking",
  async *run() {
    for (let at = 0; at < PIECES; at++) {
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      yield { type: "text", delta: PIECE };
    }
    yield { type: "message", text: PIECE.repeat(PIECES), calls: [] };
  },
};

export const viewedTurn: Measurement = {
  name: "viewed-turn",
  what: "an answer of 4,000 characters is written in two seconds: the processor time of the turn, viewed and not",
  unit: "ms of processor time",
  target: { figure: "p95", atMost: 200 },
  async run({ quick, progress }) {
    const turns = quick ? 2 : 15;
    await using scratch = await createScratchHost({
      override: (container) => void container.registerInstance(AGENT, speaking),
    });
    const { host } = scratch;
    const measured = async (name: string, isViewed: boolean): Promise<Values> => {
      progress(`${turns} turns, ${name}`);
      const cpu: number[] = [];
      // The first one compiles.
      for (let turn = 0; turn <= turns; turn++) {
        const micros = await spokenTurn(host, isViewed);
        if (turn > 0) cpu.push(micros / 1_000);
      }
      return summarize(cpu);
    };
    const cases = {
      "nobody views it": await measured("which nobody views", false),
      "another process views it": await measured("which another process views", true),
    };
    return { values: cases["another process views it"], cases };
  },
};

/** Returns the processor time in microseconds. */
async function spokenTurn({ store, holder, runner }: Host, isViewed: boolean): Promise<number> {
  const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  const viewer = { ...holder, id: "viewer" };
  const view = { sessionId, holder: viewer, surface: "terminal", restedMs: 0, leaseMs: 60_000 } as const;
  if (isViewed) await store.views.keep(view);
  const before = process.cpuUsage();
  const outcome = await runner.run({
    ...{ sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: false },
    message: { role: "user", text: "When?" },
  });
  const { user, system } = process.cpuUsage(before);
  if (outcome.state !== "done") throw new Error(`a turn came out as ${outcome.state}`);
  await store.views.close(viewer);
  return user + system;
}
