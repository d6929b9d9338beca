import { AGENT, type Host, OPERATOR, type SessionId, TOOLS } from "@hermes/core/embed";
import { callingAgent, IDLE_RULE, idleTool } from "../support/calling-agent.ts";
import { conversation } from "../support/fill.ts";
import type { Measurement, Values } from "../support/measurement.ts";
import { seededRandom } from "../support/random.ts";
import { createScratchHost, type ScratchHost } from "../support/scratch-host.ts";
import { median, summarize, timed } from "../support/statistics.ts";
import { createVocabulary } from "../support/vocabulary.ts";

interface Shape {
  readonly steps: number;
  readonly each: number;
  /** Messages that the session has before. */
  readonly before: number;
}

/** A turn has 39 steps with calls at most. */
const SHAPES: Readonly<Record<string, Shape>> = {
  "39 steps of one call": { steps: 39, each: 1, before: 0 },
  "one step of 50 calls": { steps: 1, each: 50, before: 0 },
};
const LONG: Readonly<Record<string, Shape>> = {
  "39 steps, behind 2,000 messages": { steps: 39, each: 1, before: 2_000 },
  "one step of 50, behind 2,000 messages": { steps: 1, each: 50, before: 2_000 },
};

export const toolCalls: Measurement = {
  name: "tool-calls",
  what: "a turn calls a tool that does nothing and that a rule allows: the time of the turn, a call",
  unit: "ms a call",
  target: { figure: "p95", atMost: 2 },
  async run({ quick, progress }) {
    const turns = quick ? 5 : 40;
    let shape: Shape = { steps: 0, each: 0, before: 0 };
    await using scratch = await createScratchHost({
      config: { plugins: [], permissions: { allow: [IDLE_RULE] } },
      override: (container) => {
        container.registerInstance(TOOLS, [idleTool()]);
        container.registerInstance(
          AGENT,
          callingAgent(() => shape),
        );
      },
    });
    const bare: number[] = [];
    const measured = async (name: string, next: Shape): Promise<Values> => {
      progress(`${turns} turns of ${name}`);
      shape = next;
      const times: number[] = [];
      const cpu: number[] = [];
      const calls = shape.steps * shape.each;
      for (let turn = 0; turn < turns + 2; turn++) {
        const sessionId = await newSession(scratch, shape.before);
        const from = process.cpuUsage();
        const took = await timed(() => runTurn(scratch.host, sessionId));
        const { user, system } = process.cpuUsage(from);
        const bareTook = await timed(() => bareTurn(scratch, 50));
        // The first ones compile.
        if (turn < 2) continue;
        times.push(took / calls);
        cpu.push((user + system) / 1_000 / calls);
        bare.push(bareTook / 50);
      }
      return { ...summarize(times), cpu: Math.round(median(cpu) * 1_000) / 1_000 };
    };
    const all = async (shapes: Readonly<Record<string, Shape>>) => {
      const found: Record<string, Values> = {};
      for (const [name, one] of Object.entries(shapes)) found[name] = await measured(name, one);
      return found;
    };
    const cases = await all(SHAPES);
    const casesBeside = await all(LONG);
    const [first = { p95: 0 }] = Object.values(cases).toSorted((a, b) => (b.p95 ?? 0) - (a.p95 ?? 0));
    const what = "a turn without tools that appends 50 messages by the store's calls: the time of the turn, an append";
    return { values: first, cases, casesBeside, baselines: [{ what, values: summarize(bare) }] };
  },
};

async function newSession({ host, folder }: ScratchHost, messages: number): Promise<SessionId> {
  const { store, holder } = host;
  const session = { user: OPERATOR, origin: "terminal", originChat: null, workingDirectory: folder } as const;
  const { id: sessionId } = await store.sessions.create(session);
  if (messages === 0) return sessionId;
  const message = { role: "user", text: "Begin." } as const;
  const begin = { sessionId, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 } as const;
  const started = await store.turns.startTurn({ ...begin, message });
  if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
  const end = { turnId: started.turn.id, fence: started.fence, state: "done", outbox: [] } as const;
  await store.turns.finishTurn({ ...end, messages: conversation(createVocabulary(), seededRandom(3), messages) });
  return sessionId;
}

async function runTurn({ runner }: Host, sessionId: SessionId): Promise<void> {
  const outcome = await runner.run({
    ...{ sessionId, cause: { kind: "terminal" }, surface: "terminal", tools: true },
    message: { role: "user", text: "Go" },
  });
  if (outcome.state !== "done") throw new Error(`a turn came out as ${outcome.state}`);
}

async function bareTurn(scratch: ScratchHost, appends: number): Promise<void> {
  const { store, holder } = scratch.host;
  const sessionId = await newSession(scratch, 0);
  const begin = { sessionId, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 } as const;
  const started = await store.turns.startTurn({ ...begin, message: { role: "user", text: "Go" } });
  if (!started.ok) throw new Error(`a turn could not be started: ${started.reason}`);
  const { turn, fence } = started;
  for (let i = 0; i < appends; i++) {
    await store.turns.append(turn.id, fence, [{ role: "assistant", text: "Nothing was done." }]);
  }
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
}
