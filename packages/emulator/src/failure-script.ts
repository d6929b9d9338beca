import { untilAborted } from "@hermes/core";
import type { EmulatorFailure, PlayableFailure } from "./emulator.ts";
import { checkPlayable } from "./playable-failures.ts";

/** A failure, without where and how often it happens. */
export type FailureKind = EmulatorFailure["kind"];

/** The scripted failures that an emulator has not played yet. */
export interface FailureScript {
  /** Appends a failure. Throws CannotEmulate for one that is not playable. */
  fail(failure: EmulatorFailure): void;
  /**
   * Returns the failure for a call with any of these names (`send`, and the platform's own name of the method); null if
   * the call should succeed. Call it once per call: it uses up one of the failure's `times`.
   */
  take(...operations: readonly string[]): FailureKind | null;
  /** Cancels failures that have not happened yet, and releases hanging calls. */
  heal(): void;
  /** Resolves at the next `heal`, or when `signal` aborts: a hanging call waits for it. */
  untilHealed(signal?: AbortSignal): Promise<void>;
}

/**
 * Makes an empty script. Failures of one operation are played in the order in which they were added. `disconnect` cuts
 * the client's connections; it is called at once for `{ operation: "connect", kind: { is: "disconnect" } }`. `playable`
 * lists the failures that the emulator can play; by default, any.
 *
 * @example
 * ```ts
 * const script = createFailureScript();
 * script.fail({ operation: "send", times: 2, kind: { is: "hang" } });
 * const failure = script.take("send", "postMessage"); // { is: "hang" }; the second names are the platform's own
 * ```
 */
export function createFailureScript({
  disconnect,
  playable,
}: {
  readonly disconnect?: () => void;
  readonly playable?: readonly PlayableFailure[];
} = {}): FailureScript {
  let pending: { readonly operation: string; readonly kind: FailureKind; left: number }[] = [];
  let healed = Promise.withResolvers<void>();
  return {
    fail(failure) {
      const { operation, kind, times = 1 } = failure;
      if (!(times >= 1)) throw new RangeError(`times is ${times}; a failure happens at least once`);
      if (playable !== undefined) checkPlayable(failure, playable);
      if (operation === "connect" && kind.is === "disconnect") disconnect?.();
      else pending.push({ operation, kind, left: times });
    },
    take(...operations) {
      const next = pending.find(({ operation }) => operations.includes(operation));
      if (next === undefined) return null;
      next.left--;
      if (next.left <= 0) pending = pending.filter((other) => other !== next);
      return next.kind;
    },
    heal() {
      pending = [];
      healed.resolve();
      healed = Promise.withResolvers();
    },
    untilHealed(signal) {
      return untilAborted(healed.promise, signal).catch(() => {});
    },
  };
}
