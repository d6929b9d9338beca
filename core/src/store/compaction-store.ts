import type { Compaction, NewCompaction } from "../model/compaction.ts";
import type { SessionId } from "../model/session.ts";
import type { Fence, TurnId } from "../model/turn.ts";
import type { NewUsage } from "../model/usage.ts";

/** Stores what models are given instead of the beginnings of transcripts. */
export interface CompactionStore {
  /**
   * In one step, for the turn that has the session's lease: keeps the compaction, replaces what the session has of the
   * work if `work` is there, tells people by a row of the transcript, and counts `usage`. Throws TURN_SUPERSEDED, and
   * then writes nothing. An `undoLast` that takes a message up to `upTo` out of the transcript drops the compaction.
   */
  add(turnId: TurnId, fence: Fence, compaction: NewCompaction, usage?: readonly NewUsage[]): Promise<Compaction>;
  /** The newest one of a session that holds, or null. */
  latest(sessionId: SessionId): Promise<Compaction | null>;
  /** Those of a session that hold, the newest first. */
  list(sessionId: SessionId, limit: number): Promise<Compaction[]>;
}
