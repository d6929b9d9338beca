import { oneLine } from "../../base/one-line.ts";
import type { Handoff, HandoffId } from "../../model/handoff.ts";
import type { SessionId } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";
import type { Output } from "../../terminal/output.ts";

/** Tells the person at the terminal which sessions were sent here, until a terminal has opened them. */
export class SentHere {
  readonly #output: Output;
  readonly #store: Store;
  readonly #told = new Set<HandoffId>();
  /** One look at a time, so that nothing is said twice. */
  #looking: Promise<unknown> = Promise.resolve();

  constructor(output: Output, store: Store) {
    this.#output = output;
    this.#store = store;
  }

  /** Says what was sent here since the last look; what is open here is taken. */
  show(open: SessionId | null): Promise<void> {
    return this.#inTurn(async () => {
      for (const handoff of await this.#store.handoffs.offeredToTerminal()) {
        if (handoff.sessionId === open) {
          // First said, then taken: whoever is killed in between has said it, and another terminal says it again.
          await this.#tell(handoff, "it goes on here");
          await this.#store.handoffs.taken(handoff.id);
        } else {
          await this.#tell(handoff, null);
        }
      }
    });
  }

  /** A session is opened here: no other terminal says any more that it was sent. */
  take(opened: SessionId): Promise<void> {
    return this.#inTurn(async () => {
      for (const { id, sessionId } of await this.#store.handoffs.offeredToTerminal()) {
        if (sessionId === opened) await this.#store.handoffs.taken(id);
      }
    });
  }

  async #tell({ id, sessionId, from }: Handoff, why: string | null): Promise<void> {
    if (this.#told.has(id)) return;
    this.#told.add(id);
    const title = (await this.#store.sessions.get(sessionId))?.title ?? null;
    const binding = from === "terminal" ? null : await this.#store.bindings.get(from);
    const whence = binding === null ? "" : ` from ${binding.conversation.platform}`;
    const name = oneLine(title ?? sessionId);
    this.#output.note(`“${name}” was sent here${whence}: ${why ?? `/resume ${name} goes on with it`}`);
  }

  #inTurn(look: () => Promise<void>): Promise<void> {
    const done = this.#looking.then(look);
    this.#looking = done.catch(() => {});
    return done;
  }
}
