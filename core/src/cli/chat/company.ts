import { inject, Lifecycle, scoped } from "tsyringe";
import { KeyedQueue } from "../../base/keyed-queue.ts";
import { openElsewhere } from "../../command/open-views.ts";
import { readersOf } from "../../handoff/session-readers.ts";
import type { Host } from "../../host/host.ts";
import type { SessionId } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/**
 * Says who besides the person at the terminal can read the session that is open there, before they write, and where it
 * is open.
 */
@scoped(Lifecycle.ContainerScoped)
export class Company {
  readonly #looks = new KeyedQueue<"look">();
  #sessionId: SessionId | null = null;
  #told = new Map<string, string>();
  #views = new Set<string>();

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: Host,
  ) {}

  /** Says what is new since it was said last. */
  show(sessionId: SessionId): Promise<void> {
    return this.#looks.run("look", async () => {
      if (this.#sessionId !== sessionId) {
        this.#sessionId = sessionId;
        this.#told = new Map();
        this.#views = new Set();
      }
      await this.#tellViews(sessionId);
      await this.#tellReaders(sessionId);
    });
  }

  async #tellReaders(sessionId: SessionId): Promise<void> {
    const told = this.#told;
    const readers = await readersOf(this.host.store, sessionId, (key) => told.has(key));
    this.#told = new Map(readers.map(({ key, where }) => [key, where]));
    for (const { key, text } of readers) if (!told.has(key)) this.output.note(text);
    for (const [key, where] of told) {
      if (!this.#told.has(key)) this.output.note(`This session can no longer be read ${where}.`);
    }
  }

  async #tellViews(sessionId: SessionId): Promise<void> {
    const { store, clock, holder } = this.host;
    const views = (await store.views.of(sessionId)).filter((view) => view.holder.id !== holder.id);
    const ids = new Set(views.map((view) => `${view.holder.id} ${view.surface}`));
    const isNew = [...ids].some((id) => !this.#views.has(id));
    this.#views = ids;
    if (!isNew) return;
    for (const where of await openElsewhere({ store, clock, here: holder.id }, sessionId)) {
      this.output.note(`Also open ${where}.`);
    }
  }
}
