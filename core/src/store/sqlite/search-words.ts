import { readable } from "./text.ts";

/**
 * Scripts without spaces between words (and Korean, whose particles stick to words). Any part of a run of such characters
 * can be searched for, like a word elsewhere. A run consists of letters, marks and digits, without punctuation.
 */
const SPACELESS =
  "[[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}\\p{N}]]";
const LETTER = "[\\p{L}\\p{M}\\p{N}\\p{Co}]";

/** A run of characters of one kind: of a script without spaces (group 1), or a word. */
const RUN = new RegExp(`(${SPACELESS}+)|(?:(?!${SPACELESS})${LETTER})+`, "gv");
/** A run must have more than marks to be searched for. */
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Co}]/u;
const ANY_SPACELESS = new RegExp(SPACELESS, "v");

/** Vowel points, without which Hebrew and Arabic are mostly written. */
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;

/** Text that needs no normalisation. */
const PLAIN = /^\p{ASCII}*$/u;

/** The minimum length of a prefix: shorter ones match too many words to be searched for quickly. */
const LEAST_BEGINNING = 3;

/** The maximum number of runs in a query: anything longer is a text and not a query. */
const MOST_RUNS = 64;

/** The index entry of a message: words in order, pairs of characters for spaceless runs; and single characters. */
export interface IndexedWords {
  readonly words: string;
  readonly signs: string;
}

/** A run of a text: its position, and its normalised form. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isSpaceless: boolean;
}

function runsOf(text: string): Run[] {
  return Array.from(text.matchAll(RUN), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: normal(match[0]),
    isSpaceless: match[1] !== undefined,
  }));
}

/** Normalises a text: one form for wide and narrow characters, and no vowel points. */
function normal(text: string): string {
  return PLAIN.test(text) ? text : text.normalize("NFKC").replace(POINTS, "");
}

/** The overlapping pairs of a run: any part of it with two characters or more is a sequence of such pairs. */
function pairsOf(run: string): string[] {
  const signs = [...run];
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

/** Makes the index entry for a text. */
export function indexedWords(text: string): IndexedWords {
  if (!ANY_SPACELESS.test(text)) return { words: normal(text), signs: "" };
  const words: string[] = [];
  const signs = new Set<string>();
  for (const run of runsOf(text)) {
    if (!run.isSpaceless) words.push(run.text);
    else {
      words.push(...pairsOf(run.text));
      for (const sign of run.text) signs.add(sign);
    }
  }
  return { words: words.join(" "), signs: [...signs].join(" ") };
}

/** Runs that must follow each other: words with only punctuation between them, or one spaceless run. */
type Phrase = readonly [Run, ...Run[]];

/** A parsed search query. Nothing in it is an operator. */
export interface SearchWords {
  /** Full-text queries: the first for whole words; the second, if any, for prefixes. */
  readonly queries: readonly string[];
  /** An excerpt of the text around the first match, with the matches in `[` and `]`. */
  snippet(text: string): string;
}

/** Parses a search query; null when it has nothing to search for. */
export function searchWords(text: string): SearchWords | null {
  const phrases: Phrase[] = readable(text).split(/\s+/u).flatMap(phrasesOf).slice(0, MOST_RUNS);
  if (phrases.length === 0) return null;
  const whole = queryOf(phrases, false);
  const beginning = queryOf(phrases, true);
  return {
    queries: whole === beginning ? [whole] : [whole, beginning],
    snippet: (found) => snippetOf(found, phrases),
  };
}

function phrasesOf(piece: string): Phrase[] {
  const phrases: [Run, ...Run[]][] = [];
  for (const run of runsOf(piece)) {
    if (!SAYS_SOMETHING.test(run.text)) continue;
    const last = phrases.at(-1);
    if (last && !run.isSpaceless && !last[0].isSpaceless) last.push(run);
    else phrases.push([run]);
  }
  return phrases;
}

function queryOf(phrases: readonly Phrase[], asBeginnings: boolean): string {
  return [...new Set(phrases.map((phrase) => phraseQuery(phrase, asBeginnings)))].join(" ");
}

function phraseQuery(phrase: Phrase, asBeginnings: boolean): string {
  const [first] = phrase;
  if (!first.isSpaceless) {
    const words = `"${phrase.map(({ text }) => text).join(" ")}"`;
    return asBeginnings && mayBeBeginning(phrase) ? `${words}*` : words;
  }
  const pairs = pairsOf(first.text);
  return `"${pairs.length === 0 ? first.text : pairs.join(" ")}"`;
}

function mayBeBeginning(phrase: Phrase): boolean {
  return [...(phrase.at(-1)?.text ?? "")].length >= LEAST_BEGINNING;
}

/** The number of words in an excerpt; two characters of a script without spaces count as one. */
const SHOWN = 12;
/** The number of words before the first match. */
const SHOWN_BEFORE = 4;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** In UTF-16 units: a long text is scanned in parts of this length, up to the first with a match. */
const PART = 4_000;

function snippetOf(text: string, phrases: readonly Phrase[]): string {
  const beginnings = phrases.map(([first]) => folded(first.text));
  for (let from = 0; from < text.length; ) {
    const space = text.slice(from + PART).search(/\s/u);
    const to = space < 0 || space > PART ? from + 2 * PART : from + PART + space;
    const part = text.slice(from, to);
    const there = folded(normal(part));
    if (beginnings.some((beginning) => there.includes(beginning))) {
      const runs = runsOf(part);
      const found = joined(runs.flatMap((_, index) => phrases.flatMap((phrase) => rangesAt(runs, index, phrase))));
      if (found.length > 0) return `${from > 0 ? "…" : ""}${excerpt(part, runs, found)}${to < text.length ? "…" : ""}`;
    }
    from = to;
  }
  const start = text.slice(0, PART);
  return excerpt(start, runsOf(start), []);
}

/** The words around the first match. */
function excerpt(text: string, runs: readonly Run[], found: readonly Range[]): string {
  const units = runs.flatMap(unitsOf);
  const at = units.findIndex(({ end }) => end > (found[0]?.start ?? 0));
  const from = Math.max(0, Math.min(at - SHOWN_BEFORE, units.length - SHOWN));
  const isLast = from + SHOWN >= units.length;
  const start = from === 0 ? 0 : (units[from]?.start ?? 0);
  const end = isLast ? text.length : (units[from + SHOWN - 1]?.end ?? text.length);
  let shown = from === 0 ? "" : "…";
  let upTo = start;
  for (const range of found) {
    if (range.start < upTo || range.end > end) continue;
    shown += `${text.slice(upTo, range.start)}[${text.slice(range.start, range.end)}]`;
    upTo = range.end;
  }
  return `${shown}${text.slice(upTo, end)}${isLast ? "" : "…"}`;
}

function unitsOf({ start, end, text, isSpaceless }: Run): Range[] {
  if (!isSpaceless || text.length !== end - start) return [{ start, end }];
  const units: Range[] = [];
  let from = start;
  for (const pair of text.match(/..?/gsu) ?? []) {
    units.push({ start: from, end: from + pair.length });
    from += pair.length;
  }
  return units;
}

/** The matches of a phrase within the run at `index`, or starting there. */
function rangesAt(runs: readonly Run[], index: number, phrase: Phrase): Range[] {
  const [run, [first]] = [runs[index], phrase];
  if (!run || run.isSpaceless !== first.isSpaceless) return [];
  if (run.isSpaceless) return partsOf(run, first.text);
  const words = runs.slice(index, index + phrase.length);
  const isThere = phrase.every(({ text }, place) => {
    const word = words[place];
    if (!word || word.isSpaceless) return false;
    const [there, asked] = [folded(word.text), folded(text)];
    return place === phrase.length - 1 && mayBeBeginning(phrase) ? there.startsWith(asked) : there === asked;
  });
  return isThere ? [{ start: run.start, end: words.at(-1)?.end ?? run.end }] : [];
}

function partsOf(run: Run, part: string): Range[] {
  const [there, asked] = [folded(run.text), folded(part)];
  // Normalising changed the length, so positions within the run are unknown: the whole run is the match.
  if (there.length !== run.end - run.start) return there.includes(asked) ? [run] : [];
  const parts: Range[] = [];
  for (let at = there.indexOf(asked); at >= 0; at = there.indexOf(asked, at + asked.length)) {
    parts.push({ start: run.start + at, end: run.start + at + asked.length });
  }
  return parts;
}

/** Folds case and accents, as the index does. */
function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
}

/** Sorts ranges, and merges overlapping ones. */
function joined(ranges: readonly Range[]): Range[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
