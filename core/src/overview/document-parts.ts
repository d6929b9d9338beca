import type { Clock } from "../base/clock.ts";
import type { ProcessProbe } from "../base/process-identity.ts";
import type { Store } from "../store/store.ts";

/** What documents are read with. */
export interface DocumentParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly probe: ProcessProbe;
}
