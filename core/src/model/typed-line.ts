import type { Branded } from "../base/brand.ts";
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
