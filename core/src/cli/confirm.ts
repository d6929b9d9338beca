import { askOnTerminal } from "../terminal/input/line-reader.ts";
import type { Output } from "../terminal/output.ts";

/** Asks a question that is answered with yes or no; anything else is no. */
export async function confirm(output: Output, question: string): Promise<boolean> {
  return isYes(await askOnTerminal(output, `${question} (y/n)`));
}

export function isYes(answer: string | null): boolean {
  return answer !== null && /^y(es)?$/i.test(answer.trim());
}
