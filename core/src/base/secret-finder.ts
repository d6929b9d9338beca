import { readingsOf, readingsOfBeginning } from "./readings.ts";
import { formsOf } from "./spellings.ts";

/**
 * In characters: the end of a text is held back until more comes if it matches at least this much of the beginning of a
 * secret. A shorter match is shown: every other word ends with one, and it gives nothing away.
 */
const HELD_FROM = 4;

/** How many characters an escape has for one, at most, where escapes are within escapes. */
const WIDEST_ESCAPE = 4;

type Span = readonly [start: number, end: number];

/** Finds known secrets in a text, however it escapes and breaks them. */
export class SecretFinder {
  readonly #any: RegExp | null;
  readonly #everyPlace: RegExp | null;
  readonly #byBeginning: ReadonlyMap<string, readonly string[]>;
  /** Whether a form begins with two characters like these: nearly no place of a text needs a closer look. */
  readonly #firstTwo = new Uint8Array(PAIRS);
  readonly #longest: number;

  constructor(secrets: Iterable<string>) {
    const forms = formsOf(secrets);
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

  #beginningIn(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at <= text.length - HELD_FROM; at++) {
      if (this.#firstTwo[pairAt(text, at)] === 0) continue;
      const alike = this.#byBeginning.get(text.slice(at, at + HELD_FROM));
      if (alike?.some((form) => form.startsWith(text.slice(at)))) return at;
    }
    return text.length;
  }
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
