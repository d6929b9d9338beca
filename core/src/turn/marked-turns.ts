import { Coalesced } from "../base/coalesced.ts";
import type { Turn, TurnId, TurnMarks } from "../model/turn.ts";
import type { Store } from "../store/store.ts";

interface Listening {
  readonly turnId: TurnId;
  /** Called after each write to the store; null where nobody wants anything of the turn. */
  readonly listener: (marks: TurnMarks | null) => void;
}

/** Tells the turns that this process runs what somebody wants of them, in whatever process: by one look for all of them. */
export class MarkedTurns {
  readonly #store: Pick<Store, "watch" | "turns">;
  readonly #listening = new Set<Listening>();
  readonly #looks = new Coalesced(() => this.#look());
  #watching: Disposable | null = null;

  constructor(store: Pick<Store, "watch" | "turns">) {
    this.#store = store;
  }

  watch({ id: turnId }: Pick<Turn, "id">, listener: Listening["listener"]): Disposable {
    const entry = { turnId, listener };
    this.#listening.add(entry);
    this.#watching ??= this.#store.watch(() => void this.#looks.run());
    return {
      [Symbol.dispose]: () => {
        this.#listening.delete(entry);
        if (this.#listening.size > 0) return;
        this.#watching?.[Symbol.dispose]();
        this.#watching = null;
      },
    };
  }

  async #look(): Promise<void> {
    const asked = [...this.#listening];
    if (asked.length === 0) return;
    const ids = asked.map(({ turnId }) => turnId);
    // Looked up again with the next change: the store may be busy, or closing.
    const found = await this.#store.turns.marks(ids).catch(() => null);
    if (found === null) return;
    for (const entry of asked) {
      if (this.#listening.has(entry)) entry.listener(found.find(({ id }) => id === entry.turnId) ?? null);
    }
  }
}
