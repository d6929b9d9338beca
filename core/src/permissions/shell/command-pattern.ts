import { textPattern } from "../pattern.ts";
import { staticWord } from "./static-word.ts";

/** The words of a rule such as `shell(git log *)`. */
export interface CommandPattern {
  readonly words: readonly PatternWord[];
  /** It ends in ` *`: any more words may follow. */
  readonly isOpen: boolean;
}

/** A word of a rule: a text, or a pattern where a star stands outside of quotes. */
type PatternWord = string | RegExp;

export type ReadCommand =
  | { readonly command: CommandPattern; readonly problem: null }
  | { readonly command: null; readonly problem: string };

/** Reads the pattern of a rule for the shell: one command, in which a star may stand for what is not written. */
export function commandPattern(text: string): ReadCommand {
  const parts = text.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  const written = text.replaceAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\./g, "_");
  if (/['"\\]/.test(written)) return { command: null, problem: "a quotation mark in it is not closed" };
  if (/[;&|<>()`$\n{}[\]]/.test(written)) {
    return { command: null, problem: "it is one command: ; & | < > $ ( ) [ ] { } and ` stand in quotes only" };
  }
  const isOpen = parts.length > 1 && parts.at(-1) === "*";
  const words = (isOpen ? parts.slice(0, -1) : parts).map(patternWord);
  if (words.includes(null)) return { command: null, problem: "it has a word that bash would change" };
  return { command: { words: words.filter((word) => word !== null), isOpen: isOpen || text === "*" }, problem: null };
}

function patternWord(part: string): PatternWord | null {
  const exact = staticWord(part);
  if (exact !== null) return exact;
  // Only a star may stand there that bash would make something of.
  if (/['"\\]/.test(part) || staticWord(part.replaceAll("*", "_")) === null) return null;
  return textPattern(part);
}
