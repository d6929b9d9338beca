import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { sleep, systemClock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { hermesHome } from "../../host/home.ts";
import type { Io } from "../../terminal/io.ts";
import { type ProgramResult, runProgram } from "../run-program.ts";
import { launchdPlist } from "./launchd-plist.ts";
import { type ServiceManager, type ServiceProgram, type ServiceState, STOP_WITHIN_SECONDS } from "./service-manager.ts";

const LABEL = "hermes.gateway";
const NOT_LOADED = "not loaded";

/** EINPROGRESS of macOS. */
const STILL_ENDING = 36;

/** launchd, for the person who is logged in at the screen. */
export class Launchd implements ServiceManager {
  readonly name = "launchd";
  readonly file: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #domain = `gui/${process.getuid?.() ?? 501}`;
  readonly #out: string;

  constructor({ environment }: Pick<Io, "environment">) {
    this.#environment = environment;
    this.file = join(environment.HOME || homedir(), "Library", "LaunchAgents", `${LABEL}.plist`);
    this.#out = join(hermesHome(environment), "logs", "gateway.out");
  }

  async check(): Promise<void> {
    const { code, reason } = await this.#ask("print", this.#domain);
    if (code !== 0) throw new HermesError("SERVICE_UNAVAILABLE", { reason: reason || "launchd does not answer" });
  }

  describe(program: ServiceProgram): string {
    return launchdPlist(LABEL, program, this.#out);
  }

  async activate(): Promise<void> {
    mkdirSync(dirname(this.#out), { recursive: true, mode: 0o700 });
    if ((await this.state()).detail !== NOT_LOADED) await this.deactivate();
    await this.#do("bootstrap", this.#domain, this.file);
  }

  async deactivate(): Promise<void> {
    const { code, reason } = await this.#ask("bootout", `${this.#domain}/${LABEL}`);
    if (code !== 0 && code !== STILL_ENDING) {
      throw new HermesError("SERVICE_FAILED", { command: `launchctl bootout ${this.#domain}/${LABEL}`, reason });
    }
    // It may return before the old process has ended, and starts no new one until then.
    for (let second = 0; second < STOP_WITHIN_SECONDS; second++) {
      if ((await this.state()).detail === NOT_LOADED) return;
      await sleep(systemClock, 1_000);
    }
  }

  async forget(): Promise<void> {}

  async restart(): Promise<void> {
    // Not by kickstart, which kills what runs.
    await this.activate();
  }

  async state(): Promise<ServiceState> {
    const { code, stdout } = await this.#ask("print", `${this.#domain}/${LABEL}`);
    if (code !== 0) return { isActive: false, pid: null, detail: NOT_LOADED };
    const pid = Number(/^\s*pid = (\d+)/m.exec(stdout)?.[1]) || null;
    return { isActive: pid !== null, pid, detail: /^\s*state = (.+)/m.exec(stdout)?.[1] ?? "loaded" };
  }

  async advice(): Promise<string | null> {
    return "It runs while you are logged in.";
  }

  logCommand({ follow, lines }: { readonly follow: boolean; readonly lines: number }): readonly [string, ...string[]] {
    return ["tail", "-n", String(lines), ...(follow ? ["-F"] : []), this.#out];
  }

  #ask(...words: string[]): Promise<ProgramResult> {
    return runProgram(["launchctl", ...words], this.#environment);
  }

  async #do(...words: string[]): Promise<void> {
    const { code, reason } = await this.#ask(...words);
    if (code !== 0) throw new HermesError("SERVICE_FAILED", { command: `launchctl ${words.join(" ")}`, reason });
  }
}
