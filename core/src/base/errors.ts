import { brandOf, hasBrand } from "./brand.ts";
import { ERROR_TABLE, type ErrorCode, type ErrorExit, type ErrorFields, fillIn } from "./error-table.ts";
import { withoutFullStop } from "./text.ts";

const HERMES_ERROR = brandOf("HermesError");
const PLATFORM_ERROR = brandOf("PlatformError");

/** An error as it is stored in a row or printed as JSON. */
export interface StoredError {
  readonly code: ErrorCode;
  readonly text: string;
}

export interface HermesErrorOptions extends ErrorOptions {
  /** Prefix of the message that says where the fault is, such as `hermes.config.json: plugins[0]`. */
  readonly place?: string | undefined;
}

/**
 * An error that people read: a stable code, a sentence with its fields filled in, and a hint that names the next step.
 * Codes and sentences are in `ERROR_TABLE`.
 *
 * @example
 * ```ts
 * const error = new HermesError("SESSION_UNKNOWN", { reference: "plan" });
 * console.error(`${error.message}\n${error.hint}`);
 * ```
 */
export class HermesError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly fields: Readonly<Record<string, string | number>>;
  readonly hint: string;
  readonly place: string | undefined;
  /** The exit code of a command that fails with this error. */
  readonly exit: ErrorExit;

  constructor(code: Code, fields: ErrorFields<Code>, options?: HermesErrorOptions) {
    const { sentence, hint, exit } = ERROR_TABLE[code];
    const place = options?.place;
    super(`${place === undefined ? "" : `${place}: `}${fillIn(sentence, fields)}`, options);
    this.name = "HermesError";
    this.code = code;
    this.fields = fields;
    this.hint = fillIn(hint, fields);
    this.place = place;
    this.exit = exit;
    Object.defineProperty(this, HERMES_ERROR, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === HermesError
      ? hasBrand(value, HERMES_ERROR)
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/** The codes that an adapter throws; each tells Hermes what to do. */
export type PlatformErrorCode = Extract<ErrorCode, `PLATFORM_${string}`>;

/** An error of a platform, thrown by its adapter. Never contains a token. */
export class PlatformError<Code extends PlatformErrorCode = PlatformErrorCode> extends HermesError<Code> {
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** How long the platform asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(code: Code, fields: ErrorFields<Code>, options?: ErrorOptions & { retryAfterMs?: number }) {
    super(code, fields, options);
    this.name = "PlatformError";
    this.retryable = code === "PLATFORM_RATE_LIMITED" || code === "PLATFORM_UNAVAILABLE";
    this.retryAfterMs = options?.retryAfterMs ?? null;
    Object.defineProperty(this, PLATFORM_ERROR, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return hasBrand(value, PLATFORM_ERROR);
  }
}

/** Converts whatever was thrown to a HermesError; an unforeseen error becomes INTERNAL. */
export function asHermesError(thrown: unknown, log = "the log in Hermes' home"): HermesError {
  if (thrown instanceof HermesError) return thrown;
  const ofFile = fileError(thrown);
  if (ofFile !== null) return ofFile;
  return new HermesError("INTERNAL", { reason: reasonOf(thrown), log }, { cause: thrown });
}

/** File errors that are not Hermes' fault, by their system code. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: "you have no right to it",
  EPERM: "the system does not permit it",
  EROFS: "its file system is read-only",
  EIO: "its disk reports an error",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
};

/** Whether a system error says that a disk is full, or a person's share of it. */
export function isNoRoom(thrown: unknown): boolean {
  const { code, syscall } = Object(thrown) as NodeJS.ErrnoException;
  // Too many watched folders are reported by the same code.
  return (code === "ENOSPC" || code === "EDQUOT") && syscall !== "watch";
}

/**
 * Converts a system error about a file or folder to FILE_FAILED or DISK_FULL; null for anything else. `written` is what
 * was being written: a write that finds no room does not name its file.
 */
export function fileError(
  thrown: unknown,
  redact = (text: string) => text,
  written = "what was being written",
): HermesError | null {
  if (!(thrown instanceof Error)) return null;
  const { code, path, dest } = thrown as NodeJS.ErrnoException & { readonly dest?: string };
  if (isNoRoom(thrown))
    return new HermesError("DISK_FULL", { file: redact(dest ?? path ?? written) }, { cause: thrown });
  const reason = code === undefined ? undefined : FILE_FAULTS[code];
  if (reason === undefined || path === undefined) return null;
  return new HermesError("FILE_FAILED", { file: redact(path), reason }, { cause: thrown });
}

/** A copy of the error with `place` as its prefix. */
export function placedAt(place: string, { code, fields, cause }: HermesError): HermesError {
  return new HermesError<ErrorCode>(code, fields as ErrorFields<ErrorCode>, { cause, place });
}

/** The message of whatever was thrown, on one line and without its full stop. */
export function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return withoutFullStop(text.replaceAll(/\s+/g, " ").trim()) || "no reason was given";
}
