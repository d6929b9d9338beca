import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import { CannotCreate, checkName, WAYS, type Way } from "./answers.ts";

/** What the author is asked, at the terminal. */
export interface Asking extends Disposable {
  name(byDefault: string | undefined): Promise<string>;
  way(): Promise<Way>;
  yes(question: string): Promise<boolean>;
}

/** The author pressed Ctrl-C, or the terminal ended. */
export class Cancelled extends Error {}

const DESCRIPTIONS: Readonly<Record<Way, string>> = {
  polling: "the bot asks for what is new, again and again",
  webhook: "the platform calls an address of yours",
  socket: "the bot keeps a WebSocket open",
};

export function askAt(input: Readable, output: Writable): Asking {
  const lines = createInterface({ input, output });
  const cancelled = new AbortController();
  lines.on("SIGINT", () => cancelled.abort());
  lines.on("close", () => cancelled.abort());

  const ask = async (question: string): Promise<string> => {
    try {
      return (await lines.question(`${question} `, { signal: cancelled.signal })).trim();
    } catch {
      throw new Cancelled("Nothing was written.");
    }
  };
  /** Asks until `read` understands the answer. */
  const until = async <T>(question: string, read: (answer: string) => T | null, hint: string): Promise<T> => {
    for (;;) {
      const understood = read(await ask(question));
      if (understood !== null) return understood;
      output.write(`${hint}\n`);
    }
  };

  return {
    async name(byDefault) {
      const question = `What is the platform called?${byDefault === undefined ? "" : ` [${byDefault}]`}`;
      for (;;) {
        try {
          return checkName((await ask(question)) || (byDefault ?? ""));
        } catch (error) {
          if (!(error instanceof CannotCreate)) throw error;
          output.write(`${error.message}\n`);
        }
      }
    },
    way() {
      output.write("How do messages come in?\n");
      for (const [at, way] of WAYS.entries()) output.write(`  ${at + 1}. ${way}: ${DESCRIPTIONS[way]}\n`);
      const read = (answer: string) =>
        WAYS.find((way, at) => answer === way || answer === String(at + 1)) ?? (answer === "" ? WAYS[0] : null);
      return until("Which one? [1]", read, "Type a number from 1 to 3, or a word from the list.");
    },
    yes(question) {
      const read = (answer: string) => (/^(?:y|yes|)$/i.test(answer) ? true : /^no?$/i.test(answer) ? false : null);
      return until(`${question} (Y/n)`, read, "Type y or n.");
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
