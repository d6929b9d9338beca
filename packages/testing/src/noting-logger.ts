import type { LogFields, Logger } from "@hermes/core";

/** A logger that appends each line to `lines`, whatever its level: the message, then its fields as JSON. */
export function notingLogger(lines: string[]): Logger {
  const note = (fields: LogFields, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  return logger;
}
