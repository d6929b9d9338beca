import { readable } from "./text.ts";

/**
 * Scripts that put no space between words (and Korean, whose particles stick to them). A part of a run of them is
 * searched for, as a word is elsewhere. What a run consists of are letters, marks and digits, no punctuation.
 */
const SPACELESS =
  "[[\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Hang}\\p{scx=Bopo}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]&&[\\p{L}\\p{M}\\p{N}]]";
const LETTER = "[\\p{L}\\p{M}\\p{N}\\p{Co}]";

/** A run of signs of one kind: without spaces between words, or a word. */
const RUN = new RegExp(`(${SPACELESS}+)|(?:(?!${SPACELESS})${LETTER})+`, "gv");
/** Marks alone are nothing to look for. */
const SAYS_SOMETHING = /[\p{L}\p{N}\p{Co}]/u;
const ANY_SPACELESS = new RegExp(SPACELESS, "v");

/** Points that Hebrew and Arabic are mostly written without. */
const POINTS = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;

/** What has one form only. */
const PLAIN = /^\p{ASCII}*$/u;

/** From this length on, a word is also found by its beginning: shorter ones begin too much to be searched for quickly. */
const LEAST_BEGINNING = 3;

/** The most runs of a query that are looked for: what is longer is a text and no query. */
const MOST_RUNS = 64;

/** What the index holds of a message: words in order, pairs for each run without spaces; and single signs. */
export interface IndexedWords {
  readonly words: string;
  readonly signs: string;
}

/** A run of a text: where it stands, and how it is compared. */
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

/** One form for what looks alike: wide and narrow signs, and letters with and without the points that few write. */
function normal(text: string): string {
  return PLAIN.test(text) ? text : text.normalize("NFKC").replace(POINTS, "");
}

/** Overlapping pairs: each part of the run that has two signs or more is a row of them. */
function pairsOf(run: string): string[] {
  const signs = [...run];
  return signs.slice(1).map((sign, index) => `${signs[index]}${sign}`);
}

/** What the index is given for a text. */
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

/** Runs that have to stand one behind the other: words with nothing but punctuation between them, or one spaceless run. */
type Phrase = readonly [Run, ...Run[]];

/** What a person looks for. Nothing that they type is an operator. */
export interface SearchWords {
  /** Full-text queries: the first for whole words, the next, where there is one, for their beginnings. */
  readonly queries: readonly string[];
  /** The text around the first place where one of them stands, with the words found between `[` and `]`. */
  snippet(text: string): string;
}

/** Null when there is nothing to look for in `text`. */
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

/** How many words are shown; two signs of a script without spaces count as one. */
const SHOWN = 12;
/** How many of them stand before the first that was found. */
const SHOWN_BEFORE = 4;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A long text is looked through by parts of so many UTF-16 units, up to the first in which something is found. */
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

/** The words around the first place that was found. */
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

/** Where a phrase stands in the run at `index`, or begins there. */
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
  // A sign that has another length in its one form: nobody can tell where in the run it stands.
  if (there.length !== run.end - run.start) return there.includes(asked) ? [run] : [];
  const parts: Range[] = [];
  for (let at = there.indexOf(asked); at >= 0; at = there.indexOf(asked, at + asked.length)) {
    parts.push({ start: run.start + at, end: run.start + at + asked.length });
  }
  return parts;
}

/** As the index compares: without case and without accents. */
function folded(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
}

/** In order, with those that overlap as one. */
function joined(ranges: readonly Range[]): Range[] {
  const all: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
