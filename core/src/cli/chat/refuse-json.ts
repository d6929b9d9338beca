import { HermesError } from "../../base/errors.ts";
import type { CliContext } from "../context.ts";

/** A chat has many answers and no one document. */
export function refuseJson({ output }: CliContext, command: string): void {
  if (!output.json) return;
  throw new HermesError("USAGE", { reason: "--json needs one question, as in hermes chat -q", command });
}
