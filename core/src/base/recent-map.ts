/**
 * A `Map` with a maximum size: setting an entry beyond it evicts the least recently set one. For state that outsiders
 * could make grow without limit, such as data about people and messages.
 */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number;

  constructor(limit: number, entries: Iterable<readonly [Key, Value]> = []) {
    super();
    this.#limit = limit;
    for (const [key, value] of entries) this.set(key, value);
  }

  /** Sets an entry and makes it the most recent one, even if its key exists already. */
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
