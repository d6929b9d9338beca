import type { Logger } from "@hermes/core";

interface SdkLogger {
  trace(...parts: unknown[]): void;
  debug(...parts: unknown[]): void;
  info(...parts: unknown[]): void;
  warn(...parts: unknown[]): void;
  error(...parts: unknown[]): void;
  getChild(): SdkLogger;
}

/** The library's own log: what goes wrong in it is of use when one looks closely, the rest is too much. */
export function quietLogger(logger: Logger): SdkLogger {
  const ignore = () => {};
  const note = (...parts: unknown[]) => logger.debug({ said: parts.map(String).join(" ") }, "of the Matrix library");
  const own: SdkLogger = { trace: ignore, debug: ignore, info: ignore, warn: note, error: note, getChild: () => own };
  return own;
}
