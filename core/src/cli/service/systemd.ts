import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import type { Io } from "../../terminal/io.ts";
import { type ProgramResult, runProgram } from "../run-program.ts";
import type { ServiceManager, ServiceProgram, ServiceState } from "./service-manager.ts";
import { systemdUnit } from "./systemd-unit.ts";

const UNIT = "hermes.service";

/** The user manager of systemd. */
export class Systemd implements ServiceManager {
  readonly name = "systemd";
  readonly file: string;
  readonly #environment: NodeJS.ProcessEnv;
  #version = 0;

  constructor({ environment }: Pick<Io, "environment">) {
    this.#environment = environment;
    const config = environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), ".config");
    this.file = join(config, "systemd", "user", UNIT);
  }

  async check(): Promise<void> {
    const { code, stdout, reason } = await this.#ask("show", "--property=Version", "--value");
    if (code !== 0) throw new HermesError("SERVICE_UNAVAILABLE", { reason: reason || "systemd does not answer" });
    this.#version = Number.parseInt(stdout, 10) || 0;
  }

  describe(program: ServiceProgram): string {
    return systemdUnit(program, this.#version);
  }

  async activate(): Promise<void> {
    await this.#do("daemon-reload");
    await this.#do("enable", UNIT);
    await this.#do("restart", UNIT);
  }

  async deactivate(): Promise<void> {
    await this.#do("disable", "--now", UNIT);
  }

  async forget(): Promise<void> {
    await this.#do("daemon-reload");
  }

  async restart(): Promise<void> {
    await this.#do("restart", UNIT);
  }

  async state(): Promise<ServiceState> {
    const { stdout } = await this.#ask("show", "--property=ActiveState,SubState,MainPID", UNIT);
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1];
    const active = value("ActiveState") ?? "unknown";
    return {
      isActive: active === "active",
      pid: Number(value("MainPID")) || null,
      detail: `${active} (${value("SubState") ?? "unknown"})`,
    };
  }

  async advice(): Promise<string | null> {
    const user = userInfo().username;
    const { stdout } = await runProgram(
      ["loginctl", "show-user", user, "--property=Linger", "--value"],
      this.#environment,
    );
    if (stdout.trim() === "yes") return null;
    return "It runs while you are logged in. `loginctl enable-linger` starts it at boot.";
  }

  logCommand({ follow, lines }: { readonly follow: boolean; readonly lines: number }): readonly [string, ...string[]] {
    return [
      "journalctl",
      "--user",
      `--unit=${UNIT}`,
      "--no-pager",
      `--lines=${lines}`,
      ...(follow ? ["--follow"] : []),
    ];
  }

  #ask(...words: string[]): Promise<ProgramResult> {
    return runProgram(["systemctl", "--user", ...words], this.#environment);
  }

  async #do(...words: string[]): Promise<void> {
    const { code, reason } = await this.#ask(...words);
    if (code !== 0) throw new HermesError("SERVICE_FAILED", { command: `systemctl --user ${words.join(" ")}`, reason });
  }
}
