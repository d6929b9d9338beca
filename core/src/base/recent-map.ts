/**
 * A map that holds so many entries at most: setting one more forgets the one that was set longest ago. For what is
 * remembered of people and messages, of which anybody could make any number.
 */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number;

  constructor(limit: number, entries: Iterable<readonly [Key, Value]> = []) {
    super();
    this.#limit = limit;
    for (const [key, value] of entries) this.set(key, value);
  }

  /** Sets an entry anew where it is there already: it counts as the latest. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#limit) break;
      this.delete(oldest);
    }
    return this;
  }
}
