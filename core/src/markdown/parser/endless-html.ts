import type { StateInline } from "markdown-it";

/** What may hold anything up to its end. */
const ENDS = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<!", ">"],
] as const;

/**
 * Takes the `<` of a comment, say, that nothing ends, for text. The library would search the whole rest of the text at
 * each; where the end of one was missing once, it is missing for all behind it.
 */
export function passEndlessHtml(state: StateInline, silent: boolean): boolean {
  const { src, pos, cache } = state;
  if (src.charCodeAt(pos) !== LESS_THAN) return false;
  const end = ENDS.find(([begin]) => src.startsWith(begin, pos))?.[1];
  if (end === undefined) return false;
  // The library keys its own entries by numbers.
  const missing = cache as Record<string, unknown>;
  if (missing[end] !== true && src.includes(end, pos)) return false;
  missing[end] = true;
  if (!silent) state.pending += "<";
  state.pos++;
  return true;
}

const LESS_THAN = 0x3c;
