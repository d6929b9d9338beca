import { HermesError } from "../../base/errors.ts";
import type { Handoff } from "../../model/handoff.ts";
import { handoffDocument } from "../../overview/handoff-document.ts";
import type { CliContext } from "../context.ts";
import { findHandoff } from "./find-handoff.ts";

export async function cancelHandoff({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store }) => {
    const { id } = await findHandoff(store, reference);
    const isCancelled = await store.handoffs.cancelHandoff(id);
    const handoff = await findHandoff(store, id);
    if (!isCancelled) throw notCancelled(handoff);
    output.document(handoffDocument(handoff));
    output.line("Cancelled. The session is here, unchanged.");
  });
}

function notCancelled({ id, state }: Handoff): HermesError {
  if (state === "running") return new HermesError("HANDOFF_NOT_CANCELLABLE", { handoffId: id });
  return new HermesError("HANDOFF_ENDED", { handoffId: id, state });
}
