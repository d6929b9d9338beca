import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type Random, seededRandom } from "@hermes/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import type { Conversation } from "../adapter/conversation.ts";
import { buildSessionKey, type SessionKey } from "../adapter/session-key.ts";
import type { Agent, AgentRequest, Tool } from "../agent/agent.ts";
import { toModelMessages } from "../agent/message-history.ts";
import { silentLogger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import { createConcealer } from "../base/redact.ts";
import { matchResults } from "../model/call-results.ts";
import type { Limits } from "../model/limit.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";
import { TOOL_INTERRUPTED } from "../model/transcript.ts";
import type { TurnCause } from "../model/turn.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import { LeasedTurns } from "./leased-turns.ts";
import { testPolicy } from "./test-policy.ts";
import { checkWire } from "./test-wire.ts";

/** More histories than `npm test` has time for; see CONTRIBUTING.md. */
const HISTORIES = Number(process.env.HERMES_HISTORIES ?? 300);

/** How many requests are made for one that is checked as it is sent, which takes longest. */
const WIRE_EVERY = process.env.HERMES_HISTORIES === undefined ? 8 : 1;

/** The tokens that each message of the model has, and that each request uses. */
const OUTPUT = 3;
const REQUEST = 10 + OUTPUT;

const clock = createVirtualClock();
const gone = new Set<string>();
const folder = mkdtempSync(join(tmpdir(), "hermes-going-on-"));
let store: Store;
beforeAll(async () => {
  let ids = 0;
  store = await openSqliteStore({
    file: join(folder, "store", "hermes.db"),
    clock,
    ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(8, "0")}` },
    probe: { fate: (holder) => (gone.has(holder.id) ? "gone" : "alive") },
  });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What a process throws in this test once it was killed: it writes nothing more. */
class Killed extends Error {}

/** A session with its turns, each run by one process after the other until it ends. */
class History {
  readonly random: Random;
  readonly session: SessionId;
  /** How often each call ran, by its input. */
  readonly ran = new Map<string, number>();
  readonly said: string[] = [];
  /** Some sessions may use so little that people are asked whether a turn goes on. */
  readonly limits: Limits;
  #inputs = 0;
  #processes = 0;

  constructor(random: Random, session: SessionId) {
    this.random = random;
    this.session = session;
    this.limits = random.below(3) === 0 ? { session: { tokens: 3 * REQUEST } } : {};
  }

  async turn(at: number): Promise<void> {
    const text = `request-${at}`;
    this.said.push(text);
    const chat: Conversation = { platform: "p", chatId: this.session, kind: "dm" };
    const surface = buildSessionKey(chat);
    const message = { conversation: chat, messageId: `m${at}`, sender: { id: "ada" }, text, sentAt: 0 };
    const accepted = await store.inbox.acceptInbound(surface, message);
    if (accepted.outcome !== "accepted") throw new Error(`the message was ${accepted.outcome}`);
    const cause: TurnCause = { kind: "inbox", inboxId: accepted.row.id };
    const run = (turns: LeasedTurns) =>
      turns.run({ sessionId: this.session, cause, surface, message: { role: "user", text }, tools: true });
    for (let life = 0; life < 90; life++) {
      await this.#answerQuestions(surface, `instead-${at}-${life}`);
      const [waiting] = await store.turns.resumable({ platform: "p", account: undefined });
      const turns = this.#process();
      const result = await (waiting ? turns.resume({ turnId: waiting.id }) : run(turns)).catch(
        (error: unknown) => error,
      );
      if (result instanceof Killed) continue;
      if (result instanceof Error) throw result;
      expect(result).toMatchObject({ state: expect.stringMatching(/^(done|refused|parked|failed)$/) });
      if ((result as { readonly state: string }).state !== "parked") return;
    }
    throw new Error("the turn never ended");
  }

  /** People answer what is asked: yes, no, or with other words, which mean no. */
  async #answerQuestions(surface: SessionKey, words: string): Promise<void> {
    for (const { id } of await store.approvals.open(this.session)) {
      const by = { name: "you", author: "terminal" } as const;
      const decision = { kind: this.random.pick(["once", "once", "session", "no"] as const) };
      const isInstead = decision.kind === "no" && this.random.below(3) === 0;
      const message = isInstead ? ({ role: "user", text: words, surface } as const) : undefined;
      const { state } = await store.approvals.decide({ id, decision, by, surface, message });
      if (isInstead && state === "decided") this.said.push(words);
    }
  }

  /** A process that is killed before or after one of its writes, or while a tool runs. */
  #process(): LeasedTurns {
    const holder: Holder = {
      id: `${this.session}-${++this.#processes}`,
      host: "here",
      pid: 1,
      pidStart: "1",
      role: "gateway",
    };
    let left = this.random.below(3) === 0 ? Number.POSITIVE_INFINITY : this.random.below(9);
    const die = () => {
      gone.add(holder.id);
      left = -1;
      throw new Killed();
    };
    const kill = (isBefore: boolean) => {
      if (left < 0) die();
      if (left === 0 && isBefore === (this.random.below(2) === 0)) die();
      if (!isBefore && left-- === 0) die();
    };
    const cut =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        kill(true);
        const result = await call(...args);
        kill(false);
        return result;
      };
    const { turns } = store;
    const cutTurns = {
      ...turns,
      startTurn: cut(turns.startTurn),
      append: cut(turns.append),
      beginCall: cut(turns.beginCall),
      finishTurn: cut(turns.finishTurn),
      parkTurn: cut(turns.parkTurn),
      resumeTurn: cut(turns.resumeTurn),
    };
    const run = (input: unknown) => {
      const key = JSON.stringify(input);
      this.ran.set(key, (this.ran.get(key) ?? 0) + 1);
      kill(false);
      return Promise.resolve({ text: `result of ${key}` });
    };
    const tool = (effect: Tool["effect"]): Tool => ({
      ...{ name: effect, description: effect, input: z.unknown(), effect, run },
      summary: () => effect,
      subjects: () => [],
    });
    const parts = [{ ...store, turns: cutTurns }, clock, silentLogger, holder] as const;
    const tools = [tool("reads"), tool("writes"), { ...tool("writes"), name: "asks" }];
    return new LeasedTurns(
      ...parts,
      testPolicy(tools, {}, ["reads", "writes"]),
      (text) => text,
      createConcealer([]),
      this.#agent(),
      undefined,
      this.limits,
    );
  }

  #agent(): Agent {
    const ask = async (request: AgentRequest) => {
      if (this.random.below(WIRE_EVERY) === 0) await checkWire(request, this.random.below(3));
      const sent = JSON.stringify(toModelMessages(request.messages));
      for (const { role, text } of request.messages) {
        if (role === "tool") expect(sent).toContain(JSON.stringify(text));
      }
      const last = request.messages.findLast(({ role }) => role === "user");
      expect(last?.text).toBe(this.said.at(-1));
    };
    const { random } = this;
    const call = () => ({
      call: {
        id: random.pick(["", "call_1", "toolu_9"]),
        name: random.pick(["reads", "writes", "asks", "gone"]),
        input: { n: ++this.#inputs },
      },
      problem: random.below(6) === 0 ? "not JSON" : null,
    });
    return {
      modelOf: () => "scripted/model",
      async *run(request) {
        await ask(request);
        if (random.below(2) === 0) yield { type: "text", delta: "Half" };
        const calls = request.mayCall && random.below(3) > 0 ? Array.from({ length: 1 + random.below(3) }, call) : [];
        yield {
          type: "message",
          text: calls.length === 0 ? "Half said, all said." : random.pick(["", "Look."]),
          calls,
          usage: { input: 10, cacheRead: 0, cacheWrite: 0, output: OUTPUT },
        };
      },
    };
  }

  async check(): Promise<void> {
    const rows = await store.transcripts.read(this.session);
    const texts = rows.filter(({ role }) => role === "user").map(({ text }) => text);
    expect(texts).toEqual(this.said);
    expect(rows.map(({ text }) => text)).not.toContain("Half");
    const results = matchResults(rows);
    expect(rows.filter(({ role }) => role === "tool")).toHaveLength([...results.values()].flat().length);
    for (const [{ toolCalls = [] }, found] of results) {
      for (const [at, { name, input }] of toolCalls.entries()) {
        const times = this.ran.get(JSON.stringify(input)) ?? 0;
        const text = found[at]?.text;
        expect(text).toBeDefined();
        if (name === "writes" || name === "asks") expect(times).toBeLessThanOrEqual(1);
        // What ran is never told as if it had not, nor the other way round.
        if (text?.startsWith("result of")) expect(times).toBeGreaterThan(0);
        else if (text !== TOOL_INTERRUPTED) expect(times).toBe(0);
      }
    }
    expect(await store.turns.running(this.session)).toBeNull();
    // What each message used is counted once, and nothing else is.
    const ofModel = rows.filter(({ role, internal }) => role === "assistant" && !internal);
    const used = await store.usage.groups("turn", { session: this.session, limit: 100 });
    expect(used.reduce((sum, { requests }) => sum + requests, 0)).toBe(ofModel.length);
    expect(used.reduce((sum, { output }) => sum + output, 0)).toBe(ofModel.length * OUTPUT);
  }
}

it(`loses nothing and repeats no effect in ${HISTORIES} histories cut at any write`, { timeout: 0 }, async () => {
  for (let seed = 0; seed < HISTORIES; seed++) {
    const random = seededRandom(seed);
    const { id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
    const history = new History(random, id);
    const turns = 1 + random.below(2);
    try {
      for (let at = 0; at < turns; at++) await history.turn(at);
      await history.check();
    } catch (error) {
      throw new Error(`the history with seed ${seed}`, { cause: error });
    }
  }
});
