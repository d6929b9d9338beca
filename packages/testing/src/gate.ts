import { untilAborted } from "@hermes/core";

/** Holds something at a point until a test opens it. */
export interface Gate {
  /** Resolves when something has come to the gate. */
  readonly reached: Promise<void>;
  /** Lets everything through that waits or comes later. */
  open(): void;
  /** Waits until the gate is open, or until `signal` aborts. */
  pass(signal?: AbortSignal): Promise<void>;
}

/** Creates a closed gate, at which a test holds whoever comes through until it opens it. */
export function gate(): Gate {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    async pass(signal) {
      reached.resolve();
      await untilAborted(opened.promise, signal).catch(() => {});
    },
  };
}
