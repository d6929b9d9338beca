import type { WireMessage } from "../../src/server/wire/thread.ts";
import { getState, setState, withEntry, withoutEntry } from "./store.ts";

/** The next message of the thread replies to this one. */
export function replyTo({ id, threadId, author, text }: WireMessage): void {
  setState({ replyingTo: withEntry(getState().replyingTo, threadId, { id, author, text }) });
  document.getElementById("composer")?.focus();
}

export function stopReplying(threadId: string): void {
  setState({ replyingTo: withoutEntry(getState().replyingTo, threadId) });
}
