import type { LimitRaise } from "../model/limit.ts";
import type { SessionId } from "../model/session.ts";
import type { LastUsage, UsageBy, UsageFilter, UsageGroup, UsageSum } from "../model/usage.ts";

/**
 * What requests to models used. Each is written by the call that stores what came of it: `append` and `finishTurn` of
 * the turns. Those of a session that is deleted stay as sums by day, person and model, without the session.
 */
export interface UsageStore {
  /** The request that gave the last message which still stands in the transcript; null where none is known. */
  lastOf(sessionId: SessionId): Promise<LastUsage | null>;
  sum(filter: UsageFilter): Promise<UsageSum>;
  /** The sums of what differs in `by`, those with the latest request first. */
  groups(by: UsageBy, filter: UsageFilter & { readonly limit: number }): Promise<UsageGroup[]>;
  /** What was allowed beyond a limit by now, in all: by `raise`, and by a yes to a question (see `approvals.decide`). */
  raised(subject: string): Promise<LimitRaise>;
  /** Allows more beyond a limit; `once`: a second call with it changes nothing. */
  raise(raise: LimitRaise, once: string | null): Promise<void>;
}
