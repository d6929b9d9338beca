import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "@hermes/core/embed";
import { createVirtualClock } from "@hermes/testing";
import { z } from "zod";
import type { Agent, AgentRequest, RequestedCall, Tool } from "../agent/agent.ts";
import { toModelMessages } from "../agent/message-history.ts";
import { HermesError } from "../base/errors.ts";
import { silentLogger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import { createConcealer } from "../base/redact.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";
import type { TokenUsage } from "../model/usage.ts";
import type { Store } from "../store/store.ts";
import { LeasedTurns } from "./leased-turns.ts";
import { testPolicy } from "./test-policy.ts";
import type { TurnEvent, TurnRequest } from "./turn-runner.ts";

const cleanUps: (() => void | Promise<void>)[] = [];

/** Closes what the machines of a test have opened. */
export async function closeMachines(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}

/** What a model of the test says: a text, calls, or an error. */
export type Answer = string | { readonly call: readonly string[] } | Error;

/** Windows of models that stand in for `test/model`. */
export const WINDOWS: Readonly<Record<string, number>> = { "test/small": 8_000, "test/smallest": 4_000 };

/** A model whose summaries copy every line that it is told to keep. */
export class CopyingModel implements Agent {
  readonly sent: AgentRequest[] = [];
  readonly summaries: string[] = [];
  /** What is said next; `done` after its end. */
  readonly answers: Answer[] = [];
  /** What summaries are made of; null for the default. */
  summary: ((request: string) => Answer | Promise<Answer>) | null = null;
  /** Tokens that it reads: more of them is an error. */
  window = Number.POSITIVE_INFINITY;
  tokensOfFile = 0;
  usage: ((request: AgentRequest) => TokenUsage) | null = null;
  name = "test/model";
  /** The one that answers for it. */
  answering = this.name;

  /** How often it found a request too long, and whether it says then what it reads. */
  refused = 0;
  tellsWindow = false;

  modelOf = () => this.name;

  #tooLong(): HermesError {
    this.refused += 1;
    const fields = { model: this.answering, ...(this.tellsWindow ? { window: this.window } : {}) };
    return new HermesError("AGENT_CONTEXT_FULL", fields);
  }

  async *run(request: AgentRequest): ReturnType<Agent["run"]> {
    request.signal.throwIfAborted();
    const text = request.messages.map((message) => message.text).join("\n");
    const files = request.messages.reduce((sum, { files: { length } = [] }) => sum + length, 0);
    if (text.length / 4 + files * this.tokensOfFile > this.window) throw this.#tooLong();
    const isSummary = text.startsWith("[Hermes replaces the beginning");
    if (!isSummary) this.sent.push(request);
    else this.summaries.push(text);
    const answer = isSummary ? await (this.summary ?? copied)(text) : (this.answers.shift() ?? "done");
    if (answer instanceof Error) throw answer;
    const calls = typeof answer === "string" ? [] : answer.call.map((name, at) => callOf(name, at));
    const usage = this.usage?.(request);
    yield { type: "message", text: typeof answer === "string" ? answer : "", calls, usage };
  }
}

function callOf(name: string, at: number): RequestedCall {
  return { call: { id: `call_${at}`, name, input: { of: name } }, problem: null };
}

const FENCE = "```";

/** Each line with KEEP in it once, and the open questions as a state. */
export function copied(request: string): string {
  const lines = request.split("\n").filter((line) => line.includes("KEEP"));
  const kept = [...new Set(lines.map((line) => line.slice(line.indexOf("KEEP"))))];
  const questions = [...new Set([...request.matchAll(/OPEN: [\w ]+\?/g)].map(([found]) => found))];
  const state = {
    task: "the task",
    progress: null,
    nextStep: null,
    decisions: [],
    openQuestions: questions,
    files: [],
  };
  return `## Done, do not repeat\n${kept.join("\n")}\n\n${FENCE}hermes-state\n${JSON.stringify(state)}\n${FENCE}`;
}

export async function machine(window: number | null = 10_000, wrap: (model: CopyingModel) => Agent = (model) => model) {
  const folder = mkdtempSync(join(tmpdir(), "hermes-compaction-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  const clock = createVirtualClock();
  const gone = new Set<string>();
  let ids = 0;
  const store = await openStore(folder, {
    clock,
    ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(6, "0")}` },
    probe: { fate: ({ id }) => (gone.has(id) ? "gone" : "alive") },
  });
  cleanUps.push(() => store.close());
  const { id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null, title: "t" });
  const model = new CopyingModel();
  const results = new Map<string, () => string>();
  const tools = ["look", "big", "refused"].map((name) => tool(name, () => results.get(name)?.() ?? `${name} found`));
  const process = (with_: (store: Store) => Store = (same) => same) => {
    const holder: Holder = { id: `prc_${++ids}`, host: "here", pid: ids, pidStart: "1", role: "terminal" };
    const parts = [with_(store), clock, silentLogger, holder, testPolicy(tools), (text: string) => text] as const;
    const turns = new LeasedTurns(...parts, createConcealer(["hunter2secret"]), wrap(model), {
      factsOf: (name) => ({ window: WINDOWS[name] ?? window }) as never,
    });
    return { turns, kill: () => void gone.add(holder.id) };
  };
  const { turns } = process();
  const events: TurnEvent[] = [];
  const ask = (text: string, more: Partial<TurnRequest> = {}, runner = turns) =>
    runner.run({
      ...{ sessionId: id, cause: { kind: "terminal" }, surface: "terminal", tools: true },
      message: { role: "user", text },
      onEvent: (event) => void events.push(event),
      ...more,
    });
  const compact = (focus: string | null = null, runner = turns) =>
    runner.compact({ sessionId: id, surface: "terminal", focus, onEvent: (event) => void events.push(event) });
  return { id, store, clock, model, results, process, ask, compact, events };
}

function tool(name: string, run: () => string): Tool {
  return {
    ...{ name, description: name, input: z.unknown(), effect: "reads" },
    summary: () => name,
    subjects: () => [],
    run: async () => ({ text: run() }),
  };
}

/** Characters that are this many tokens. */
export function words(tokens: number, text = "lorem "): string {
  return text.repeat(Math.ceil((tokens * 4) / text.length)).slice(0, tokens * 4);
}

export function sentText(request: AgentRequest | undefined): string {
  return JSON.stringify(toModelMessages(request?.messages ?? []));
}

export async function count(store: Store, id: SessionId): Promise<number> {
  return (await store.compactions.list(id, 1_000)).length;
}

export async function begin({ store, id }: Awaited<ReturnType<typeof machine>>, text = "a question") {
  const holder: Holder = { id: "prc_x", host: "here", pid: 1, pidStart: "1", role: "terminal" };
  const started = await store.turns.startTurn({
    ...{ sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000 },
    message: { role: "user", text },
  });
  if (!started.ok) throw new Error(`the turn was refused: ${started.reason}`);
  return started;
}

/** Five exchanges of which the first two are the longest, so that the next message fills a window of 10,000 tokens. */
export async function nearlyFull(
  { ask }: Awaited<ReturnType<typeof machine>>,
  first = "KEEP the port is 4711",
): Promise<void> {
  await ask(`${first}\n${words(2_300)}`);
  await ask(words(2_300));
  for (let at = 0; at < 3; at++) await ask(words(1_050));
}

export const NEXT = words(1_050, "dolor ");
