import { type HermesError, reasonOf } from "../base/errors.ts";
import { storedError } from "../base/without-secrets.ts";
import type { Handoff } from "../model/handoff.ts";
import type { Carrying } from "./carry-handoff.ts";
import { removeLeftThreads } from "./left-threads.ts";
import { tellPlaceLeft } from "./place-left.ts";

/** Ends a handoff that cannot succeed, and puts back what it had changed. */
export async function giveUp(carrying: Carrying, handoff: Handoff, error: HermesError): Promise<void> {
  const { store, holder, redact } = carrying;
  const stored = storedError(error, redact);
  if (handoff.state !== "running") return;
  if (handoff.step === "claimed" || handoff.step === "threaded" || handoff.step === null) {
    if (!(await store.handoffs.failHandoff(handoff.id, holder, stored))) return;
    if (handoff.step === "threaded") await removeLeftThreads(carrying, handoff.id);
    else await removeUnrecorded(carrying, handoff);
    return;
  }
  if (await store.handoffs.compensateHandoff(handoff.id, holder, stored)) {
    await removeLeftThreads(carrying, handoff.id);
    return;
  }
  // The person already wrote there: the session has arrived, even if our own message failed.
  const left = await tellPlaceLeft(store, handoff, handoff.link);
  await store.handoffs.completeHandoff(handoff.id, holder, { warning: stored.text, left });
}

/** Removes a thread that could not be recorded: it stays with this process until the failure is. */
async function removeUnrecorded({ destination, logger, signal, opened }: Carrying, handoff: Handoff): Promise<void> {
  const thread = opened.get(handoff.mark);
  opened.forget(handoff.mark);
  if (thread === null) return;
  try {
    await destination.adapter.deleteThread?.(thread, signal);
  } catch (error) {
    logger.warn({ handoff: handoff.id, reason: reasonOf(error) }, "an empty thread could not be removed");
  }
}
