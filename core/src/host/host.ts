import type { DependencyContainer } from "tsyringe";
import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder, ProcessProbe } from "../base/process-identity.ts";
import type { Redactor } from "../base/redact.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { ConfirmChange } from "../config/settle-change.ts";
import type { Files } from "../files/files.ts";
import type { Store } from "../store/store.ts";
import type { TurnRunner } from "../turn/turn-runner.ts";

/** The parts of a running Hermes process, which the terminal and the gateway share. */
export interface Host extends AsyncDisposable {
  /** Hermes' home: `HERMES_HOME`, or `~/.hermes`. */
  readonly home: string;
  readonly config: LoadedConfig;
  readonly store: Store;
  readonly files: Files;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly probe: ProcessProbe;
  readonly logger: Logger;
  readonly holder: Holder;
  readonly redact: Redactor;
  readonly agent: Agent;
  readonly runner: TurnRunner;
  /** The same parts, for dependency injection. */
  readonly container: DependencyContainer;
}

export interface HostOptions {
  readonly role: Holder["role"];
  /** `--config`. */
  readonly configPath?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly workingDirectory?: string;
  /** False for a command that needs only the home: then an unusable config is only a warning. */
  readonly needsConfig?: boolean | undefined;
  /** Asks the person at the terminal; missing without a terminal. */
  readonly confirmChange?: ConfirmChange | undefined;
  /**
   * Registers parts of a test or an embedding program before anything is resolved. They replace Hermes' own parts, are
   * used as they are, and are not disposed of; only a store is wrapped, so that it gets no secret.
   */
  readonly override?: (container: DependencyContainer) => void;
}
