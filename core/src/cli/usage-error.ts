import type { CommanderError } from "commander";
import { HermesError } from "../base/errors.ts";
import type { CliContext } from "./context.ts";

/** What commander found wrong with a line, as an error of Hermes. */
export function usageError(error: CommanderError, command: string): HermesError {
  const reason = error.message.replace(/^error: /, "").replace(/\.$/, "");
  return new HermesError("USAGE", { reason: reason.charAt(0).toUpperCase() + reason.slice(1), command });
}

/** A chat has many answers and no one document. */
export function refuseJson({ output }: CliContext, command: string): void {
  if (!output.json) return;
  throw new HermesError("USAGE", { reason: "--json needs one question, as in `hermes chat -q`", command });
}
