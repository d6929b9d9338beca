/**
 * Runs work one at a time for each key, and concurrently for different keys. Work that fails does not block the work
 * behind it. An idle key takes no memory.
 *
 * @example
 * ```ts
 * const chats = new KeyedQueue<string>();
 * await chats.run(chatId, () => bot.send(chatId, text)); // after everything queued for that chat before
 * ```
 */
export class KeyedQueue<Key> {
  readonly #last = new Map<Key, Promise<void>>();
  readonly #onIdle: ((key: Key) => void) | undefined;

  /** `onIdle` is called with each key whose last work is done. */
  constructor({ onIdle }: { readonly onIdle?: (key: Key) => void } = {}) {
    this.#onIdle = onIdle;
  }

  /** Runs `work` after all earlier work of the key. Settles as the work does. */
  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => {},
      () => {},
    );
    this.#last.set(key, settled);
    void settled.then(() => {
      if (this.#last.get(key) !== settled) return;
      this.#last.delete(key);
      this.#onIdle?.(key);
    });
    return result;
  }

  /** Whether the key has work that is not done. */
  has(key: Key): boolean {
    return this.#last.has(key);
  }

  /** Resolves when all work added until now is done; never rejects. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
