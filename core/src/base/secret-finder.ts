import { type Reading, readingsOf, readingsOfBeginning } from "./readings.ts";
import { formsOf } from "./spellings.ts";

/**
 * In characters: the end of a text is held back until more comes if it matches at least this much of the beginning of a
 * secret. A shorter match is shown: every other word ends with one, and it gives nothing away.
 */
const HELD_FROM = 4;

/** How many characters an escape has for one, at most, where escapes are within escapes. */
const WIDEST_ESCAPE = 4;

/** In characters: how much in front of what is new in a text is read again, whatever length the secrets have. */
const READ_AGAIN = 1024;

/** In characters of a reading: behind so many it is read as in the whole text, although it began in the middle. */
const IN_STEP = 64;

/** A text may be out of step behind a longer run of these: blanks of an indent, numbers of lines, quotation marks. */
const MAY_BE_OUT_OF_STEP = /^[\s\d\\'"]{200}/;

export type Span = readonly [start: number, end: number];

/** Finds known secrets in a text, however it escapes and breaks them. */
export class SecretFinder {
  readonly #any: RegExp | null;
  readonly #everyPlace: RegExp | null;
  readonly #byBeginning: ReadonlyMap<string, readonly string[]>;
  /** Whether a form begins with two characters like these: nearly no place of a text needs a closer look. */
  readonly #firstTwo = new Uint8Array(PAIRS);
  readonly #forms: readonly string[];
  readonly #longest: number;
  #ends: FormEnds | null = null;

  constructor(secrets: Iterable<string>) {
    const forms = formsOf(secrets);
    this.#forms = forms;
    this.#any = anyOf(forms);
    this.#everyPlace = everyPlaceOf(forms);
    this.#byBeginning = Map.groupBy(forms, (form) => form.slice(0, HELD_FROM));
    for (const form of forms) this.#firstTwo[pairAt(form, 0)] = 1;
    this.#longest = forms[0]?.length ?? 0;
  }

  /** How much of what is known already to be shown a secret that ends later may overlap, in characters. */
  get reach(): number {
    return this.#longest * WIDEST_ESCAPE;
  }

  /** Where secrets stand, in order. Overlapping ones are one span: otherwise the end of the second would be left. */
  spansIn(text: string): readonly Span[] {
    const [any, everyPlace] = [this.#any, this.#everyPlace];
    if (any === null || everyPlace === null) return [];
    const found = readingsOf(text)
      // Nearly every text has none.
      .filter((reading) => reading.text.search(any) >= 0)
      .flatMap(({ text, written }) =>
        [...text.matchAll(everyPlace)].map(({ index, 1: secret = "" }) => written(index, index + secret.length)),
      );
    return found.length < 2 ? found : joined(found);
  }

  /** Where at the end of `text` a secret may begin that goes on in what comes next; its length where none does. */
  beginningIn(text: string): number {
    if (this.#longest === 0) return text.length;
    const places = readingsOfBeginning(text).map((reading) => {
      const at = this.#beginningIn(reading.text);
      return at < reading.text.length ? reading.written(at, at + 1)[0] : text.length;
    });
    return Math.min(text.length, ...places);
  }

  /**
   * The same, in work that depends on what is behind `looked` alone, up to which the text was looked through before. Null
   * where more of the text has to be read to tell: a secret may end behind that, or go on for longer than what was read.
   */
  beginningBehind(text: string, looked: number): number | null {
    if (this.#longest === 0) return text.length;
    if ((this.#forms.at(-1)?.length ?? 0) < END) return null;
    // What was half an escape at its end is read otherwise by now.
    const from = looked - IN_STEP;
    const start = from - READ_AGAIN;
    if (start <= 0) return null;
    const tail = text.slice(start);
    if (MAY_BE_OUT_OF_STEP.test(tail)) return null;
    this.#ends ??= new FormEnds(this.#forms);
    let beginning = tail.length;
    for (const reading of readingsOfBeginning(tail)) {
      const { text: read } = reading;
      const place = placeBehind(reading, READ_AGAIN);
      if (place < IN_STEP || this.#ends.endsIn(read, place) || this.#ends.isWithin(read)) return null;
      const at = this.#beginningIn(read);
      if (at < read.length) beginning = Math.min(beginning, reading.written(at, at + 1)[0]);
    }
    return start + beginning;
  }

  #beginningIn(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at <= text.length - HELD_FROM; at++) {
      if (this.#firstTwo[pairAt(text, at)] === 0) continue;
      const alike = this.#byBeginning.get(text.slice(at, at + HELD_FROM));
      if (alike?.some((form) => form.startsWith(text.slice(at)))) return at;
    }
    return text.length;
  }
}

/** In characters: the end of a form that is looked for before the whole. */
const END = 4;

const GRAMS = 0x4_0000;

/** How the forms of secrets end, and what stands within long ones: to tell that none of them ends or goes on. */
class FormEnds {
  readonly #long: readonly string[];
  readonly #ends: ReadonlySet<string>;
  readonly #isEnd = new Uint8Array(GRAMS);
  readonly #isWithin = new Uint8Array(GRAMS);

  constructor(forms: readonly string[]) {
    this.#ends = new Set(forms.map((form) => form.slice(-LONGEST_END)));
    for (const form of forms) this.#isEnd[gramAt(form, form.length - END)] = 1;
    this.#long = forms.filter((form) => form.length > IN_STEP);
    for (const form of this.#long) for (let at = 0; at <= form.length - END; at++) this.#isWithin[gramAt(form, at)] = 1;
  }

  /** Whether a form may end in a reading behind `place`. */
  endsIn(text: string, place: number): boolean {
    for (let at = Math.max(0, place - END + 1); at <= text.length - END; at++) {
      if (this.#isEnd[gramAt(text, at)] === 0) continue;
      const end = at + END;
      for (let length = END; length <= LONGEST_END; length++) {
        if (this.#ends.has(text.slice(Math.max(0, end - length), end))) return true;
      }
    }
    return false;
  }

  /** Whether the end of a reading is a part of a form that begins in front of it. */
  isWithin(text: string): boolean {
    for (let at = text.length - END; at >= text.length - IN_STEP; at--) {
      if (this.#isWithin[gramAt(text, at)] === 0) return false;
    }
    const end = text.slice(-IN_STEP);
    return this.#long.some((form) => form.includes(end));
  }
}

/** In characters: so much of the end of a longer form tells it from nearly every text. */
const LONGEST_END = 8;

function gramAt(text: string, at: number): number {
  let gram = 0;
  for (let place = at; place < at + END; place++) gram = (Math.imul(gram, 0x9e37) + text.charCodeAt(place)) | 0;
  return (gram ^ (gram >>> 15)) & (GRAMS - 1);
}

/** The first place of a reading that was read from what is written behind `at`. */
function placeBehind({ text, written }: Reading, at: number): number {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (written(middle, middle + 1)[1] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

const PAIRS = 0x1_0000;

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & (PAIRS - 1);
}

function joined(found: readonly Span[]): readonly Span[] {
  const spans: [start: number, end: number][] = [];
  for (const [start, end] of found.toSorted((a, b) => a[0] - b[0])) {
    const last = spans.at(-1);
    if (last === undefined || start >= last[1]) spans.push([start, end]);
    else last[1] = Math.max(last[1], end);
  }
  return spans;
}

function escapeForRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** A pattern that matches any of `texts`, preferring those first in the list; null for an empty list. */
export function anyOf(texts: readonly string[]): RegExp | null {
  return texts.length > 0 ? new RegExp(texts.map(escapeForRegExp).join("|"), "g") : null;
}

/** A pattern whose first group is the first of `texts` that matches at each position, even inside another match. */
function everyPlaceOf(texts: readonly string[]): RegExp | null {
  return texts.length > 0 ? new RegExp(`(?=(${texts.map(escapeForRegExp).join("|")}))`, "g") : null;
}
