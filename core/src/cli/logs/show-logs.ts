import { sleep, systemClock } from "../../base/clock.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { hermesHome } from "../../host/home.ts";
import { logFileOf } from "../../log/file-logger.ts";
import { LOG_LEVELS, type LogLevel } from "../../log/log-levels.ts";
import { LogTail } from "../../log/log-tail.ts";
import type { CliContext } from "../context.ts";
import type { Since } from "../parse-since.ts";
import { type LogEntry, printEntry, readEntry } from "./log-entry.ts";

/** How often a log that is followed is looked at, in milliseconds. */
const LOOK_EVERY_MS = 200;

export interface LogsOptions {
  readonly follow?: boolean;
  readonly lines: number;
  readonly level?: LogLevel;
  readonly since?: Since;
}

/** `hermes logs`: prints the log, oldest first. Needs neither a config nor a store. */
export async function showLogs({ io, output }: CliContext, options: LogsOptions): Promise<number> {
  const file = logFileOf(hermesHome(io.environment));
  const print = (entry: LogEntry) => {
    if (output.json) io.stdout.write(`${withNumbers(entry.line)}\n`);
    else printEntry(output, entry);
  };
  const { level } = options;
  const since = options.since?.(systemClock.now());
  const chosen = (lines: readonly string[]) =>
    lines.map(readEntry).filter((entry) => isWanted(entry, { level, since }));

  using tail = new LogTail(file);
  const entries = chosen(tail.begin()).slice(-options.lines);
  entries.forEach(print);
  if (!options.follow) {
    if (entries.length === 0) output.note(`Nothing of that is in ${file}.`);
    return 0;
  }

  const stop = new AbortController();
  using _interrupt = io.onSignal("SIGINT", () => stop.abort());
  using _terminate = io.onSignal("SIGTERM", () => stop.abort());
  while (!stop.signal.aborted) {
    await sleep(systemClock, LOOK_EVERY_MS, stop.signal);
    chosen(tail.read()).forEach(print);
  }
  return 0;
}

interface Filter {
  readonly level: LogLevel | undefined;
  /** In milliseconds since 1970. */
  readonly since: number | undefined;
}

/** Whether a line passes the filters; one that is not in Hermes' own format always does. */
function isWanted({ fields, at }: LogEntry, { level, since }: Filter): boolean {
  const own = LOG_LEVELS.indexOf(fields.level as LogLevel);
  if (level !== undefined && own >= 0 && own < LOG_LEVELS.indexOf(level)) return false;
  return since === undefined || at === null || at >= since;
}
