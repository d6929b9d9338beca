import { HermesError } from "../base/errors.ts";
import { askOnTerminal } from "../terminal/input/line-reader.ts";
import type { Output } from "../terminal/output.ts";

/** Asks a question that is answered with yes or no; anything else is no. */
export async function confirm(output: Output, question: string): Promise<boolean> {
  return isYes(await askOnTerminal(output, `${question} (y/n)`));
}

/** Makes the question of a command in a chat: its lines first, then the question, by the chat's own `ask`. */
export function confirmBelow(output: Output, ask: (question: string) => Promise<string | null>) {
  return async (lines: readonly string[], question: string): Promise<boolean> => {
    for (const line of lines) output.line(line);
    return isYes(await ask(`${question} (y/n)`));
  };
}

/**
 * The same as {@link confirm}, where a person has to confirm. Throws USAGE with the flag to give instead if no one can
 * be asked.
 */
export async function requireConfirmed(
  output: Output,
  question: string,
  unasked: { readonly reason: string; readonly command: string },
): Promise<boolean> {
  if (!canAsk(output)) throw new HermesError("USAGE", unasked);
  return confirm(output, question);
}

/** Whether a person sits at the terminal, and reads what is printed. */
export function canAsk({ io, json }: Output): boolean {
  return io.isInteractive && !json;
}

export function isYes(answer: string | null): boolean {
  return answer !== null && /^y(es)?$/i.test(answer.trim());
}
