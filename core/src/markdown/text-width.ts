import { safeText } from "../base/hidden-text.ts";

/**
 * Text of a model or a stranger as a terminal may show it, see {@link safeText}; tabs become spaces, so that its width is
 * known.
 */
export function visibleText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return safeText(text).replaceAll("\t", "    ");
}

const clusters = new Intl.Segmenter();

/**
 * Text in which each code point is a character by itself, as in most scripts: a segmenter, which has to look for those
 * of several, takes a hundred times as long. Latin, Greek, Cyrillic, Chinese, Japanese and Korean.
 */
const SIMPLE =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u3000-\u3029\u3041-\u3096\u30a0-\u4dbf\u4e00-\ua48c\uac00-\ud7a3\uff01-\uff60]*$/;

/** What joins the character before it: accents, the choice between text and picture, keycaps, skins; the joiner of emoji, too. */
const JOINED = String.raw`\u0300-\u036f\ufe0f\u20e3\p{EMod}`;
const LETTERS = String.raw`\x20-\x7e\u00a1-\u00ac\u00ae-\u0482\u048a-\u058f\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff`;
const EASTERN = String.raw`\u3000-\u3029\u3041-\u3096\u30a0-\u4dbf\u4e00-\ua48c\uac00-\ud7a3\uff01-\uff60\ufffd`;
/** Those, accents, symbols and emoji: a pattern tells what is one character, ten times as fast as a segmenter. */
const FAMILIAR = new RegExp(String.raw`^[${LETTERS}${EASTERN}${JOINED}\u200d\p{ExtPict}\p{RI}]*$`, "u");
const CLUSTER = new RegExp(
  String.raw`(?:\p{RI}{1,2}|\p{ExtPict}(?:[${JOINED}]*\u200d\p{ExtPict})*|.)[${JOINED}\u200d]*`,
  "gsu",
);

/** The characters of a text as people see them. */
export function charactersOf(text: string): string[] {
  if (SIMPLE.test(text)) return text.split("");
  if (FAMILIAR.test(text)) return text.match(CLUSTER) ?? [];
  return Array.from(clusters.segment(text), ({ segment }) => segment);
}

/** How many columns a terminal gives to a text of one line. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  if (SIMPLE.test(text)) return text.length + (text.match(WIDE_SIMPLE)?.length ?? 0);
  return charactersOf(text).reduce((sum, character) => sum + columnsOfCharacter(character), 0);
}

/** Those of the simple ones that take two columns. */
const WIDE_SIMPLE = /[\u3000-\u3029\u3041-\ua48c\uac00-\ud7a3\uff01-\uff60]/g;

/** East Asian wide and fullwidth blocks; emoji are told by their own property. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;

/** How many columns a terminal gives to what people see as one character. */
export function columnsOfCharacter(character: string): number {
  if (/^[\x20-\x7e]$/.test(character)) return 1;
  const known = columns.get(character);
  if (known !== undefined) return known;
  if (columns.size >= MOST_KNOWN) columns.clear();
  const found = measure(character);
  columns.set(character, found);
  return found;
}

/** A text has the same characters again and again, and an emoji takes three patterns. */
const columns = new Map<string, number>();
const MOST_KNOWN = 2_000;

function measure(character: string): number {
  if (/^[\p{Mark}\p{Cf}]/u.test(character)) return 0;
  return WIDE.test(character) || /^\p{Emoji_Presentation}|\ufe0f/u.test(character) ? 2 : 1;
}
