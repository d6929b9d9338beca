import { retryDelivery as retry } from "../../overview/deliveries.ts";
import type { CliContext } from "../context.ts";
import { findDelivery } from "./find-delivery.ts";

export async function retryDelivery({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    const document = await retry(store, await findDelivery(store, reference));
    const { isServed, place, platform } = document;
    output.document(document);
    output.line(
      isServed
        ? `It is sent again ${place}, behind what waits there.`
        : `It is sent again ${place} as soon as a gateway serves ${platform}: \`hermes gateway --detach\`.`,
    );
  });
}
