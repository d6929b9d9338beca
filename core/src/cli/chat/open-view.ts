import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Holder } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import { VIEW_LEASE_MS, type ViewStore } from "../../store/view-store.ts";

/** Milliseconds between two times that it is said. A key is told at once where none was for so long. */
const SAY_EVERY_MS = VIEW_LEASE_MS / 3;

export interface OpenViewParts {
  readonly views: ViewStore;
  readonly holder: Holder;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Says which session the terminal has open, and when somebody last typed there. */
export class OpenView implements Disposable {
  readonly #parts: OpenViewParts;
  #sessionId: SessionId | null = null;
  #typedAt: number;
  /** The key that was told last. */
  #toldOf: number;
  #timer: Disposable | null = null;
  #telling: Promise<unknown> = Promise.resolve();

  constructor(parts: OpenViewParts) {
    this.#parts = parts;
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
    const { views, holder } = this.#parts;
    this[Symbol.dispose]();
    this.#sessionId = null;
    await this.#attempt(() => views.close(holder, "terminal"));
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }

  #tell(sessionId: SessionId): void {
    const { views, holder, clock } = this.#parts;
    this.#timer?.[Symbol.dispose]();
    this.#timer = clock.setTimer(SAY_EVERY_MS, () => this.#tell(sessionId));
    this.#toldOf = this.#typedAt;
    const restedMs = this.#now() - this.#typedAt;
    void this.#attempt(() => views.keep({ sessionId, holder, surface: "terminal", restedMs, leaseMs: VIEW_LEASE_MS }));
  }

  #attempt(write: () => Promise<unknown>): Promise<unknown> {
    this.#telling = this.#telling.then(write).catch((error: unknown) => {
      // Told again with the next renewal.
      this.#parts.logger.debug({ reason: reasonOf(error) }, "which session is open here could not be told");
    });
    return this.#telling;
  }

  #now(): number {
    return this.#parts.clock.steady().ms;
  }
}
