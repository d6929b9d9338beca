import { inject, Lifecycle, scoped } from "tsyringe";
import { shellWord } from "../../base/shell-word.ts";
import { handoffInFlight } from "../../handoff/handoff-in-flight.ts";
import { typedTarget } from "../../model/place.ts";
import type { SessionId } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import type { TerminalHost } from "../context.ts";
import { HOST, OUTPUT } from "./tokens.ts";

/** Knows until when somebody sat at a terminal, whose session is to go elsewhere by itself when nobody does. */
@scoped(Lifecycle.ContainerScoped)
export class LeaveAway {
  /** When the last key was typed; null: they look on still. */
  #typedAt: number | null = null;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
  ) {}

  /** A key was typed. Where it is the one that leaves, nobody sees what ends after it. */
  typed(): void {
    this.#typedAt = this.host.clock.now();
  }

  /** What runs was stopped by a key: whoever did that looks on. */
  looksOn(): void {
    this.#typedAt = null;
  }

  /** The terminal turns to another session. */
  async turnsFrom(sessionId: SessionId): Promise<void> {
    await this.host.store.away.left(sessionId, this.host.clock.now());
  }

  /**
   * Records that somebody has left the terminal, and tells them where the session goes. To be called while it counts as
   * open: afterwards a gateway may send it.
   */
  async leave(sessionId: SessionId | null): Promise<void> {
    const { store, clock } = this.host;
    const { io } = this.output;
    const away = sessionId === null ? null : await store.away.get(sessionId);
    if (sessionId === null || away === null) return;
    // What is piped in has its end at once.
    const at = io.isInteractive ? this.#typedAt : null;
    const isMissed = await store.away.left(sessionId, at ?? clock.now());
    const session = await store.sessions.get(sessionId);
    if (session?.lastSurface !== "terminal" || !io.isInteractive) return;
    if ((await handoffInFlight(store, sessionId)) !== null) return;
    const turn = await store.turns.running(sessionId);
    const state = turn === null ? (isMissed ? "missed" : "seen") : turn.state === "waiting" ? "waiting" : "running";
    this.output.note(whereItGoes(state, typedTarget(away.to), sessionId));
  }
}

function whereItGoes(turn: "missed" | "seen" | "waiting" | "running", where: string, sessionId: SessionId): string {
  switch (turn) {
    case "missed":
      return `This session goes to ${where} now: its turn has ended since you left.`;
    case "seen":
      return `Nothing of this session runs any more, so it stays here: \`hermes handoff ${shellWord(where)} --session ${sessionId}\` moves it now.`;
    case "waiting":
      return `This session waits for an answer; it goes to ${where} as soon as no terminal has it open.`;
    case "running":
      return `This session goes to ${where} when the turn that runs in another terminal has ended.`;
  }
}
