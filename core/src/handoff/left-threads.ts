import { PlatformError, reasonOf } from "../base/errors.ts";
import type { Handoff, HandoffId } from "../model/handoff.ts";
import type { Carrying } from "./carry-handoff.ts";

/** For how long an empty thread is tried to be removed, in milliseconds. */
const TRIED_FOR_MS = 86_400_000;

/**
 * Removes the empty threads that were opened for handoffs which failed since, also those of a process that died before it
 * came to that; or that of the handoff `only`. One in which somebody has written stays. What the platform cannot do now is
 * tried again by the next call.
 */
export async function removeLeftThreads(
  carrying: Pick<Carrying, "store" | "clock" | "destination" | "logger" | "signal">,
  only?: HandoffId,
): Promise<void> {
  const { adapter, account } = carrying.destination;
  for (const handoff of await carrying.store.handoffs.leftThreads({ platform: adapter.platform, account })) {
    if (carrying.signal.aborted) return;
    if (only === undefined || handoff.id === only) await removeThread(carrying, handoff);
  }
}

async function removeThread(
  { store, clock, destination, logger, signal }: Parameters<typeof removeLeftThreads>[0],
  { id, conversation, endedAt }: Handoff,
): Promise<void> {
  const { adapter } = destination;
  if (conversation !== null && adapter.deleteThread) {
    const key = adapter.buildSessionKey(conversation);
    const isUsed = (await store.bindings.get(key)) !== null || (await store.inbox.hasRows(key));
    try {
      if (!isUsed) await adapter.deleteThread({ conversation }, signal);
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ handoff: id, reason: reasonOf(error) }, "an empty thread could not be removed");
      const mayPass = !(error instanceof PlatformError) || error.retryable || error.code === "PLATFORM_UNCERTAIN";
      if (mayPass && clock.now() < (endedAt ?? 0) + TRIED_FOR_MS) return;
    }
  }
  await store.handoffs.threadRemoved(id);
}
