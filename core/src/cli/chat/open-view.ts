import { inject, Lifecycle, scoped } from "tsyringe";
import { reasonOf } from "../../base/errors.ts";
import type { SessionId } from "../../model/session.ts";
import { VIEW_LEASE_MS } from "../../store/view-store.ts";
import type { TerminalHost } from "../context.ts";
import { HOST } from "./tokens.ts";

/** Milliseconds between two times that it is said. A key is told at once where none was for so long. */
const SAY_EVERY_MS = VIEW_LEASE_MS / 3;

/** Says which session the terminal has open, and when somebody last typed there. */
@scoped(Lifecycle.ContainerScoped)
export class OpenView implements Disposable {
  #sessionId: SessionId | null = null;
  #typedAt: number;
  /** The key that was told last. */
  #toldOf: number;
  #timer: Disposable | null = null;
  #telling: Promise<unknown> = Promise.resolve();

  constructor(@inject(HOST) readonly host: TerminalHost) {
    this.#typedAt = this.#toldOf = this.#now();
  }

  /** The terminal is in this session now; null: in none yet. */
  turnTo(sessionId: SessionId | null): void {
    if (sessionId === this.#sessionId) return;
    this.#sessionId = sessionId;
    if (sessionId === null) void this.close();
    else this.#tell(sessionId);
  }

  /** A key was typed. */
  typed(): void {
    this.#typedAt = this.#now();
    if (this.#sessionId !== null && this.#typedAt - this.#toldOf >= SAY_EVERY_MS) this.#tell(this.#sessionId);
  }

  /** The terminal has no session open any more. */
  async close(): Promise<void> {
    const { promptStore, holder } = this.host;
    this[Symbol.dispose]();
    this.#sessionId = null;
    await this.#attempt(() => promptStore.views.close(holder, "terminal"));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  #tell(sessionId: SessionId): void {
    const { promptStore, holder, clock } = this.host;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.setTimer(SAY_EVERY_MS, () => this.#tell(sessionId));
    this.#toldOf = this.#typedAt;
    const restedMs = this.#now() - this.#typedAt;
    const view = { sessionId, holder, surface: "terminal", restedMs, leaseMs: VIEW_LEASE_MS } as const;
    void this.#attempt(() => promptStore.views.keep(view));
  }

  #attempt(write: () => Promise<unknown>): Promise<unknown> {
    this.#telling = this.#telling.then(write).catch((error: unknown) => {
      // Told again with the next renewal.
      this.host.logger.debug({ reason: reasonOf(error) }, "which session is open here could not be told");
    });
    return this.#telling;
  }

  #now(): number {
    return this.host.clock.steady().ms;
  }
}
