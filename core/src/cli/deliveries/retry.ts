import { HermesError } from "../../base/errors.ts";
import { deliveryDocument, describeDelivery } from "../../overview/delivery-document.ts";
import type { CliContext } from "../context.ts";
import { findDelivery } from "./find-delivery.ts";

export async function retryDelivery({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    const delivery = await findDelivery(store, reference);
    if (!(await store.deliveries.retry(delivery.id))) {
      throw new HermesError("DELIVERY_UNDER_WAY", { deliveryId: delivery.id });
    }
    const { title, place } = await describeDelivery(store, delivery);
    const { platform, account } = delivery.conversation;
    const isServed = (await store.gateways.alive()).some(({ platforms }) =>
      platforms.some((served) => served.platform === platform && served.account === account && !served.standby),
    );
    // What becomes of it is the gateway's: it may have been sent by now.
    output.document({ ...deliveryDocument(delivery, title), state: "waiting", isServed });
    output.line(
      isServed
        ? `It is sent again ${place}, behind what waits there.`
        : `It is sent again ${place} as soon as a gateway serves ${platform}: \`hermes gateway --detach\`.`,
    );
  });
}
