import type { DependencyContainer } from "tsyringe";
import type { Agent } from "../agent/agent.ts";
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder, ProcessProbe } from "../base/process-identity.ts";
import type { Redactor } from "../base/redact.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { ConfirmChange } from "../config/settle-change.ts";
import type { Store } from "../store/store.ts";
import type { TurnRunner } from "../turn/turn-runner.ts";

/** A running Hermes process with its parts put together: what the terminal and the gateway both start from. */
export interface Host extends AsyncDisposable {
  /** Hermes' home: `HERMES_HOME`, or `~/.hermes`. */
  readonly home: string;
  readonly config: LoadedConfig;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly probe: ProcessProbe;
  readonly logger: Logger;
  readonly holder: Holder;
  readonly redact: Redactor;
  readonly agent: Agent;
  readonly runner: TurnRunner;
  /** The same parts, for what is made by injection. */
  readonly container: DependencyContainer;
}

export interface HostOptions {
  readonly role: Holder["role"];
  /** `--config`. */
  readonly configPath?: string | undefined;
  readonly environment?: NodeJS.ProcessEnv;
  readonly workingDirectory?: string;
  /** False for what needs only the home: then a config that cannot be used is a warning. */
  readonly needsConfig?: boolean | undefined;
  /** Asks a person at a terminal; left out where there is none. */
  readonly confirmChange?: ConfirmChange | undefined;
  /**
   * Takes the place of parts before anything is resolved: tests and embedding programs. A part that is registered here
   * is used as it is, and is not disposed of; the one of Hermes is not made at all. Only a store is given no secret.
   */
  readonly override?: (container: DependencyContainer) => void;
}
