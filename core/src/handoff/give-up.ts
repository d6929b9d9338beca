import type { Conversation } from "../adapter/conversation.ts";
import { type HermesError, reasonOf } from "../base/errors.ts";
import { storedError } from "../base/without-secrets.ts";
import type { Handoff } from "../model/handoff.ts";
import type { Carrying } from "./carry-handoff.ts";
import { tellPlaceLeft } from "./place-left.ts";
import { channelOf } from "./target-channel.ts";

/** Ends a handoff that cannot succeed, and puts back what it had changed. */
export async function giveUp(carrying: Carrying, handoff: Handoff, error: HermesError): Promise<void> {
  const { store, holder, redact } = carrying;
  const stored = storedError(error, redact);
  if (handoff.state !== "running") return;
  if (handoff.step === "claimed" || handoff.step === "threaded" || handoff.step === null) {
    // One that could not be recorded stays with this process until the failure is.
    const thread = handoff.step === "threaded" ? handoff.conversation : carrying.opened.get(handoff.mark)?.conversation;
    if (!(await store.handoffs.failHandoff(handoff.id, holder, stored))) return;
    await removeThread(carrying, handoff, thread);
    carrying.opened.forget(handoff.mark);
    return;
  }
  if (await store.handoffs.compensateHandoff(handoff.id, holder, stored)) {
    await removeThread(carrying, handoff, handoff.conversation);
    return;
  }
  // The person already wrote there: the session has arrived, even if our own message failed.
  const left = await tellPlaceLeft(store, handoff, handoff.link);
  await store.handoffs.completeHandoff(handoff.id, holder, { warning: stored.text, left });
}

/** Removes the thread that was opened for a handoff; a target that is a thread itself was there before. */
async function removeThread(
  { destination, logger, signal }: Carrying,
  handoff: Handoff,
  conversation: Conversation | null = null,
): Promise<void> {
  const { threadId } = conversation ?? {};
  if (!conversation || !threadId || threadId === channelOf(handoff, destination)?.threadId) return;
  try {
    await destination.adapter.deleteThread?.({ conversation }, signal);
  } catch (error) {
    logger.warn({ handoff: handoff.id, reason: reasonOf(error) }, "an empty thread could not be removed");
  }
}
