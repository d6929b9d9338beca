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
 * shown, `copy` one more of it for a style or a block around it, `shown` one that nobody wrote there.
 */
const COST = {
  place: 2,
  miss: 1,
  skip: 0.3,
  text: 12,
  mark: 1,
  pair: 1,
  label: 8,
  destination: 10,
  address: 0.1,
  block: 2,
  line: 1,
  token: 0.5,
  filled: 6,
  leaf: 0.3,
  node: 13,
  table: 40,
  row: 8,
  cell: 5,
  code: 20,
  footnote: 25,
  html: 20,
  link: 20,
  quote: 6,
  list: 20,
  item: 14,
  character: 0.3,
  copy: 0.04,
  shown: 0.3,
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
