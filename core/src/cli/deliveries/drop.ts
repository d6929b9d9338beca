import { HermesError } from "../../base/errors.ts";
import { deliveryDocument, describeDelivery } from "../../overview/delivery-document.ts";
import type { CliContext } from "../context.ts";
import { findDelivery } from "./find-delivery.ts";

export async function dropDelivery({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    const delivery = await findDelivery(store, reference);
    if (!(await store.deliveries.drop(delivery.id))) {
      throw new HermesError("DELIVERY_UNDER_WAY", { deliveryId: delivery.id });
    }
    const { title } = await describeDelivery(store, delivery);
    output.document({ ...deliveryDocument(delivery, title), state: "dropped" });
    output.line("Dropped. What was said stays in its session.");
  });
}
