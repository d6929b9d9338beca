import type { Branded } from "../base/brand.ts";
import type { Holder } from "../base/process-identity.ts";
import type { SessionId } from "./session.ts";

export type LineId = Branded<"LineId">;

/** A line that was typed in a terminal while something ran there, and waits for its turn: a message or a command. */
export interface TypedLine {
  readonly id: LineId;
  /** The session it was typed in. */
  readonly sessionId: SessionId;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly typedAt: number;
}

/**
 * What waits in the terminals, so that the end of a terminal costs nobody what was typed there. It is no part of the
 * transcript until its turn starts: `startTurn` takes a line away in the step that writes it as a message.
 */
export interface TypedLines {
  /** Keeps lines behind those that the holder has. One that is kept already stays as it is. Throws SESSION_UNKNOWN. */
  keep(
    sessionId: SessionId,
    lines: readonly Pick<TypedLine, "id" | "text">[],
    holder: Holder,
    leaseMs: number,
  ): Promise<void>;
  /** Renews the lease on all lines of a holder. False when it has none. */
  renew(holder: Holder, leaseMs: number): Promise<boolean>;
  /** Takes lines of the holder away: what they ask for was done, or is not wanted any more. */
  remove(ids: readonly LineId[], holder: Holder): Promise<void>;
  /** Lets go of all lines of a holder that ends: they are left for whoever opens their sessions next. */
  release(holder: Holder): Promise<void>;
  /** The lines that no live terminal has, of one session or of all, in the order in which they were typed. */
  left(sessionId?: SessionId): Promise<TypedLine[]>;
  /** Takes over those of the lines that no live terminal has: the rest was sent, or taken by another, meanwhile. */
  takeOver(ids: readonly LineId[], holder: Holder, leaseMs: number): Promise<TypedLine[]>;
}
