import type { Findings, HomeChannel } from "@hermes/core";

/** Reports a home channel that requires a thread for each handoff, since WhatsApp has none. */
export function noteThreads(found: Findings, { requireThread }: HomeChannel): void {
  if (!requireThread) return;
  const hint = "Leave `requireThread` out: the session then lands in the chat itself.";
  found.problem("WhatsApp has no threads, and the home channel requires one: no handoff can land.", hint);
}
