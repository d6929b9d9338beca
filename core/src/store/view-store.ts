import type { Holder } from "../base/process-identity.ts";
import type { SessionId, Surface } from "../model/session.ts";
import type { KeepView, View } from "../model/view.ts";

/** How long a view counts after its process said so last, in milliseconds. */
export const VIEW_LEASE_MS = 90_000;

/** Stores who has a session open at this moment. A view ends with its lease, and with its process. */
export interface ViewStore {
  /**
   * Says that a process has a session open, or still has it: a surface of a process shows one session at a time. False
   * when there is no such session.
   */
  keep(view: KeepView): Promise<boolean>;
  /** Ends the view at one surface of a process, or all of them. */
  close(holder: Holder, surface?: Surface): Promise<void>;
  /** Lists who has the session open, in the order in which they opened it. */
  of(sessionId: SessionId): Promise<View[]>;
}
