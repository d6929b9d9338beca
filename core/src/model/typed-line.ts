import type { Branded } from "../base/brand.ts";
import type { SessionId } from "./session.ts";

export type LineId = Branded<"LineId">;

/** With this the id of a line begins that is no typed one, but what a command of the person put out. */
export const OUTPUT_LINE = "ran";

/** A message or command that was typed in a terminal while something ran there, and waits for its turn. */
export interface TypedLine {
  readonly id: LineId;
  /** The session it was typed in. */
  readonly sessionId: SessionId;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly typedAt: number;
}
