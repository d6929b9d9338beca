import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import { withoutFullStop } from "../base/text.ts";
import type { Handoff } from "../model/handoff.ts";
import { nextChange } from "../store/next-change.ts";
import type { Store } from "../store/store.ts";
import type { Carrying } from "./carry-handoff.ts";

/** Milliseconds to wait for the delivery status on platforms that may refuse later. */
const LATE_REFUSAL_MS = 30_000;

/** Polling interval in milliseconds: the outbox does not notify about rows that become due. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Waits until every message of a handoff went out. Throws HANDOFF_SEND_FAILED when the platform refused one for good,
 * be it at once or, where it may do that, within half a minute.
 */
export async function untilDelivered(
  { store, clock, destination, signal }: Pick<Carrying, "store" | "clock" | "destination" | "signal">,
  handoff: Handoff,
): Promise<void> {
  await waitFor(store, clock, signal, null, async () => {
    const current = await store.handoffs.get(handoff.id);
    if (current?.step !== "answered" || current.state !== "running") return true;
    await refuse(store, handoff);
    return false;
  });
  if (!destination.adapter.capabilities.lateRefusal) return;
  await waitFor(store, clock, signal, clock.now() + LATE_REFUSAL_MS, async () => {
    await refuse(store, handoff);
    const rows = await store.outbox.ofHandoff(handoff.id);
    return rows.every((row) => row.state !== "sent" || row.confirmed);
  });
}

async function refuse(store: Store, { id }: Handoff): Promise<void> {
  const refusal = await store.outbox.refusalOf(id);
  if (refusal) throw new HermesError("HANDOFF_SEND_FAILED", { reason: withoutFullStop(refusal.text) });
}

/** Looks after every change until `isDone`, the deadline, or the end of this process. */
async function waitFor(
  store: Store,
  clock: Clock,
  signal: AbortSignal,
  until: number | null,
  isDone: () => Promise<boolean>,
): Promise<void> {
  while (!signal.aborted) {
    using change = nextChange(store, clock, signal);
    if (await isDone()) return;
    if (until !== null && clock.now() >= until) return;
    await change.within(LOOK_AGAIN_MS);
  }
}
