import { Lifecycle, scoped } from "tsyringe";

/** `command`: one that the person runs by themself. */
type Work = "turn" | "handoff" | "command";

/** What runs in a chat at the moment, and Ctrl-C ends. */
@scoped(Lifecycle.ContainerScoped)
export class Running {
  #now: { readonly what: Work; readonly controller: AbortController } | null = null;

  /** Null: nothing runs. */
  get what(): Work | null {
    return this.#now?.what ?? null;
  }

  async run<T>(what: Work, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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
