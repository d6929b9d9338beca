/** Thrown where reading goes on for longer than the text is worth. */
export class TooManySteps extends Error {}

/** What a text may come to beyond its own length when it is shown, in UTF-16 units, however short it is. */
const FREE_GROWTH = 2_000;

/**
 * What the parts of reading and showing cost, in steps, fitted to the processor time that they take the renderers.
 * Of a text: `place` is one that all rules are tried at, `miss` one where none fits, `skip` one that is looked at again,
 * `text` its beginning, `mark` what it consists of, `pair` what may open or close a style, `label` and `destination` the
 * beginnings of a link's parts, `address` each character of those. Of blocks: `block` is the beginning of one, `line` each
 * of its lines, `token` what it consists of, `filled` what a row of a table is filled up with. Of the tree: `leaf` is a
 * token that is looked at, `node` what is made of most of them, and others by their names; `character` is one that is
 * shown, `copy` one more of it for a style or a block around it, `wide` one in a table whose width has to be looked up,
 * `shown` one that nobody wrote there.
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
 * Counts the work on one text, and ends it at a limit: the same text takes the same steps on every machine.
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

  /** Counts one thing more, or `times` of it; throws TooManySteps beyond the limit. */
  take(kind: Kind, times = 1): void {
    this.#taken += COST[kind] * times;
    if (this.#taken > this.#limit) throw new TooManySteps();
  }

  /**
   * Counts characters that are shown although nobody wrote them there. A text that is shown far longer than it is would
   * take ever more of them: twice the text, four times as many.
   */
  grow(characters: number): void {
    this.#growth -= characters;
    if (this.#growth < 0) throw new TooManySteps();
    this.take("shown", characters);
  }
}
