import { cancelHandoff as cancel } from "../../overview/handoffs.ts";
import type { CliContext } from "../context.ts";
import { findHandoff } from "./find-handoff.ts";

export async function cancelHandoff({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    const { id } = await findHandoff(store, reference);
    output.document(await cancel(store, id));
    output.line("Cancelled. The session is here, unchanged.");
  });
}
