import { type Clock, Coalesced } from "@hermes/core";

/** Runs `work` soon after something changed, once in `everyMs` at most: an answer that grows writes many times a second. */
export function runOnChange(
  watch: (listener: () => void) => Disposable,
  clock: Clock,
  everyMs: number,
  work: () => Promise<void>,
): Disposable {
  let timer: Disposable | null = null;
  let isOver = false;
  // What failed is done with the next change: the store may be busy.
  const running = new Coalesced(() => work().catch(() => {}));
  const watching = watch(() => {
    if (isOver) return;
    timer ??= clock.setTimer(everyMs, () => {
      timer = null;
      void running.run();
    });
  });
  return {
    [Symbol.dispose]() {
      isOver = true;
      watching[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
  };
}
