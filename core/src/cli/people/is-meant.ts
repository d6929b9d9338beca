import type { Output } from "../../terminal/output.ts";
import { requireConfirmed } from "../confirm.ts";

/** Asks before a change to people, and says that nothing was changed on a no. Throws USAGE where nobody can be asked. */
export async function isMeant(output: Output, question: string, command: string): Promise<boolean> {
  const unasked = { reason: "This needs your confirmation: pass `--yes`", command: `hermes people ${command}` };
  if (await requireConfirmed(output, question, unasked)) return true;
  output.line("Nothing was changed.");
  return false;
}
