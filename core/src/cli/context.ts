import type { DependencyContainer } from "tsyringe";
import type { Host } from "../host/host.ts";
import type { Io } from "./io.ts";
import type { Output } from "./output.ts";

/** What every command of the terminal gets. */
export interface CliContext {
  readonly io: Io;
  readonly output: Output;
  /** `--config`. */
  readonly configPath: string | undefined;
  /** Takes the place of parts of the host: tests and embedding programs. */
  readonly override: ((container: DependencyContainer) => void) | undefined;
  /** Runs `work` on an open host, and closes it. */
  withHost<T>(work: (host: Host) => Promise<T>): Promise<T>;
}

export interface ContextOptions {
  readonly configPath: string | undefined;
  readonly override?: ((container: DependencyContainer) => void) | undefined;
}

export function createContext(output: Output, { configPath, override }: ContextOptions): CliContext {
  const { io } = output;
  return {
    io,
    output,
    configPath,
    override,
    async withHost(work) {
      // Loaded here: `--help` and a mistyped command need none of it.
      const { createHost } = await import("../host/create-host.ts");
      await using host = await createHost({
        role: "terminal",
        configPath,
        environment: io.environment,
        workingDirectory: io.workingDirectory,
        ...(override === undefined ? {} : { override }),
      });
      const { warnings, brokenPlugins } = host.config;
      for (const { message, hint } of [...warnings, ...brokenPlugins.map(({ error }) => error)]) {
        output.note(`${message} ${hint}`);
      }
      return await work(host);
    },
  };
}
