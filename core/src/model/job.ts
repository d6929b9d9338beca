import type { SessionId } from "./session.ts";

/** A command that a tool has started and that goes on in the background, in this process' care. */
export interface Job {
  /** Counted from 1 in each process. */
  readonly id: string;
  readonly sessionId: SessionId;
  readonly command: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The end of what it has put out, without secrets of this Hermes. */
  readonly lastLines: string;
}

/** The background commands of this process. They do not move: another process neither sees nor stops them. */
export interface JobList {
  /** Those that run, the oldest first. */
  running(): readonly Job[];
  /** Stops one with all that it has started. False when none with the id runs. */
  stop(id: Job["id"]): Promise<boolean>;
}
