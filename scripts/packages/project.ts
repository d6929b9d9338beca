import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const root = resolve(import.meta.dirname, "../..");

/** The versions of what packages are installed with. */
const MANAGERS = { pnpm: "pnpm@10", yarn: "@yarnpkg/cli-dist@4" } as const;

export type Manager = "npm" | keyof typeof MANAGERS;

/** What a command wrote, and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly text: string;
}

/** A folder outside of the workspace, with a home of its own, in which somebody installs our packages. */
export class Project implements Disposable {
  readonly folder: string;
  readonly home: string;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(folder: string, registry: string, cache: string) {
    this.folder = join(folder, "project");
    this.home = join(folder, "home");
    for (const path of [this.folder, this.home]) mkdirSync(path, { recursive: true });
    this.#environment = {
      PATH: `${join(root, "node_modules/node/bin")}:${process.env.PATH}`,
      HOME: this.home,
      NO_COLOR: "1",
      npm_config_registry: registry,
      npm_config_cache: cache,
      npm_config_prefix: join(folder, "global"),
      npm_config_update_notifier: "false",
      YARN_NPM_REGISTRY_SERVER: registry,
      YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
    };
  }

  write(files: Readonly<Record<string, string | object>>): void {
    for (const [name, content] of Object.entries(files)) {
      const path = name.startsWith("~/") ? join(this.home, name.slice(2)) : join(this.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content, null, 2), { mode: 0o600 });
    }
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Where programs are looked for: Node 24 first. */
  get path(): string {
    return this.#environment.PATH ?? "";
  }

  /** Runs a command to its end, however it ends. */
  async run(
    command: string,
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
    folder = this.folder,
  ): Promise<Outcome> {
    const options = { cwd: folder, env: { ...this.#environment, ...more }, maxBuffer: 2 ** 26 };
    try {
      const { stdout, stderr } = await run(command, args, options);
      return { code: 0, text: stdout + stderr };
    } catch (error) {
      const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
      return { code: typeof code === "number" ? code : 1, text: `${stdout}${stderr}` };
    }
  }

  async mustRun(command: string, ...args: string[]): Promise<string> {
    const { code, text } = await this.run(command, args);
    if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${text}`);
    return text;
  }

  /** Runs a package manager. */
  manager(name: Manager, ...args: string[]): Promise<string> {
    if (name === "npm") return this.mustRun("npm", ...args);
    return this.mustRun("npm", "exec", "--yes", "--package", MANAGERS[name], "--", name, ...args);
  }

  /** Compiles the project's own files with the workspace's TypeScript. */
  compile(): Promise<string> {
    return this.mustRun(join(root, "node_modules/.bin/tsc"), "-p", this.folder);
  }

  get globalBin(): string {
    return join(this.folder, "../global/bin");
  }

  [Symbol.dispose](): void {
    const parent = dirname(this.folder);
    for (const entry of readdirSync(parent)) rmSync(join(parent, entry), { recursive: true, force: true });
  }
}
