import type { CountedUsage } from "../agent/counting-agent.ts";
import { requestCost } from "../agent/request-cost.ts";
import type { UserId } from "../model/session.ts";
import type { Turn } from "../model/turn.ts";
import type { NewUsage } from "../model/usage.ts";
import { userOf } from "../store/current-rights.ts";
import type { LeasedTurns } from "./leased-turns.ts";

/** What the requests of a turn used, until it is stored. */
export class TurnUsage {
  readonly #turns: Pick<LeasedTurns, "store" | "catalogue">;
  readonly #turn: Turn;
  #unstored: NewUsage[] = [];

  constructor(turns: Pick<LeasedTurns, "store" | "catalogue">, turn: Turn) {
    this.#turns = turns;
    this.#turn = turn;
  }

  /** To be written with what came of the requests. */
  get unstored(): readonly NewUsage[] {
    return this.#unstored;
  }

  /** Takes what one request used; null where no model was asked. */
  async add(kind: NewUsage["kind"], counted: CountedUsage | null): Promise<void> {
    if (counted === null) return;
    const { usage, model, isEstimated } = counted;
    const prices = this.#turns.catalogue?.factsOf(model).prices ?? null;
    const cost = requestCost(prices, usage);
    this.#unstored.push({ ...usage, kind, model, isEstimated, cost, person: await this.person() });
  }

  /** All that was unstored is stored. */
  stored(): void {
    this.#unstored = [];
  }

  /** Who caused the turn: where nobody wrote its message, whose session it is. */
  async person(): Promise<UserId> {
    const { store } = this.#turns;
    const { author, sessionId } = this.#turn;
    if (author !== null) return userOf(store, author);
    const session = await store.sessions.get(sessionId);
    return session?.user ?? userOf(store, "terminal");
  }
}
