import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolContext } from "../agent/agent.ts";
import { systemClock } from "../base/clock.ts";
import { createConcealer } from "../base/redact.ts";
import type { Session, SessionId } from "../model/session.ts";
import { type WorkspaceToolsOptions, workspaceTools } from "./index.ts";
import { Jobs } from "./shell/jobs.ts";

/** A session's directory and Hermes' home in a folder of this machine, and the tools that work there. */
export class TestWorkspace implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "hermes-tools-")));
  readonly directory = join(this.folder, "project");
  readonly home = join(this.folder, "home");
  readonly jobs: Jobs;
  readonly #deleted = new Set<SessionId>();
  readonly #listeners = new Set<() => void>();
  readonly #tools;

  constructor(files: Readonly<Record<string, string>> = {}, options: Partial<WorkspaceToolsOptions> = {}) {
    for (const folder of [this.directory, this.home]) mkdirSync(folder);
    for (const [path, text] of Object.entries(files)) this.put(path, text);
    const sessions = {
      has: async (id: SessionId) => !this.#deleted.has(id),
      watch: (listener: () => void) => {
        this.#listeners.add(listener);
        return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
      },
    };
    this.jobs = new Jobs(this.home, systemClock, createConcealer(["s3cret-word"]), sessions, 50);
    this.#tools = workspaceTools({ home: this.home, jobs: this.jobs, ...options });
  }

  delete(id: SessionId): void {
    this.#deleted.add(id);
    for (const listener of this.#listeners) listener();
  }

  put(path: string, content: string | Uint8Array): void {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  where(changes: Partial<ToolContext> = {}): ToolContext {
    const session = { id: "ses_1" as SessionId } as Session;
    return { session, directory: this.directory, signal: new AbortController().signal, ...changes };
  }

  tool(name: string) {
    const found = this.#tools.find((tool) => tool.name === name);
    if (found === undefined) throw new Error(`there is no tool ${name}`);
    return found;
  }

  /** The result of a call, with its error in its place. */
  async run(name: string, input: unknown, where: ToolContext = this.where()): Promise<string> {
    const tool = this.tool(name);
    try {
      return (await tool.run(this.parsed(name, input), where)).text;
    } catch (error) {
      return `Error: ${(error as Error).message}`;
    }
  }

  /** The input as the tool gets it, with its defaults. */
  parsed(name: string, input: unknown): unknown {
    const checked = this.tool(name).input["~standard"].validate(input);
    if (checked instanceof Promise || checked.issues) throw new Error(`${name} does not take that input`);
    return checked.value;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}
