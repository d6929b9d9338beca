import { type Clock, sleep } from "../../base/clock.ts";
import { BoundedText } from "./bounded-text.ts";
import { type BashExit, type StartOptions, startBash } from "./start-bash.ts";

export interface BashOptions extends Omit<StartOptions, "take"> {
  readonly timeLimitMs: number;
  /** Aborts the command, too. */
  readonly signal: AbortSignal;
  report(text: string): void;
}

/** How a command ended. */
export interface BashEnd extends BashExit {
  /** What it put out on both streams, as it came. */
  readonly output: string;
  /** It was stopped because its time was up. */
  readonly isLate: boolean;
  /** Processes that it had started still ran; they were ended. */
  readonly hadLeftovers: boolean;
}

/**
 * Runs a command in a bash. All its processes are ended before this resolves, or rejects because the signal aborts.
 */
export async function runBash(command: string, options: BashOptions): Promise<BashEnd> {
  const output = new BoundedText();
  const take = (text: string) => {
    output.add(text);
    options.report(text);
  };
  const bash = await startBash(command, { ...options, take });
  let isLate = false;
  let hadLeftovers = false;
  try {
    isLate = await isStopped(bash.exited, options);
  } finally {
    hadLeftovers = await bash.end();
  }
  options.signal.throwIfAborted();
  return { output: output.text, ...(await bash.exited), isLate, hadLeftovers };
}

/** Waits for the end of the command, of its time, or of the call. Resolves to whether its time is up. */
async function isStopped(
  exited: Promise<unknown>,
  { clock, timeLimitMs, signal }: { readonly clock: Clock; readonly timeLimitMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  let isOver = false;
  const limit = sleep(clock, timeLimitMs, either).then(() => {
    isOver = !either.aborted;
  });
  try {
    await Promise.race([exited, limit]);
    return isOver;
  } finally {
    over.abort();
  }
}
