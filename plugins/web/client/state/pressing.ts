import type { WireMessage } from "../../src/server/wire/thread.ts";
import { ApiError, postPress, sentenceOf } from "./api.ts";
import { getState, type Pressed, setState, withEntry, withoutEntry } from "./store.ts";

/** Clicks that follow each other sooner are one double click, in milliseconds. */
const DOUBLE_CLICK_MS = 500;

/** How long the buttons rest once Hermes has a press, unless the question changes before that, in milliseconds. */
const REST_MS = 5_000;

/** Whether a message's buttons take no press now. */
export function isResting({ change }: WireMessage, pressed: Pressed | undefined): boolean {
  return pressed?.state === "sending" || (pressed?.state === "sent" && pressed.change === change);
}

/** Sends a press, once. When it fails, the buttons can be pressed again. */
export async function press(message: WireMessage, choiceId: string): Promise<void> {
  const { id, threadId, change } = message;
  const before = getState().pressed.get(id);
  const at = Date.now();
  // The question may have other buttons by the time of the second click.
  if (isResting(message, before) || at - (before?.at ?? 0) < DOUBLE_CLICK_MS) return;
  const put = (state: Pressed["state"], reason: string | null = null) =>
    setState({ pressed: withEntry(getState().pressed, id, { at, change, state, reason }) });
  put("sending");
  try {
    await postPress(threadId, id, choiceId);
    put("sent");
    setTimeout(() => forget(id, at), REST_MS);
  } catch (error) {
    put("failed", sentenceOf(error));
    if (error instanceof ApiError && error.status === 401) setState({ phase: "signed-out" });
  }
}

function forget(id: string, at: number): void {
  const { pressed } = getState();
  if (pressed.get(id)?.at === at) setState({ pressed: withoutEntry(pressed, id) });
}
