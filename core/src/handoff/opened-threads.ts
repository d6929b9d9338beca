import type { HandoffThread } from "../adapter/message.ts";
import { RecentMap } from "../base/recent-map.ts";

/**
 * Threads that this process has opened and the store does not know yet, by their marks: it may fail right after the platform
 * has opened one, and few platforms find a thread again. Whoever asks once more gets the one that is there.
 */
export class OpenedThreads {
  readonly #byMark = new RecentMap<string, HandoffThread>(1_000);

  get(mark: string): HandoffThread | null {
    return this.#byMark.get(mark) ?? null;
  }

  note(mark: string, thread: HandoffThread): void {
    this.#byMark.set(mark, thread);
  }

  /** The store knows the thread, or it is gone. */
  forget(mark: string): void {
    this.#byMark.delete(mark);
  }
}
