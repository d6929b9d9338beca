import { HermesError } from "../base/errors.ts";

/** Says that what was written behind a command is nothing that it takes; `takes` ends the sentence “/undo takes …”. */
export function takesOnly(name: string, takes: string): HermesError {
  return new HermesError("COMMAND_TAKES", { name, takes });
}
