import { graphemeClusters } from "../base/grapheme-clusters.ts";
import { safeText } from "../base/hidden-text.ts";

/**
 * Makes text of a model or a stranger safe for a terminal, see {@link safeText}; tabs become spaces, so that its width is
 * known.
 */
export function visibleText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return safeText(text).replaceAll("\t", "    ");
}

/**
 * Text in which each code point is a character of its own: Latin, Greek, Cyrillic, Chinese, Japanese and Korean. A fast
 * path: a segmenter takes a hundred times as long.
 */
const SIMPLE =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u3000-\u3029\u3041-\u3096\u30a0-\u4dbf\u4e00-\ua48c\uac00-\ud7a3\uff01-\uff60]*$/;

/** Code points that extend the character before them: accents, the emoji variation selector, keycaps, skin tones. */
const JOINED = String.raw`\u0300-\u036f\ufe0f\u20e3\p{EMod}`;
const LETTERS = String.raw`\x20-\x7e\u00a1-\u00ac\u00ae-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff`;
const EASTERN = String.raw`\u3000-\u3029\u3041-\u3096\u30a0-\u4dbf\u4e00-\ua48c\uac00-\ud7a3\uff01-\uff60\ufffd`;
/** Text with these, accents, symbols and emoji: a pattern finds its characters, ten times as fast as a segmenter. */
const FAMILIAR = new RegExp(String.raw`^[${LETTERS}${EASTERN}${JOINED}\u200d\p{ExtPict}\p{RI}]*$`, "u");
const CLUSTER = new RegExp(
  String.raw`(?:\p{RI}{1,2}|\p{ExtPict}(?:[${JOINED}]*\u200d\p{ExtPict})*|.)[${JOINED}\u200d]*`,
  "gsu",
);

/** Splits a text into grapheme clusters. */
export function charactersOf(text: string): string[] {
  if (SIMPLE.test(text)) return text.split("");
  if (FAMILIAR.test(text)) return text.match(CLUSTER) ?? [];
  return Array.from(graphemeClusters(text), ({ segment }) => segment);
}

/** The width of a one-line text in a terminal, in columns. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  if (SIMPLE.test(text)) return text.length + (text.match(WIDE_SIMPLE)?.length ?? 0);
  return charactersOf(text).reduce((sum, character) => sum + columnsOfCharacter(character), 0);
}

/** The characters of {@link SIMPLE} text that are two columns wide. */
const WIDE_SIMPLE = /[\u3000-\u3029\u3041-\ua48c\uac00-\ud7a3\uff01-\uff60]/g;

/** East Asian wide and fullwidth blocks; emoji are recognised by their own property. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** The width of one grapheme cluster in a terminal, in columns. */
export function columnsOfCharacter(character: string): number {
  if (/^[\x20-\x7e]$/.test(character)) return 1;
  const known = columns.get(character);
  if (known !== undefined) return known;
  if (columns.size >= MOST_KNOWN) columns.clear();
  const found = measure(character);
  columns.set(character, found);
  return found;
}

/** A cache: the same characters recur, and measuring an emoji takes three patterns. */
const columns = new Map<string, number>();
const MOST_KNOWN = 2_000;

function measure(character: string): number {
  if (/^[\p{Mark}\p{Cf}]/u.test(character)) return 0;
  return WIDE.test(character) || /^\p{Emoji_Presentation}|\ufe0f/u.test(character) ? 2 : 1;
}
