import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Turn } from "../model/turn.ts";
import { keepRenewed } from "../store/keep-renewed.ts";
import type { Store } from "../store/store.ts";
import type { MarkedTurns } from "./marked-turns.ts";
import { LEAVING } from "./turn-runner.ts";

/** Keeps the lease of a running turn renewed, and aborts the turn when it has to end. */
export interface TurnHold extends Disposable {
  /** Aborts when the turn has to end. */
  readonly signal: AbortSignal;
  /**
   * `stopped`: somebody stopped it. `leaving`: this process shuts down; the turn stays open for the next holder.
   * `lost`: another process took over.
   */
  readonly ending: "stopped" | "leaving" | "lost" | null;
  /** Whether it was stopped because its author may not do so any more. */
  readonly isRevoked: boolean;
  /** Whether a handoff wants the turn parked. */
  readonly isWanted: boolean;
  /** Stops it since its author may not do so any more. */
  revoke(): void;
  /** Throws TURN_SUPERSEDED when another process took over. */
  throwIfLost(): void;
}

interface HoldParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly marked: MarkedTurns;
}

export function holdTurn(
  { store, clock, logger, marked }: HoldParts,
  turn: Turn,
  leaseMs: number,
  stop?: AbortSignal,
): TurnHold {
  const controller = new AbortController();
  let ending: TurnHold["ending"] = null;
  let isWanted = turn.parkRequested;
  let isRevoked = false;
  const end = (why: NonNullable<TurnHold["ending"]>) => {
    ending ??= why;
    controller.abort(new Error(`the turn was ${why}`));
  };

  const onStop = () => end(stop?.reason === LEAVING ? "leaving" : "stopped");
  if (stop?.aborted) onStop();
  stop?.addEventListener("abort", onStop, { once: true });

  const renewing = keepRenewed({
    clock,
    leaseMs,
    renew: () => store.turns.renewTurn(turn.id, turn.fence, leaseMs),
    onLost: () => end("lost"),
    onError: (error) => logger.warn({ turn: turn.id, error }, "a turn lease could not be renewed"),
  });

  // A stop can come from another process: it is a mark on the turn.
  const watching = marked.watch(turn, (marks) => {
    if (marks !== null && marks.fence !== turn.fence) return;
    isWanted = marks?.parkRequested ?? false;
    isRevoked ||= marks?.isRevoked ?? false;
    if (marks?.stopRequested) end("stopped");
  });

  return {
    signal: controller.signal,
    get isWanted() {
      return isWanted;
    },
    get isRevoked() {
      return isRevoked;
    },
    get ending() {
      return ending;
    },
    revoke() {
      isRevoked = true;
      end("stopped");
    },
    throwIfLost() {
      if (ending === "lost") throw new HermesError("TURN_SUPERSEDED", {});
    },
    [Symbol.dispose]() {
      renewing[Symbol.dispose]();
      watching[Symbol.dispose]();
      stop?.removeEventListener("abort", onStop);
      ending ??= "stopped";
    },
  };
}
