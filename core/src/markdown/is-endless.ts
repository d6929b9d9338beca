import { findFences } from "./fence.ts";

/** Deeper than people nest, and far from where a recursive reader runs out of stack. */
export const DEEPEST = 100;

/** A line that opens more quotes and lists in one another than that; the parser's time grows with their square. */
const ENDLESS_CONTAINERS = new RegExp(`^(?:[ \\t]*(?:>|(?:[-+*]|\\d{1,9}[.)])(?=[ \\t]))){${DEEPEST}}`, "m");

/** A line with a run of 400 marks, unless it is a rule: each pair would be a level. */
const ENDLESS_EMPHASIS = /^(?![*_ \t]*$).*[*_]{400}/m;

/** A character behind a backslash stands for itself: what looks like a mark is none. */
const ESCAPED = /\\./g;

const MARKS = /[*_~[\]!<`=|#>+-]/g;

/** Some 2,800 marks in one block, or five hundred blocks of more than a hundred: about a fifth of a second. */
const MOST_COMPARISONS = 8_000_000;

/** Whether reading `text` as Markdown would take up the process for seconds, or its stack: only an attack does. */
export function isEndless(text: string): boolean {
  return ENDLESS_CONTAINERS.test(text) || ENDLESS_EMPHASIS.test(text) || comparisonsIn(text) > MOST_COMPARISONS;
}

/** The parser compares each mark of a block with the others of that block. Fenced code has no marks. */
function comparisonsIn(text: string): number {
  let comparisons = 0;
  let from = 0;
  const count = (until: number) => {
    for (const block of text.slice(from, until).split(/\n[ \t\r]*\n/)) {
      comparisons += (block.replaceAll(ESCAPED, "").match(MARKS)?.length ?? 0) ** 2;
    }
  };
  for (const { start, end } of findFences(text)) {
    count(start);
    from = end;
  }
  count(text.length);
  return comparisons;
}
