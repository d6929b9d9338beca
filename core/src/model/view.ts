import type { Holder } from "../base/process-identity.ts";
import type { SessionId, Surface } from "./session.ts";
import type { Turn } from "./turn.ts";

/** A terminal or a page that has a session open. */
export interface View {
  readonly sessionId: SessionId;
  /** The process that shows it. */
  readonly holder: Holder;
  /** Where: the terminal, or the conversation that a page shows. */
  readonly surface: Surface;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** When a key was last typed there, to within half a minute. */
  readonly activeAt: number;
  /** Milliseconds since then, on a clock that nobody sets. */
  readonly restedMs: number;
}

/** A terminal or a page says that it has a session open. */
export interface KeepView extends Pick<View, "sessionId" | "holder" | "surface"> {
  /** Milliseconds since a key was last typed there. */
  readonly restedMs: number;
  readonly leaseMs: number;
}

/** The turn that runs in a session, and what it has said since its last stored message. */
export interface GrowingTurn {
  readonly turn: Turn;
  /** Null where nothing was noted since then. */
  readonly text: string | null;
  /** The last message of the turn that was stored before `text` was said. */
  readonly after: number;
}
