import type { Holder } from "../base/process-identity.ts";
import type { HandoffId } from "./handoff.ts";
import type { SessionId, Surface } from "./session.ts";
import type { TurnId } from "./turn.ts";

/** A lease that a process has, or had last. Times are in milliseconds since 1970. */
export interface HeldLease {
  readonly of: LeaseSubject;
  readonly holder: Holder;
  /** Since when the holder has it; null where an earlier Hermes granted it. */
  readonly since: number | null;
  /** When it expires unless it is renewed. */
  readonly until: number;
  /** False once it has expired, or its process is gone: the next process takes it over. */
  readonly isLive: boolean;
}

/** What a lease is for. */
export type LeaseSubject =
  /** To serve a platform account: to receive, to answer and to send. */
  | { readonly kind: "account"; readonly platform: string; readonly account: string | undefined }
  | { readonly kind: "turn"; readonly turnId: TurnId; readonly sessionId: SessionId }
  | {
      readonly kind: "handoff";
      readonly handoffId: HandoffId;
      readonly sessionId: SessionId;
      readonly platform: string;
    }
  /** To have a session open, in the terminal or on a page: see View. */
  | { readonly kind: "view"; readonly sessionId: SessionId; readonly surface: Surface }
  /** Lines that were typed ahead in a terminal. */
  | { readonly kind: "typed-lines"; readonly sessionId: SessionId; readonly count: number }
  /** Work of another kind, such as the restart of a gateway. */
  | { readonly kind: "other"; readonly name: string };
