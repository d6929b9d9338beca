import type { Logger } from "@hermes/core";

/** What Baileys wants of a logger. */
interface SocketLogger {
  level: string;
  child(fields: Record<string, unknown>): SocketLogger;
  trace(fields: unknown, text?: string): void;
  debug(fields: unknown, text?: string): void;
  info(fields: unknown, text?: string): void;
  warn(fields: unknown, text?: string): void;
  error(fields: unknown, text?: string): void;
}

/**
 * Baileys' log without its fields: these hold keys and whole messages. What it calls an error is mostly one that it
 * deals with itself.
 */
export function toSocketLogger(logger: Logger): SocketLogger {
  const note = (fields: unknown, text?: string) => {
    const said = text ?? (typeof fields === "string" ? fields : "");
    if (said !== "") logger.debug({}, `baileys: ${said}`);
  };
  const socketLogger: SocketLogger = {
    level: "warn",
    child: () => socketLogger,
    trace() {},
    debug() {},
    info() {},
    warn: note,
    error: note,
  };
  return socketLogger;
}
