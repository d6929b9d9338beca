import { asHermesError, HermesError } from "../base/errors.ts";
import { withoutSecrets } from "../base/without-secrets.ts";
import type { Compaction } from "../model/compaction.ts";
import type { LeasedTurns } from "./leased-turns.ts";
import type { TurnHold } from "./turn-hold.ts";
import { TurnLimits } from "./turn-limits.ts";
import { turnEventOf } from "./turn-notices.ts";
import type { CompactRequest } from "./turn-runner.ts";
import { TurnUsage } from "./turn-usage.ts";
import type { StartedTurn } from "./turn-writer.ts";
import { untilTaken } from "./until-taken.ts";

/** Runs a turn that only has the beginning of its session summed up. Whatever comes of it, the turn ends. */
export async function runCompactTurn(
  turns: LeasedTurns,
  { focus, onEvent }: CompactRequest,
  { turn, fence, session }: StartedTurn,
  hold: TurnHold,
): Promise<Compaction> {
  const { store, redact } = turns;
  const { signal } = hold;
  const write = <T>(one: () => Promise<T>) => untilTaken(one, turns, signal);
  const usage = new TurnUsage(turns, turn);
  let made: Compaction | null = null;
  try {
    await new TurnLimits({ turns, turn, usage, request: "", isFirst: true }).question(false);
    const context = turns.contextOf(session, turn, {
      ...{ requestSeq: null, signal, usage, untilTaken: write },
      onEvent: (event) => onEvent?.(turnEventOf(event)),
    });
    made = await context.compact(focus === null ? null : turns.concealer.conceal(focus));
    return made;
  } catch (thrown) {
    hold.throwIfLost();
    if (hold.ending === "stopped") throw new HermesError("COMPACTION_STOPPED", {});
    throw withoutSecrets(asHermesError(thrown), redact);
  } finally {
    // A turn that was lost has another holder by now.
    const state = made === null ? "interrupted" : "done";
    if (hold.ending !== "lost") {
      await untilTaken(
        () =>
          store.turns.finishTurn({ turnId: turn.id, fence, state, messages: [], outbox: [], usage: usage.unstored }),
        turns,
        new AbortController().signal,
      ).catch((error: unknown) => turns.logger.warn({ turn: turn.id, error }, "a compaction's turn was not ended"));
    }
  }
}
