import { endLeftProcess } from "../base/call-processes.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/logger.ts";
import type { ProcessIdentity } from "../base/process-identity.ts";
import type { Store } from "./store.ts";

/** How long what a dead holder's call left running has between SIGTERM and SIGKILL, in milliseconds. */
const GRACE_MS = 500;

/** Ends what calls of dead holders left running on this machine, and tells the store of each. */
export async function endLeftProcesses(
  left: readonly ProcessIdentity[],
  { store, clock, logger }: { readonly store: Store; readonly clock: Clock; readonly logger: Logger },
): Promise<void> {
  await Promise.all(
    left.map(async (process) => {
      if (await endLeftProcess(process, clock, GRACE_MS)) await store.turns.processEnded(process.id);
      else logger.warn({ process }, "what an earlier call left running could not be ended");
    }),
  );
}
