const PREFIX = "hermes:draft:";

/** What was written and not sent, per thread; it outlives a reload. */
export function draftOf(threadId: string): string {
  return localStorage.getItem(PREFIX + threadId) ?? "";
}

export function keepDraft(threadId: string, text: string): void {
  if (text) localStorage.setItem(PREFIX + threadId, text);
  else localStorage.removeItem(PREFIX + threadId);
}
