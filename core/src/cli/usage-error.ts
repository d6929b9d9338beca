import type { CommanderError } from "commander";
import { HermesError } from "../base/errors.ts";

/** What commander found wrong with a line, as an error of Hermes. */
export function usageError(error: CommanderError, command: string): HermesError {
  const reason = error.message.replace(/^error: /, "").replace(/\.$/, "");
  return new HermesError("USAGE", { reason: reason.charAt(0).toUpperCase() + reason.slice(1), command });
}
