import type { Tool } from "../agent/agent.ts";
import { type Token, token } from "../base/tokens.ts";
import type { Session, Visibility } from "../model/session.ts";
import type { Turn } from "../model/turn.ts";
import type { PermissionContext } from "../permissions/judge.ts";
import type { PlacedRule } from "../permissions/rule.ts";

/**
 * Which tools a turn has, and what its calls are judged by. All of it follows the session, whatever process runs the turn,
 * and is asked anew for each call.
 */
export interface ToolPolicy {
  /** How long a question waits for its answer, in milliseconds; null: for ever. */
  readonly answerWithinMs: number | null;
  /** The tools of a session; none where it has no directory. */
  toolsOf(session: Session): Promise<readonly Tool[]>;
  /** The folder that the tools of a session work in; null where it has none. */
  directoryOf(session: Session): string | null;
  /** What the next call of a turn is judged by. */
  contextOf(session: Session, turn: Pick<Turn, "surface" | "author">): Promise<PermissionContext>;
  /** The rules by which the calls of a session are judged, with the file in which each stands. */
  rulesOf(session: Session): Promise<readonly PlacedRule[]>;
  /** Whether what the config of this process allows is allowed in a session; else that of its folder says so. */
  isOwnConfig(session: Session): boolean;
  /** Allows what was just written into the config of this process, which it read when it started. */
  addAllowed(rules: readonly string[]): void;
  /** Which sessions the place of a turn may see: all, where nobody but operators reads it. */
  visibilityOf(turn: Pick<Turn, "surface" | "author">): Promise<Visibility>;
  /** Why the turn's author may use no tool at this moment, as a clause: `nobody …`; null where they may. */
  refusalOf(session: Session, turn: Turn): Promise<string | null>;
}

export const TOOL_POLICY: Token<ToolPolicy> = token("tool-policy");
