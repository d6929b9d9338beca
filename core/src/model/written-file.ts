import type { SessionId } from "./session.ts";
import type { TurnId } from "./turn.ts";

/** A file that tools of some turns wrote to. */
export interface WrittenFile {
  /** Absolute, without links. */
  readonly path: string;
  /** Whether there was no file before: then putting it back takes it away. */
  readonly isNew: boolean;
  /** `as written`: what the last of the calls wrote. `as before`: what was there before the first one. */
  readonly state: "as written" | "as before" | "changed since";
}

/** Finds what tools wrote, and puts it back as it was before. */
export interface WrittenFiles {
  /** What calls of those turns wrote to, in the order in which they came to it. */
  of(sessionId: SessionId, turns: readonly TurnId[]): readonly WrittenFile[];
  /** Puts a file back as it was before those turns. Throws where it is not `as written`, or cannot be written. */
  putBack(sessionId: SessionId, turns: readonly TurnId[], path: WrittenFile["path"]): void;
}
