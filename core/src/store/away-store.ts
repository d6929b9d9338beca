import type { Holder } from "../base/process-identity.ts";
import type { Away } from "../model/away.ts";
import type { Handoff } from "../model/handoff.ts";
import type { SessionId } from "../model/session.ts";

/** Stores where sessions go by themselves when nobody is at the terminal. */
export interface AwayStore {
  /** Replaces what was set before. False when there is no such session. */
  set(sessionId: SessionId, away: Omit<Away, "seenAt">): Promise<boolean>;
  get(sessionId: SessionId): Promise<Away | null>;
  /** Whether it is set for any session. */
  isSet(): Promise<boolean>;
  /** False when it was not set. */
  clear(sessionId: SessionId): Promise<boolean>;
  /**
   * The person left a terminal that had the session open: they saw what ended until `at`, in milliseconds since 1970. True
   * where its latest turn has ended since.
   */
  left(sessionId: SessionId, at: number): Promise<boolean>;
  /**
   * In one step for each session that is to go to the account: its handoff requested, and its setting cleared. Such a
   * session was last used in the terminal, where nobody has it open, or has typed for its time; has no handoff in flight;
   * and its turn waits, was left by a dead process, or has ended since somebody was there to see it. A turn that a dead
   * process left goes along. Requests nothing unless `holder` has the account's lease.
   */
  go(
    at: { readonly platform: string; readonly account: string | undefined },
    holder: Holder,
    ttlMs: number,
  ): Promise<Handoff[]>;
}
