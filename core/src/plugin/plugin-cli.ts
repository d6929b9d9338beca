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

/** A command of a plugin: `hermes <platform> <name>`. */
export interface PluginCommand {
  readonly name: string;
  readonly description: string;
  /** Words that it takes, in order: `<file>`, `[name]`, `[more...]`. None when left out. */
  readonly operands?: readonly PluginCommandWord[];
  /** Options that it takes: `--text`, `-p, --phone <number>`. None but `--help` when left out. */
  readonly options?: readonly PluginCommandWord[];
  /**
   * Returns the exit code. Called only with what the command takes: `--help` is answered by Hermes, and anything else is
   * refused before. `args` are the words as they were typed.
   */
  run(args: readonly string[], context: PluginCliContext): Promise<number>;
}

/** An operand or an option of a command, as its help shows it. */
export interface PluginCommandWord {
  readonly form: string;
  readonly description: string;
}

/** What a command of a plugin gets. */
export interface PluginCliContext {
  /** The same folder that the adapter gets. */
  readonly folder: string;
  /** The plugin's options as its schema gives them; undefined where it is installed and not configured. */
  readonly options?: unknown;
  readonly clock: Clock;
  readonly ids: IdSource;
  print(line: string): void;
}
