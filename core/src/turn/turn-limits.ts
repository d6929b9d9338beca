import { HermesError } from "../base/errors.ts";
import { type Token, token } from "../base/tokens.ts";
import type { Approval, NewApproval } from "../model/approval.ts";
import type { Limits, ReachedLimit } from "../model/limit.ts";
import type { Turn } from "../model/turn.ts";
import { dayOf } from "../model/usage.ts";
import { reachedLimit } from "../store/reached-limit.ts";
import type { LeasedTurns } from "./leased-turns.ts";
import { askAboutLimit, reachedText } from "./limit-question.ts";
import type { TurnUsage } from "./turn-usage.ts";

/** What may be used at most, by the config. */
export const LIMITS: Token<Limits> = token("limits");

export interface TurnLimitsParts {
  readonly turns: LeasedTurns;
  readonly turn: Turn;
  readonly usage: TurnUsage;
  /** The message that the turn answers, for people. */
  readonly request: string;
  /** It has not been left before: nothing was asked in it. */
  readonly isFirst: boolean;
}

/** The limits of what a turn may use. */
export class TurnLimits {
  readonly #parts: TurnLimitsParts;
  /** What people were asked before: asking them leaves the turn, so it stays as it is. */
  #asked: Promise<readonly Approval[]> | null = null;

  constructor(parts: TurnLimitsParts) {
    this.#parts = parts;
  }

  /**
   * Whether the turn may ask its model: null where it may. A turn that has done something already asks people; one that
   * has not, and one that people do not let go on, ends with LIMIT_REACHED. What a handoff says is never held up.
   */
  async question(hasBegun: boolean): Promise<NewApproval | null> {
    const { turns, turn, request } = this.#parts;
    const { limits } = turns;
    if (turn.cause.kind === "handoff") return null;
    this.#asked ??= this.#askedBefore();
    const asked = await this.#asked;
    const reached = Object.keys(limits).length === 0 ? null : await this.#reached();
    const last = asked.at(-1);
    if (last?.decision?.kind === "no") throw new HermesError("LIMIT_REACHED", { reached: last.detail });
    if (reached === null) return null;
    if (!hasBegun) throw new HermesError("LIMIT_REACHED", { reached: reachedText(reached) });
    return askAboutLimit(reached, { number: asked.length + 1, request, ttlMs: turns.policy.answerWithinMs });
  }

  async #askedBefore(): Promise<readonly Approval[]> {
    const { turns, turn, isFirst } = this.#parts;
    return isFirst ? [] : (await turns.store.approvals.ofTurn(turn.id)).filter(({ kind }) => kind === "limit");
  }

  async #reached(): Promise<ReachedLimit | null> {
    const { turns, turn, usage } = this.#parts;
    const person = await usage.person();
    const day = dayOf(turns.clock.now());
    return reachedLimit(turns.store, turns.limits, { session: turn.sessionId, person, day });
  }
}
