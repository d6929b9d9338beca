import type { ErrorCode, ErrorFields } from "./error-table.ts";
import { HermesError, type StoredError } from "./errors.ts";
import type { Redactor } from "./redact.ts";

/** A copy of an error with redacted fields, which may quote others and so contain a secret. Keeps the cause. */
export function withoutSecrets(error: HermesError, redact: Redactor): HermesError {
  const fields = Object.entries(error.fields).map(([name, field]) => [
    name,
    typeof field === "string" ? redact(field) : field,
  ]);
  return new HermesError<ErrorCode>(error.code, Object.fromEntries(fields) as ErrorFields<ErrorCode>, {
    cause: error.cause,
    place: error.place,
  });
}

/** An error for a row of the store: its message and hint, without secrets. */
export function storedError({ code, message, hint }: HermesError, redact: Redactor): StoredError {
  return { code, text: redact(`${message} ${hint}`.trim()) };
}
