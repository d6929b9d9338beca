import { Lifecycle, scoped } from "tsyringe";
import type { SessionId } from "../../model/session.ts";
import type { SaidToTurn, Turn } from "../../model/turn.ts";

/** A turn that runs in this process, as far as people may speak to it. */
export interface RunningTurn extends Disposable {
  begin(turn: Turn): void;
  /** Takes what was said to it since this was called last. */
  said(): readonly SaidToTurn[];
}

/** The turns of a platform account that run in this process, and what people say to them meanwhile. */
@scoped(Lifecycle.ContainerScoped)
export class RunningTurns {
  readonly #said = new Map<SessionId, { readonly turn: Turn; said: SaidToTurn[] }>();

  /** Lets people speak to a turn, from when it begins until it is disposed of. What it did not take is forgotten here. */
  open(): RunningTurn {
    let sessionId: SessionId | null = null;
    return {
      begin: (turn) => {
        sessionId = turn.sessionId;
        this.#said.set(turn.sessionId, { turn, said: [] });
      },
      said: () => {
        const entry = sessionId === null ? undefined : this.#said.get(sessionId);
        const said = entry?.said ?? [];
        if (entry) entry.said = [];
        return said;
      },
      [Symbol.dispose]: () => {
        if (sessionId !== null) this.#said.delete(sessionId);
      },
    };
  }

  /** The turn of a session that runs here; null if none does. */
  of(sessionId: SessionId): Turn | null {
    return this.#said.get(sessionId)?.turn ?? null;
  }

  /** Says something to the turn of a session. */
  tell(sessionId: SessionId, said: SaidToTurn): void {
    this.#said.get(sessionId)?.said.push(said);
  }
}
