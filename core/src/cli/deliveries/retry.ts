import { retryDelivery as retry } from "../../overview/deliveries.ts";
import { readersOfHeldBack } from "../../overview/delivery-document.ts";
import { canAsk, confirm } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { findDelivery } from "./find-delivery.ts";

export async function retryDelivery(
  { output, withHost }: CliContext,
  reference: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<number> {
  return withHost(async ({ store }) => {
    const delivery = await findDelivery(store, reference);
    const readers = yes || !canAsk(output) ? null : await readersOfHeldBack(store, delivery);
    if (readers !== null && !(await confirm(output, `${readers} will be able to read this message. Send it?`))) {
      output.line("Nothing was sent.");
      return 1;
    }
    // Whoever was asked has said yes to these readers; where nobody can be asked, it is refused.
    const document = await retry(store, delivery, { yes, readBy: readers });
    const { isServed, place, platform } = document;
    output.document(document);
    output.line(
      isServed
        ? `It is sent again ${place}, behind what waits there.`
        : `It is sent again ${place} as soon as a gateway serves ${platform}: \`hermes gateway --detach\`.`,
    );
    return 0;
  });
}
