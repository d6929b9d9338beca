import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { openStore, type Store } from "@hermes/core/embed";
import { Screen, type ScreenOptions } from "./screen.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The built `hermes`, as npm links it. */
export const HERMES_BIN = join(root, "core/bin/hermes.js");

/** How long anything may take before a journey is called failed, in milliseconds; longer on a machine that is busy. */
const PATIENCE_MS = Number(process.env.HERMES_JOURNEY_PATIENCE_MS ?? 60_000);

/** A machine of its own for a journey: a home and a config in a temporary folder, and every process started in it. */
export class HermesMachine implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "hermes-journey-"));
  readonly home = join(this.folder, "home");
  readonly configPath = join(this.folder, "hermes.config.json");
  readonly environment: NodeJS.ProcessEnv;
  readonly #processes = new Set<HermesProcess>();
  #store: Promise<Store> | null = null;

  constructor(config: Record<string, unknown> = {}, environment: NodeJS.ProcessEnv = {}) {
    // Plugins are found from the config's folder.
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    // A port of the system's choosing, so that journeys run side by side and beside a Hermes of the user's own.
    const web = ["@hermes/plugin-web", { port: 0 }];
    writeFileSync(this.configPath, JSON.stringify({ plugins: [web], ...config }, null, 2));
    this.environment = {
      // `hermes` is a command there, as for whoever installed it: hints say so.
      PATH: [join(root, "e2e/support/bin"), process.env.PATH].join(delimiter),
      HOME: this.folder,
      HERMES_HOME: this.home,
      HERMES_CONFIG: this.configPath,
      NO_COLOR: "1",
      ...environment,
    };
  }

  /** Starts `hermes` with arguments. Its standard input stays open until `end`. */
  start(...args: string[]): HermesProcess {
    return this.startScript(HERMES_BIN, ...args);
  }

  /** Starts another script with the same surroundings. */
  startScript(script: string, ...args: string[]): HermesProcess {
    return this.#spawn(process.execPath, [script, ...args], args);
  }

  /** The same in another folder. */
  startIn(folder: string, script: string, ...args: string[]): HermesProcess {
    return this.#spawn(process.execPath, [script, ...args], args, "\n", {}, folder);
  }

  /**
   * Starts `hermes` in a terminal window, with a person at it. The process is that of the window: killing it closes the
   * window, and `hermes` gets a SIGHUP from the system.
   */
  startInWindow(...args: string[]): HermesProcess {
    const words = [process.execPath, HERMES_BIN, ...args].map((word) => `'${word}'`);
    return this.#spawn("script", ["-qec", words.join(" "), "/dev/null"], args, "\r");
  }

  /** Another script in such a window. The process is that of the window, and stays while the script is stopped. */
  startScriptInWindow(script: string, ...args: string[]): HermesProcess {
    const words = [process.execPath, script, ...args].map((word) => `'${word}'`);
    return this.#spawn("script", ["-qec", `${words.join(" ")}; exit $?`, "/dev/null"], args, "\r");
  }

  /**
   * Starts a shell in a terminal window, in which `hermes` is a command and a person controls jobs. What is typed are
   * keys: a line ends with a carriage return.
   */
  startShellInWindow(): HermesProcess {
    const bashrc = join(this.folder, "bashrc");
    writeFileSync(bashrc, `PS1='shell> '\nhermes() { '${process.execPath}' '${HERMES_BIN}' "$@"; }\n`);
    return this.#spawn("script", ["-qec", `bash --rcfile '${bashrc}' -i`, "/dev/null"], ["in a shell"], "\r");
  }

  /** Starts `hermes` in a terminal window of that size, whose screen can be looked at. */
  async startOnScreen(args: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
    const { cols = 70, rows = 16, environment, script = HERMES_BIN } = options;
    const tty = join(mkdtempSync(join(this.folder, "window-")), "tty");
    const words = [process.execPath, script, ...args].map((word) => `'${word}'`).join(" ");
    const command = `cd '${options.folder ?? this.folder}'; stty cols ${cols} rows ${rows}; tty > '${tty}'; exec ${words}`;
    const window = this.#spawn("script", ["-qec", command, "/dev/null"], args, "\r", environment);
    await this.until(() => existsSync(tty) && readFileSync(tty, "utf8").endsWith("\n"), "the window");
    return new Screen(window, readFileSync(tty, "utf8").trim(), { cols, rows, ...options });
  }

  #spawn(
    command: string,
    words: readonly string[],
    args: readonly string[],
    enter: "\r" | "\n" = "\n",
    environment: NodeJS.ProcessEnv = {},
    cwd = this.folder,
  ): HermesProcess {
    const child = spawn(command, words, {
      cwd,
      env: { ...this.environment, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const started = new HermesProcess(child, `hermes ${args.join(" ")}`, enter);
    this.#processes.add(started);
    return started;
  }

  /** The store, as one more process sees it: quicker to look into than by a command. */
  store(): Promise<Store> {
    this.#store ??= openStore(this.home);
    return this.#store;
  }

  /** Runs `hermes` to its end, with no input. */
  async run(
    ...args: string[]
  ): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
    const started = this.start(...args);
    started.endInput();
    const code = await started.exited();
    return { code, stdout: started.stdout, stderr: started.stderr };
  }

  /** Runs a command with `--json` and reads its one document. Throws what it wrote when it failed. */
  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, "--json");
    if (code !== 0) throw new Error(`hermes ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /** A gateway in the foreground of its own process, once each platform was tried. */
  async startGateway(script = HERMES_BIN, ...args: string[]): Promise<HermesProcess> {
    const gateway = script === HERMES_BIN ? this.start("gateway", ...args) : this.startScript(script, ...args);
    await gateway.says(/The gateway is ready/);
    return gateway;
  }

  /** Waits until `isSo`, asked again and again; throws after a while. */
  async until(
    isSo: () => Promise<boolean> | boolean,
    what: string | (() => string) = "what was waited for",
  ): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (Date.now() > deadline) {
        const missing = typeof what === "string" ? what : what();
        throw new Error(`${missing} did not come about within ${PATIENCE_MS / 1000} s`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Stops a process by SIGSTOP, between two of its writes: within one, it would keep all others from the store. */
  async suspend(running: HermesProcess): Promise<void> {
    using file = new DatabaseSync(join(this.home, "store", "hermes.db"));
    for (;;) {
      running.kill("SIGSTOP");
      try {
        file.exec("BEGIN IMMEDIATE; ROLLBACK");
        return;
      } catch {
        running.kill("SIGCONT");
        await new Promise(setImmediate);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#processes) one.kill("SIGKILL");
    await Promise.all([...this.#processes].map((one) => one.exited()));
    await (await this.#store)?.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A child process and what it has written. */
export class HermesProcess {
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #exited: Promise<number | null>;
  #hasExited = false;
  /** How much of the screen `saysNext` has taken. */
  #seen = 0;
  stdout = "";
  stderr = "";
  #heard: () => void = () => {};

  readonly #enter: string;

  /** `enter`: what the key of that name sends; programs that have the terminal's keys to themselves get it as it is. */
  constructor(child: ChildProcess, name: string, enter: "\r" | "\n") {
    this.#child = child;
    this.#enter = enter;
    this.#name = name;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#heard();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#heard();
    });
    // Writing to a process that has just ended is no fault of the journey's.
    child.stdin?.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      child.on("close", (code) => {
        this.#hasExited = true;
        this.#heard();
        resolve(code);
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Tells whatever is written to the terminal from now on, and what was before. */
  onOutput(listener: (text: string) => void): void {
    listener(this.stdout);
    this.#child.stdout?.on("data", listener);
  }

  /** Types a line. */
  type(line: string): void {
    this.#child.stdin?.write(`${line}${this.#enter}`);
  }

  /** Presses keys. */
  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.#hasExited) this.#child.kill(signal);
  }

  /** Resolves with the exit code, or null for a signal. */
  exited(): Promise<number | null> {
    return this.#exited;
  }

  /** Waits until the process has written something that fits, and returns it. */
  says(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#until(pattern, () => pattern.exec(this.stdout) ?? pattern.exec(this.stderr));
  }

  /** The same, of what it has written to its terminal behind what fitted before; without escape sequences. */
  async saysNext(pattern: RegExp): Promise<RegExpExecArray> {
    const screen = () => stripVTControlCharacters(this.stdout);
    const match = await this.#until(pattern, () => pattern.exec(screen().slice(this.#seen)));
    this.#seen += match.index + match[0].length;
    return match;
  }

  async #until(pattern: RegExp, look: () => RegExpExecArray | null): Promise<RegExpExecArray> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const match = look();
      if (match) return match;
      const left = deadline - Date.now();
      if (this.#hasExited || left <= 0) {
        throw new Error(`${this.#name} never said ${pattern}.\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}

/** A plugin of the journeys as a config names it: by its path. */
export function testPlatform(
  name: "quiet" | "crowded" | "broken" | "stuck" | "printing" | "printing-early",
  options: Record<string, unknown> = {},
) {
  return [relative(join(tmpdir(), "machine"), join(root, "e2e/fixtures/plugins", `${name}.ts`)), options];
}
