import type { Branded } from "../base/brand.ts";
import type { SessionId } from "./session.ts";

export type LineId = Branded<"LineId">;

/** A message or command that was typed in a terminal while something ran there, and waits for its turn. */
export interface TypedLine {
  readonly id: LineId;
  /** The session it was typed in. */
  readonly sessionId: SessionId;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly typedAt: number;
}
