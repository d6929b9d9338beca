import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/ids.ts";

/** What the module named by `"hermes": {"cli": …}` in a plugin's manifest exports: its part of the terminal. */
export interface PluginCli {
  /** `hermes <platform> <name>`. */
  readonly commands?: readonly PluginCommand[];
  /**
   * Makes a stored link one that opens: the stored one holds no secret, this one may, for a short while.
   * `note` is a sentence to print beside it.
   */
  openLink?(link: string, context: PluginCliContext): Promise<{ readonly url: string; readonly note?: string }>;
}

export interface PluginCommand {
  readonly name: string;
  readonly description: string;
  /** Returns the exit code. */
  run(args: readonly string[], context: PluginCliContext): Promise<number>;
}

export interface PluginCliContext {
  /** The same folder that the adapter gets. */
  readonly folder: string;
  /** The plugin's options as its schema gives them; undefined where it is installed and not configured. */
  readonly options?: unknown;
  readonly clock: Clock;
  readonly ids: IdSource;
  print(line: string): void;
}
