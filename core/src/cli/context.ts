import type { DependencyContainer } from "tsyringe";
import { REDACTOR } from "../base/redact.ts";
import type { Host } from "../host/host.ts";
import { attributeErrors } from "../plugin/plugin-context.ts";
import { patientStore } from "../store/patient-store.ts";
import type { Store } from "../store/store.ts";
import type { Io } from "../terminal/io.ts";
import type { Output } from "../terminal/output.ts";
import { confirmChangeOn } from "./confirm-change.ts";
import { StorePatience } from "./store-patience.ts";

/** A host whose store is waited for where another process keeps it busy. */
export interface TerminalHost extends Host {
  readonly patience: StorePatience;
  /**
   * The same store, whose calls do not wait: they throw STORE_BUSY at once. For what runs in the background and tries
   * again by itself, so that nobody is told of a wait.
   */
  readonly promptStore: Store;
}

/** What every command of the terminal gets. */
export interface CliContext {
  readonly io: Io;
  readonly output: Output;
  /** `--config`. */
  readonly configPath: string | undefined;
  /** Takes the place of parts of a host, for tests and embedding programs; every host is made with it. */
  readonly override: (container: DependencyContainer) => void;
  /** Runs `work` on an open host, and closes it. */
  withHost<T>(work: (host: TerminalHost) => Promise<T>, options?: WithHostOptions): Promise<T>;
}

/** Makes an action of commander out of a module that is loaded only when it is called. */
export type MakeAction = <Args extends unknown[]>(
  load: () => Promise<(context: CliContext, ...args: Args) => Promise<number | undefined>>,
) => (...args: Args) => Promise<void>;

interface WithHostOptions {
  /** False for what needs only the home: a config that cannot be used is noted, and the work is done without. */
  readonly needsConfig?: boolean;
}

export interface ContextOptions {
  readonly configPath: string | undefined;
  readonly override?: ((container: DependencyContainer) => void) | undefined;
}

export function createContext(output: Output, { configPath, override }: ContextOptions): CliContext {
  const { io } = output;
  // What went wrong is told once the host is closed, or when it could not be made: its redactor is kept.
  const parts: DependencyContainer[] = [];
  output.redact = (text) =>
    parts.reduce((safe, one) => (one.isRegistered(REDACTOR) ? one.resolve(REDACTOR)(safe) : safe), text);
  const withRedactor = (container: DependencyContainer) => {
    parts.push(container);
    override?.(container);
  };
  return {
    io,
    output,
    configPath,
    override: withRedactor,
    async withHost(work, { needsConfig = true } = {}) {
      // Loaded here: `--help` and a mistyped command need none of it.
      const { createHost } = await import("../host/create-host.ts");
      await using host = await createHost({
        role: "terminal",
        configPath,
        needsConfig,
        environment: io.environment,
        workingDirectory: io.workingDirectory,
        ...(needsConfig ? { confirmChange: confirmChangeOn(output) } : {}),
        override: withRedactor,
      });
      const { warnings, brokenPlugins } = host.config;
      for (const { message, hint } of [...warnings, ...brokenPlugins.map(({ error }) => error)]) {
        output.note(`${message} ${hint}`);
      }
      // What a plugin of tools prints or lets go wrong in the background is not the command's, nor its document's.
      using _owned = host.config.toolPlugins === undefined ? null : attributeErrors();
      const patience = new StorePatience(output, host.clock);
      const store = patientStore(host.store, (call) => patience.persist(call));
      return await work({ ...host, store, promptStore: host.store, patience });
    },
  };
}
