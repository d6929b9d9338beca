import { HermesError } from "../../base/errors.ts";
import type { UndeliveredMessage } from "../../model/delivery.ts";
import type { OutboxId } from "../../model/outbox.ts";
import type { Store } from "../../store/store.ts";

/** How many messages have a number, the newest first. */
const NUMBERED = 99;

/** The messages that a person may name by a number, in the order of their numbers from 1 on. */
export function numberedDeliveries(store: Store): Promise<UndeliveredMessage[]> {
  return store.deliveries.list({ limit: NUMBERED });
}

/** The message a person means: an id, or a number of the list. Throws DELIVERY_UNKNOWN. */
export async function findDelivery(store: Store, reference: string): Promise<UndeliveredMessage> {
  const wanted = reference.trim();
  const named = await store.deliveries.get(wanted as OutboxId);
  if (named !== null) return named;
  const numbered = /^[1-9]\d?$/.test(wanted) ? (await numberedDeliveries(store))[Number(wanted) - 1] : undefined;
  if (numbered === undefined) throw new HermesError("DELIVERY_UNKNOWN", { reference: wanted });
  return numbered;
}
