/** Thrown when a text exceeds its budget of steps. */
export class TooManySteps extends Error {}

/** In UTF-16 units: a rendered text may exceed twice its own length by this much, however short it is. */
const FREE_GROWTH = 2_000;

/**
 * The costs of parsing and rendering, in steps, fitted to the CPU time that the renderers take.
 * Inline text: `place` is an offset where all rules are tried, `miss` one where none matches, `skip` one that is visited
 * again, `text` the start of a text, `mark` one of its tokens, `pair` a token that may open or close a style, `label` and
 * `destination` the start of a link's parts, `address` each of their characters. Blocks: `block` is the start of one,
 * `line` each of its lines, `token` each of its tokens, `filled` a cell that fills up a row. Tree: `leaf` is a visited
 * token, `node` an ordinary node (others have their own name), `character` a rendered character, `copy` its copy for a
 * style or block around it, `wide` one in a table whose width must be looked up, `shown` one that nobody wrote there.
 */
const COST = {
  place: 1.1,
  miss: 4,
  skip: 0.4,
  text: 7.5,
  mark: 1,
  pair: 1,
  label: 3,
  destination: 20,
  address: 0.05,
  block: 2.8,
  line: 2.5,
  token: 2,
  filled: 6,
  leaf: 0.3,
  node: 10.5,
  style: 12,
  table: 30,
  row: 8,
  cell: 1.5,
  code: 55,
  footnote: 26,
  html: 12,
  link: 20,
  quote: 7.5,
  list: 13,
  item: 5,
  character: 0.6,
  copy: 0.04,
  wide: 1.4,
  shown: 0.4,
} as const;

export type Kind = keyof typeof COST;

/**
 * Counts the work on one text, and stops it at a limit. The same text takes the same steps on every machine.
 */
export class Steps {
  readonly #limit: number;
  #taken = 0;
  #growth: number;

  constructor(limit: number, length: number) {
    this.#limit = limit;
    this.#growth = FREE_GROWTH + length;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Counts a step of the given kind, `times` times. Throws TooManySteps beyond the limit. */
  take(kind: Kind, times = 1): void {
    this.#taken += COST[kind] * times;
    if (this.#taken > this.#limit) throw new TooManySteps();
  }

  /**
   * Counts rendered characters that nobody wrote there. Without a limit, their number could grow quadratically: twice the
   * text, four times as many.
   */
  grow(characters: number): void {
    this.#growth -= characters;
    if (this.#growth < 0) throw new TooManySteps();
    this.take("shown", characters);
  }
}
