/** The log of Hermes and its plugins, for troubleshooting. No field may hold a secret; the sink redacts all the same. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds `fields` to everything it writes. */
  child(fields: LogFields): Logger;
}

/** What a line of the log says beside its words; secrets among them are redacted. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
