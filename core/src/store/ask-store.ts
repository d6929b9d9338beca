import type { Ask, AskId, AskResult, NewAsk, TakeAlongResult } from "../model/ask.ts";
import type { Session, Surface, UserId, Visibility } from "../model/session.ts";

/** Stores questions that are no approvals. One that nobody answered in time is closed by whichever call meets it. */
export interface AskStore {
  /** Keeps a question and queues it at its places. `startTurn` can do that with the turn. */
  open(ask: NewAsk): Promise<Ask>;
  get(id: AskId): Promise<Ask | null>;
  /** The open ones that a conversation shows, or that were put in the terminal; oldest first. */
  shownAt(surface: Surface): Promise<Ask[]>;
  /** Answers a question, once: it is closed at each place that shows it. */
  decide(id: AskId, state: "taken" | "declined"): Promise<AskResult>;
  /**
   * The session of a person that was used last, elsewhere than at `surface` and within {@link OFFERED_FOR_MS}, for them to
   * go on with there. Null where none is, where people are waited for in it, it is being handed off, or it was offered
   * there, or declined anywhere, since it was used.
   */
  offerable(query: {
    readonly person: UserId;
    readonly visible: Visibility;
    readonly surface: Surface;
  }): Promise<Session | null>;
  /**
   * Takes what a person wrote at the place of an offer along into the session that it offers, in one step and once: the
   * exchange is hidden where it was, the place leads to the session, their messages are user rows there, and a turn of
   * cause `offer` waits in it to be resumed. Where a tool had run in the exchange, the place is bound and a notice quotes
   * the exchange. While the exchange is being answered, the step that ends its turn does so.
   */
  takeAlong(id: AskId): Promise<TakeAlongResult>;
}

/** How long after its last use a session is offered elsewhere, and how long the offer stands. In milliseconds. */
export const OFFERED_FOR_MS = 30 * 60_000;
