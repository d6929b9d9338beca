import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, sleep } from "../../base/clock.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import { randomIds } from "../../base/ids.ts";
import { BoundedText, onText } from "./bounded-text.ts";
import { CALL_VARIABLE, CallProcesses } from "./call-processes.ts";
import { shellVariables } from "./shell-variables.ts";

export interface BashOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly timeLimitMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  report(text: string): void;
}

/** How a command ended. */
export interface BashEnd {
  /** What it put out on both streams, as it came. */
  readonly output: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was stopped because its time was up. */
  readonly isLate: boolean;
  /** Processes that it had started still ran; they were ended. */
  readonly hadLeftovers: boolean;
}

/** How long the output of a command that has ended is waited for: somebody out of reach may hold it open. */
const LAST_OUTPUT_MS = 1000;

/**
 * Runs a command in a bash that reads no start-up file, in a process group of its own. All its processes are ended before
 * this resolves, or rejects because the signal aborts.
 */
export async function runBash(command: string, options: BashOptions): Promise<BashEnd> {
  const { directory, clock, timeLimitMs, graceMs, signal, report } = options;
  signal.throwIfAborted();
  const id = randomIds.next("call");
  const child = spawn("bash", ["--noprofile", "--norc", "-c", command], {
    ...{ cwd: directory, env: { ...shellVariables(process.env), [CALL_VARIABLE]: id } },
    ...{ detached: true, stdio: ["ignore", "pipe", "pipe"] },
  });
  const output = new BoundedText();
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = exitOf(child);
  for (const stream of [child.stdout, child.stderr]) {
    onText(stream, (text) => {
      if (text === "") return;
      output.add(text);
      report(text);
    });
  }
  const isLate = await isStopped(exited, { clock, timeLimitMs, signal });
  const processes = new CallProcesses(child.pid ?? 0, id);
  const hadLeftovers = await processes.end(clock, graceMs);
  if (!(await isDoneWithin(clock, LAST_OUTPUT_MS, closed))) {
    child.stdout.destroy();
    child.stderr.destroy();
  }
  signal.throwIfAborted();
  return { output: output.text, ...(await exited), isLate, hadLeftovers };
}

function exitOf(child: ChildProcess): Promise<Pick<BashEnd, "code" | "signal">> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (error) => reject(new Error(`bash cannot be started: ${error.message}`, { cause: error })));
  });
}

/** Waits for the end of the command, of its time, or of the call. Resolves to whether its time is up. */
async function isStopped(
  exited: Promise<unknown>,
  { clock, timeLimitMs, signal }: Pick<BashOptions, "clock" | "timeLimitMs" | "signal">,
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
