import { createRequire } from "node:module";
import { join } from "node:path";
import type { Logger as Pino } from "pino";
import { withNumbers } from "../base/hidden-text.ts";
import type { LogFields, Logger } from "../base/logger.ts";
import { type Redactor, redactDeep } from "../base/redact.ts";
import { LOG_LEVELS, type LogLevel } from "./log-levels.ts";
import { RotatingFile } from "./rotating-file.ts";

export interface FileLoggerOptions {
  /** Created with its folder if it is missing; both are readable only by their owner. */
  readonly file: string;
  readonly level: LogLevel;
  readonly redact: Redactor;
  /** Added to every line. */
  readonly fields?: LogFields;
}

/** The path of a home's log. */
export function logFileOf(home: string): string {
  return join(home, "logs", "hermes.log");
}

/** Makes a logger that writes one line of JSON per event. The first line opens the file and loads pino. */
export function createFileLogger(options: FileLoggerOptions): Logger & Disposable {
  let sink: { readonly pino: Pino; close(): void } | null = null;
  let isClosed = false;

  const write = (level: LogLevel, fields: LogFields, message: string) => {
    if (isClosed || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(options.level)) return;
    sink ??= openSink(options);
    sink.pino[level](redactDeep(fields, options.redact), options.redact(message));
  };
  const withFields = (own: LogFields): Logger => ({
    debug: (fields, message) => write("debug", { ...own, ...fields }, message),
    info: (fields, message) => write("info", { ...own, ...fields }, message),
    warn: (fields, message) => write("warn", { ...own, ...fields }, message),
    error: (fields, message) => write("error", { ...own, ...fields }, message),
    child: (fields) => withFields({ ...own, ...fields }),
  });

  return Object.assign(withFields(options.fields ?? {}), {
    [Symbol.dispose]() {
      isClosed = true;
      sink?.close();
    },
  });
}

function openSink({ file, level }: FileLoggerOptions): { readonly pino: Pino; close(): void } {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino");
  const destination = new RotatingFile(file);
  const timestamp = pino.stdTimeFunctions.isoTime;
  // Escapes control characters, so that showing the file in a terminal is safe.
  const hooks = { streamWrite: withNumbers };
  const formatters = { level: (label: string) => ({ level: label }) };
  return {
    pino: pino({ level, timestamp, formatters, hooks, base: { pid: process.pid } }, destination),
    close: () => destination.close(),
  };
}
