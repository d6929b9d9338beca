import { PlatformError, wasNeverSent } from "@hermes/core";
import { GrammyError, HttpError } from "grammy";
import { errors, fromRefusal } from "./refusals.ts";

export const { forbidden, threadGone, unavailable } = errors;

/**
 * What grammY threw, as Hermes' own error. Nothing of the original goes along: a failed request's error quotes its
 * address, and the token is in that. `mayBeDone`: whether an answer that was lost may mean that it was done.
 */
export function toPlatformError(error: unknown, { mayBeDone = false } = {}): PlatformError {
  if (error instanceof PlatformError) return error;
  if (error instanceof GrammyError) return fromRefusal(error);
  const reason = connectionProblem(error);
  return mayBeDone && !wasNeverSent(reason)
    ? errors.uncertain(`the answer was lost (${reason})`)
    : unavailable(`the connection failed (${reason})`);
}

/** The group has become a supergroup with this id; null when the error says no such thing. */
export function migratedTo(error: unknown): string | null {
  const id = error instanceof GrammyError ? error.parameters.migrate_to_chat_id : undefined;
  return id === undefined ? null : String(id);
}

/** The platform refused the formatting rather than the text. */
export function isMarkupRefusal(error: unknown): boolean {
  return error instanceof GrammyError && error.error_code === 400 && /entit(?:y|ies)/i.test(error.description);
}

/** An edit changed nothing: what was to be shown is there. */
export function isUnchanged(error: unknown): boolean {
  return error instanceof GrammyError && error.description.includes("message is not modified");
}

/** What went wrong with a connection, in a word or two and without the address. */
function connectionProblem(error: unknown): string {
  const inner: unknown = error instanceof HttpError ? error.error : error;
  if (typeof inner !== "object" || inner === null) return "no reason was given";
  const { code, name, type } = inner as { readonly code?: unknown; readonly name?: unknown; readonly type?: unknown };
  if (typeof code === "string") return code;
  if (name === "AbortError") return "it took too long";
  if (type === "invalid-json") return "what answered is no Bot API";
  return typeof name === "string" ? name : "no reason was given";
}
