/** Earlier input, for the arrow keys and Ctrl-R. Keeps the line that was begun before going back. */
export class Recall {
  /** The oldest first. */
  readonly #entries: string[];
  #at: number;
  #draft = "";

  constructor(entries: readonly string[]) {
    this.#entries = [...entries];
    this.#at = this.#entries.length;
  }

  /** Adds a sent message. One that was sent again is there once, as the latest. */
  add(text: string): void {
    if (text.trim() !== "") {
      const before = this.#entries.indexOf(text);
      if (before >= 0) this.#entries.splice(before, 1);
      this.#entries.push(text);
    }
    this.#at = this.#entries.length;
  }

  /** The one before, null at the oldest. `current` is what stands in the input. */
  older(current: string): string | null {
    if (this.#at === this.#entries.length) this.#draft = current;
    if (this.#at === 0) return null;
    this.#at -= 1;
    return this.#entries[this.#at] ?? null;
  }

  /** The one after, behind the latest what was begun; null where there is no more. */
  newer(): string | null {
    if (this.#at === this.#entries.length) return null;
    this.#at += 1;
    return this.#entries[this.#at] ?? this.#draft;
  }

  /** The latest entry below `before` that contains a text, and where; capital letters or not. */
  find(wanted: string, before = this.#entries.length): { readonly index: number; readonly text: string } | null {
    const needle = wanted.toLowerCase();
    for (let index = Math.min(before, this.#entries.length) - 1; index >= 0; index--) {
      const text = this.#entries[index] ?? "";
      if (text.toLowerCase().includes(needle)) return { index, text };
    }
    return null;
  }
}
