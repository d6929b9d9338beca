import type { WireFile } from "../../src/server/wire/thread.ts";
import { ApiError, postMessage } from "./api.ts";
import { kept } from "./kept.ts";
import { applyMessage } from "./merge.ts";
import { newId } from "./new-id.ts";
import { stopReplying } from "./replying.ts";
import { getState, type Outgoing, setState } from "./store.ts";

const PREFIX = "hermes:outgoing:";
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

let isSending = false;
let pauseMs = FIRST_PAUSE_MS;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Takes up what an earlier visit could not send. */
export function restoreOutgoing(): void {
  const outgoing = kept
    .keys(PREFIX)
    .flatMap((key) => parse(kept.get(key)))
    .sort((a, b) => a.at - b.at);
  setState({ outgoing });
}

/** Shows the message at once, keeps it in the browser, and sends it. */
export function say(threadId: string, text: string, files: readonly WireFile[] = []): void {
  const replyTo = getState().replyingTo.get(threadId) ?? null;
  put({ id: newId(), threadId, text, files, replyTo, at: Date.now(), state: "sending", reason: null });
  stopReplying(threadId);
  sendOutgoing();
}

export function retry(id: string): void {
  const message = getState().outgoing.find((one) => one.id === id);
  if (message) put({ ...message, state: "sending", reason: null });
  sendOutgoing();
}

export function discard(id: string): void {
  kept.set(PREFIX + id, null);
  setState({ outgoing: getState().outgoing.filter((one) => one.id !== id) });
}

/** Sends what waits, in the order of writing, one at a time. */
export async function sendOutgoing(): Promise<void> {
  if (isSending) return;
  clearTimeout(timer);
  isSending = true;
  try {
    for (;;) {
      const next = getState().outgoing.find(({ state }) => state !== "failed");
      if (!next || getState().phase !== "ready") return;
      if (!(await send(next))) return;
    }
  } finally {
    isSending = false;
  }
}

/** Whether the next one may follow. */
async function send(message: Outgoing): Promise<boolean> {
  try {
    const answer = await postMessage(message.threadId, {
      id: message.id,
      text: message.text,
      files: message.files ?? [],
      ...(message.replyTo && { replyTo: message.replyTo.id }),
    });
    discard(message.id);
    setState(applyMessage(getState(), answer.message, Date.now()));
    pauseMs = FIRST_PAUSE_MS;
    return true;
  } catch (error) {
    const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 401;
    put({ ...message, state: isFinal ? "failed" : "waiting", reason: isFinal ? error.message : null });
    if (isFinal) return true;
    if (error instanceof ApiError && error.status === 401) {
      setState({ phase: "signed-out" });
      return false;
    }
    const asked = error instanceof ApiError ? error.retryAfterMs : null;
    timer = setTimeout(sendOutgoing, asked ?? pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return false;
  }
}

function put(message: Outgoing): void {
  // One key each: two tabs that write at once would overwrite a common list.
  kept.set(PREFIX + message.id, JSON.stringify(message));
  const { outgoing } = getState();
  const isKnown = outgoing.some(({ id }) => id === message.id);
  setState({
    outgoing: isKnown ? outgoing.map((one) => (one.id === message.id ? message : one)) : [...outgoing, message],
  });
}

function parse(json: string | null): Outgoing[] {
  try {
    const value = JSON.parse(json ?? "null") as Outgoing | null;
    return value ? [value] : [];
  } catch {
    return [];
  }
}
