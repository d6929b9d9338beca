import { createInterface } from "node:readline";
import { visibleText } from "../markdown/text-width.ts";
import type { Io } from "../terminal/io.ts";
import { survivesSuspension } from "../terminal/suspension.ts";

/** Asks a question on the terminal. Null at its end, and on Ctrl-C. */
export function ask(io: Io, question: string): Promise<string | null> {
  const { stdin: input, stdout: output } = io;
  const reader = createInterface({ input, output, terminal: io.isInteractive });
  const suspension = io.isInteractive
    ? survivesSuspension(io, reader, { keys: input, retake: () => reader.prompt(true) })
    : null;
  return new Promise((resolve) => {
    reader.once("SIGINT", () => reader.close());
    reader.once("close", () => {
      suspension?.[Symbol.dispose]();
      resolve(null);
    });
    reader.question(`${visibleText(question)} `, (answer) => {
      resolve(answer.trim());
      reader.close();
    });
  });
}

/** Asks a question that is answered with yes or no; anything else is no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  return isYes(await ask(io, `${question} (y/n)`));
}

export function isYes(answer: string | null): boolean {
  return answer !== null && /^y(es)?$/i.test(answer.trim());
}
