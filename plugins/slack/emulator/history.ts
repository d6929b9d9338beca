import type { StoredMessage } from "./workspace.ts";

/** The messages of a channel in the order in which they came, found by `ts` and by thread without a search. */
export class History {
  readonly #byTs = new Map<string, StoredMessage>();
  readonly #threads = new Map<string, StoredMessage[]>();

  get(ts: string): StoredMessage | undefined {
    return this.#byTs.get(ts);
  }

  /** Without its root. */
  thread(rootTs: string): readonly StoredMessage[] {
    return this.#threads.get(rootTs) ?? [];
  }

  /** What stands at the top of the channel, where `rootTs` is undefined; else the thread. */
  in(rootTs: string | undefined): readonly StoredMessage[] {
    if (rootTs !== undefined) return this.thread(rootTs);
    return [...this.#byTs.values()].filter(({ threadTs }) => threadTs === undefined);
  }

  add(message: StoredMessage): void {
    this.#byTs.set(message.ts, message);
    if (message.threadTs === undefined) return;
    const thread = this.#threads.get(message.threadTs);
    if (thread === undefined) this.#threads.set(message.threadTs, [message]);
    else thread.push(message);
  }

  delete({ ts, threadTs }: StoredMessage): void {
    this.#byTs.delete(ts);
    const thread = threadTs === undefined ? undefined : this.#threads.get(threadTs);
    if (threadTs !== undefined && thread !== undefined) {
      this.#threads.set(
        threadTs,
        thread.filter((message) => message.ts !== ts),
      );
    }
  }
}
