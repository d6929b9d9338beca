/** Does one thing after the other. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  add<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when what has been added by now is done. */
  get idle(): Promise<unknown> {
    return this.#last;
  }
}
