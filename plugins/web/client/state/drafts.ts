import { kept } from "./kept.ts";

const PREFIX = "hermes:draft:";

/** What was written and not sent, per thread; it outlives a reload. */
export function draftOf(threadId: string): string {
  return kept.get(PREFIX + threadId) ?? "";
}

export function keepDraft(threadId: string, text: string): void {
  kept.set(PREFIX + threadId, text || null);
}
