import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { DependencyContainer } from "tsyringe";
import { z } from "zod";
import { AGENT, type Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import { CLOCK } from "../base/tokens.ts";
import { CONFIG, type LoadedConfig } from "../config/config.ts";
import { defaultConfig } from "../config/load-config.ts";
import { createHost } from "../host/create-host.ts";
import type { Host } from "../host/host.ts";
import type { Handoff } from "../model/handoff.ts";
import { homeOf } from "../model/place.ts";
import { OPERATOR, type Session, type SessionId, type Surface, type UserId } from "../model/session.ts";
import { definePlugin } from "../plugin/descriptor.ts";
import { platformOptions } from "../plugin/platform-options.ts";
import { runCli } from "./program.ts";
import { createTestTerminal, type TestTerminal, type TestTerminalOptions } from "./test-terminal.ts";

/** What the test turns and writes down itself. */
interface TestParts<Model extends Agent, Time extends Clock> {
  readonly model: Model;
  readonly clock: Time;
}

/** A home with a store, and terminals to run commands in. */
export interface TestBench<Model extends Agent, Time extends Clock> extends TestParts<Model, Time>, AsyncDisposable {
  readonly folder: string;
  readonly home: string;
  /** Another process on the same store: what the test writes and reads itself. */
  readonly host: Host;
  readonly override: (container: DependencyContainer) => void;
  /** Runs a command with nobody at the terminal. */
  hermes(...argv: string[]): Promise<CommandRun>;
  /** Starts a command in a terminal of its own. */
  start(
    argv: readonly string[],
    options?: Pick<TestTerminalOptions, "interactive" | "plain" | "piped" | "columns">,
  ): RunningCommand;
  /** The store's file, past the store. */
  database(): Database.Database;
  /** Lets another process keep the store busy, until this is disposed of. */
  keepBusy(): Disposable;
  begin(title: string, user?: UserId): Promise<Session>;
  /** A turn with a question, a tool call and an answer. */
  exchange(sessionId: SessionId, question: string, answer: string, surface?: Surface): Promise<void>;
  requestHandoff(sessionId: SessionId): Promise<Handoff>;
}

interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  json(): ReturnType<typeof JSON.parse>;
}

interface RunningCommand extends TestTerminal {
  /** The exit code. */
  readonly ended: Promise<number>;
}

/** A config that names one platform, the pager; nobody serves it unless a test says so. */
function configWithPager(folder: string): LoadedConfig {
  const pager = definePlugin<unknown, unknown>({
    package: "hermes-plugin-pager",
    platform: "pager",
    apiVersion: 2,
    schema: z.object(platformOptions),
    create: () => Promise.reject(new Error("no test starts it")),
  });
  return defaultConfig(folder, {
    plugins: [{ descriptor: pager(), options: z.object(platformOptions).parse({}) }],
  });
}

export async function createTestBench<Model extends Agent, Time extends Clock>({
  model,
  clock,
  hasPager = false,
}: TestParts<Model, Time> & { readonly hasPager?: boolean }): Promise<TestBench<Model, Time>> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-cli-"));
  const home = join(folder, "home");
  const override = (container: DependencyContainer) => {
    container.registerInstance(AGENT, model);
    container.registerInstance(CLOCK, clock);
    if (hasPager) container.registerInstance(CONFIG, configWithPager(home));
  };
  const environment = { HERMES_HOME: home };
  const host = await createHost({ role: "terminal", environment, workingDirectory: folder, override });
  const { store, holder } = host;
  const opened: Database.Database[] = [];
  const database = () => {
    const one = new Database(join(home, "store", "hermes.db"));
    opened.push(one);
    return one;
  };

  const start: TestBench<Model, Time>["start"] = (argv, options = {}) => {
    const terminal = createTestTerminal({ home, workingDirectory: folder, ...options });
    return { ...terminal, ended: runCli(argv, { io: terminal.io, override }) };
  };

  return {
    folder,
    home,
    clock,
    model,
    host,
    override,
    start,
    async hermes(...argv) {
      const run = start(argv);
      run.end();
      const code = await run.ended;
      return { code, stdout: run.stdout(), stderr: run.stderr(), json: () => JSON.parse(run.stdout()) };
    },
    database,
    keepBusy() {
      const other = database();
      other.exec("BEGIN IMMEDIATE");
      return { [Symbol.dispose]: () => void other.exec("ROLLBACK") };
    },
    begin: (title, user = OPERATOR) => store.sessions.create({ title, user, origin: "terminal", originChat: null }),
    async exchange(sessionId, question, answer, surface = "terminal") {
      const message = { role: "user", text: question, surface } as const;
      const cause = { kind: "terminal" } as const;
      const started = await store.turns.startTurn({ sessionId, holder, cause, surface, leaseMs: 15_000, message });
      if (!started.ok) throw new Error(started.reason);
      const { turn, fence } = started;
      await store.turns.append(turn.id, fence, [
        { role: "assistant", text: "", toolCalls: [{ id: "call_1", name: "read_file", input: { path: "a.txt" } }] },
        { role: "tool", text: "contents", toolCallId: "call_1" },
      ]);
      const messages = [{ role: "assistant", text: answer }] as const;
      await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
    },
    async requestHandoff(sessionId) {
      const result = await store.handoffs.requestHandoff(sessionId, homeOf("pager"));
      if (!result.ok) throw new Error(result.reason);
      return result.handoff;
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened) one.close();
      await host[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
