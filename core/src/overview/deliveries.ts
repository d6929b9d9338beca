import { HermesError } from "../base/errors.ts";
import type { UndeliveredMessage } from "../model/delivery.ts";
import type { Store } from "../store/store.ts";
import { deliveryDocument, describeDelivery, readersOfHeldBack } from "./delivery-document.ts";

/** The messages that did not arrive, newest first: `hermes deliveries --json`. */
export async function deliveriesDocument(
  store: Store,
  { limit, waiting = false }: { readonly limit: number; readonly waiting?: boolean },
) {
  const deliveries = await store.deliveries.list({ limit, waiting });
  return { deliveries: await Promise.all(deliveries.map((delivery) => described(store, delivery))) };
}

/**
 * Sends a message again: `hermes deliveries retry --json`. Throws DELIVERY_UNDER_WAY, and DELIVERY_READ_BY_OTHERS where
 * it is held back, others would read it and nobody said `yes` to that, or to others than those that `readBy` names.
 */
export async function retryDelivery(
  store: Store,
  delivery: UndeliveredMessage,
  { yes = false, readBy = null }: { readonly yes?: boolean; readonly readBy?: string | null | undefined } = {},
) {
  const readers = yes ? null : await readersOfHeldBack(store, delivery);
  if (readers !== null && readers !== readBy) {
    const command = `hermes deliveries retry ${delivery.id} --yes`;
    throw new HermesError("DELIVERY_READ_BY_OTHERS", { readers, command });
  }
  if (!(await store.deliveries.retry(delivery.id, delivery))) {
    const now = await store.deliveries.get(delivery.id);
    const isParted = now !== null && (now.key !== delivery.key || (now.isHeldBack && !delivery.isHeldBack));
    if (!isParted || now.state === "waiting") throw underWay(delivery);
    // The yes was to somebody else.
    return retryDelivery(store, now);
  }
  const { platform, account } = delivery.conversation;
  const isServed = (await store.gateways.alive()).some(({ platforms }) =>
    platforms.some((served) => served.platform === platform && served.account === account && !served.standby),
  );
  // What becomes of it is the gateway's: it may have been sent by now.
  return { ...(await described(store, delivery)), state: "waiting", isServed };
}

/** Gives a message up: `hermes deliveries drop --json`. Throws DELIVERY_UNDER_WAY. */
export async function dropDelivery(store: Store, delivery: UndeliveredMessage) {
  if (!(await store.deliveries.drop(delivery.id))) throw underWay(delivery);
  return { ...(await described(store, delivery)), state: "dropped" };
}

async function described(store: Store, delivery: UndeliveredMessage) {
  const { title, place } = await describeDelivery(store, delivery);
  return { ...deliveryDocument(delivery, title), place, readBy: await readersOfHeldBack(store, delivery) };
}

function underWay({ id }: UndeliveredMessage): HermesError {
  return new HermesError("DELIVERY_UNDER_WAY", { deliveryId: id });
}
