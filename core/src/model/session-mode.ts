import type { SessionMode } from "./session.ts";

/** All modes, in the order in which a person goes through them. */
export const SESSION_MODES: readonly SessionMode[] = ["default", "edits", "plan"];

const MEANINGS: Readonly<Record<SessionMode, string>> = {
  default: "the agent asks before it writes, runs or fetches anything",
  edits: "the agent writes files below its directory without asking, and asks for all else",
  plan: "the agent only reads: it writes and runs nothing",
};

/** The modes from the one that permits least. */
const BY_REACH: readonly SessionMode[] = ["plan", "default", "edits"];

/** What a mode means, as a clause: `the agent only reads …`. */
export function meaningOf(mode: SessionMode): string {
  return MEANINGS[mode];
}

/** The mode that a word names; null for any other word. */
export function readMode(word: string): SessionMode | null {
  return SESSION_MODES.find((mode) => mode === word.trim().toLowerCase()) ?? null;
}

/** The mode that follows in the order of {@link SESSION_MODES}, the first behind the last. */
export function modeAfter(mode: SessionMode): SessionMode {
  return SESSION_MODES[(SESSION_MODES.indexOf(mode) + 1) % SESSION_MODES.length] ?? "default";
}

/** Whether `to` permits more than `from`, so that only an operator may change to it. */
export function isRaised(from: SessionMode, to: SessionMode): boolean {
  return BY_REACH.indexOf(to) > BY_REACH.indexOf(from);
}
