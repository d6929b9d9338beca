import { ERROR_TABLE } from "./error-table.ts";
import type { HermesError, StoredError } from "./errors.ts";

/** An error as shown to people. */
export type ShownError = Pick<HermesError, "code" | "message" | "hint">;

/** An error in a JSON document, where a stored error may have lost its hint. */
export type ErrorDocument = Omit<ShownError, "hint"> & { readonly hint: string | null };

/** Converts a stored error for showing. A hint with placeholders is lost with its fields; `instead` replaces it. */
export function shownFromStored<Instead extends string | null>({ code, text }: StoredError, instead: Instead) {
  const { hint } = ERROR_TABLE[code];
  if (hint.includes("{")) return { code, message: text, hint: instead };
  // A row has the message and the hint as one text: the hint must not appear twice.
  const message = text.endsWith(hint) ? text.slice(0, -hint.length).trimEnd() : text;
  return { code, message, hint };
}
