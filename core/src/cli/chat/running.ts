/** What runs in a chat at the moment, and Ctrl-C ends. */
export class Running {
  #now: { readonly what: "turn" | "handoff"; readonly controller: AbortController } | null = null;

  /** Null: nothing runs. */
  get what(): "turn" | "handoff" | null {
    return this.#now?.what ?? null;
  }

  async run<T>(what: "turn" | "handoff", work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#now = { what, controller };
    try {
      return await work(controller.signal);
    } finally {
      this.#now = null;
    }
  }

  abort(): void {
    this.#now?.controller.abort();
  }
}
