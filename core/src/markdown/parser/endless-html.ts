import type { StateInline } from "markdown-it";

/** HTML constructs that may contain anything up to their end. */
const ENDS = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
  ["<!", ">"],
] as const;

/**
 * A rule that treats the `<` of an unclosed construct, such as a comment, as text. The library would search the rest of
 * the text for each of them; once an end was not found, it is missing for all later ones, too.
 */
export function passEndlessHtml(state: StateInline, silent: boolean): boolean {
  const { src, pos, cache } = state;
  if (src.charCodeAt(pos) !== LESS_THAN) return false;
  const end = ENDS.find(([begin]) => src.startsWith(begin, pos))?.[1];
  if (end === undefined) return false;
  // The library's own keys in this cache are numbers.
  const missing = cache as Record<string, unknown>;
  if (missing[end] !== true && src.includes(end, pos)) return false;
  missing[end] = true;
  if (!silent) state.pending += "<";
  state.pos++;
  return true;
}

const LESS_THAN = 0x3c;
