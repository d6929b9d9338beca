import { dropDelivery as drop } from "../../overview/deliveries.ts";
import type { CliContext } from "../context.ts";
import { findDelivery } from "./find-delivery.ts";

export async function dropDelivery({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    output.document(await drop(store, await findDelivery(store, reference)));
    output.line("Dropped. What was said stays in its session.");
  });
}
