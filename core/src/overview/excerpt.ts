import { withReadableMarks } from "../model/mark.ts";
import type { ExcerptPart } from "../plugin/visible-sessions.ts";

/** A word matches as a beginning from as many letters on, as in the store's search. */
const LEAST_BEGINNING = 3;

/**
 * The parts of an excerpt of a search, whose found words stand in `[` and `]`. What is in brackets in the text itself is no
 * find: brackets count only around something that was asked for.
 */
export function excerptParts(snippet: string, words: string): ExcerptPart[] {
  const asked = words.split(/\s+/u).map(bare).filter(Boolean);
  const line = withReadableMarks(snippet)
    .replaceAll(/[⟦⟧\s]+/g, " ")
    .trim();
  const parts: { text: string; isFound: boolean }[] = [];
  const add = (text: string, isFound: boolean) => {
    const last = parts.at(-1);
    if (text === "") return;
    if (last?.isFound === isFound && !isFound) last.text += text;
    else parts.push({ text, isFound });
  };
  for (const piece of line.split(/(\[[^[\]]*\])/u)) {
    const inner = /^\[(.*)\]$/u.exec(piece)?.[1];
    if (inner !== undefined && isAsked(bare(inner), asked)) add(inner, true);
    else add(piece, false);
  }
  return parts;
}

function isAsked(found: string, asked: readonly string[]): boolean {
  if (found === "") return false;
  return asked.some((word) => {
    if (found === word || ([...word].length >= LEAST_BEGINNING && found.startsWith(word))) return true;
    // Where no spaces stand between words, any part of what is written together is found.
    return WITHOUT_CASE.test(found) && (found.includes(word) || word.includes(found));
  });
}

const WITHOUT_CASE = /\p{Lo}/u;

/** Without case, accents and punctuation, which a search does not heed. */
function bare(text: string): string {
  return text
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}\p{Co}]+/gu, "")
    .toLowerCase();
}
