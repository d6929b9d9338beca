/**
 * Does one thing after the other for each key; the keys do not wait for each other. What fails holds up nothing behind
 * it. A key that has nothing left to do takes no memory.
 *
 * @example
 * ```ts
 * const chats = new KeyedQueue<string>();
 * await chats.run(chatId, () => bot.send(chatId, text)); // behind all that was to be sent there before
 * ```
 */
export class KeyedQueue<Key> {
  readonly #last = new Map<Key, Promise<void>>();
  readonly #onIdle: ((key: Key) => void) | undefined;

  /** `onIdle` is told of each key whose last work is done. */
  constructor({ onIdle }: { readonly onIdle?: (key: Key) => void } = {}) {
    this.#onIdle = onIdle;
  }

  /** Runs `work` behind what was added for the key before. Resolves or rejects as the work does. */
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

  /** Whether something is under way for the key. */
  has(key: Key): boolean {
    return this.#last.has(key);
  }

  /** Resolves when all that was added until now is done; it never rejects. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }
}
