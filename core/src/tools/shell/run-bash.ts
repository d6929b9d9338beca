import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { CALL_VARIABLE, CallProcesses } from "../../base/call-processes.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { isDoneWithin, untilAborted } from "../../base/deadline.ts";
import { randomIds } from "../../base/ids.ts";
import { type ProcessIdentity, processOf } from "../../base/process-identity.ts";
import { BoundedText, onText } from "./bounded-text.ts";
import { shellVariables } from "./shell-variables.ts";

export interface BashOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly timeLimitMs: number;
  readonly graceMs: number;
  readonly signal: AbortSignal;
  report(text: string): void;
  /** Called with the process that leads the group, before it begins the command. */
  note?(process: ProcessIdentity): Promise<void>;
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

/** Waits to be released, and becomes the bash that runs the command. Where Hermes dies before that, the command never runs. */
const WHEN_RELEASED = 'IFS= read -r -u 3 && exec 3<&- bash --noprofile --norc -c "$1"';

/**
 * Runs a command in a bash that reads no start-up file, in a process group of its own. All its processes are ended before
 * this resolves, or rejects because the signal aborts.
 */
export async function runBash(command: string, options: BashOptions): Promise<BashEnd> {
  const { clock, graceMs, signal, report } = options;
  signal.throwIfAborted();
  const { child, release, id } = startBash(command, options.directory);
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
  const first = processOf(id, child.pid ?? 0);
  const processes = new CallProcesses(first, { isOwn: true });
  const kill = () => void processes.kill();
  process.once("exit", kill);
  let isLate = false;
  let hadLeftovers = false;
  try {
    if (child.pid !== undefined) await untilAborted(options.note?.(first), signal);
    release.end("\n");
    isLate = await isStopped(exited, options);
  } finally {
    if (child.pid !== undefined) hadLeftovers = await processes.end(clock, graceMs);
    process.off("exit", kill);
  }
  if (!(await isDoneWithin(clock, LAST_OUTPUT_MS, closed))) {
    child.stdout.destroy();
    child.stderr.destroy();
  }
  signal.throwIfAborted();
  return { output: output.text, ...(await exited), isLate, hadLeftovers };
}

/** Starts a bash in a process group of its own, which runs the command when a line comes on its fourth stream. */
function startBash(command: string, directory: string) {
  const id = randomIds.next("call");
  const child = spawn("bash", ["--noprofile", "--norc", "-c", WHEN_RELEASED, "bash", command], {
    ...{ cwd: directory, env: { ...shellVariables(process.env), [CALL_VARIABLE]: id } },
    ...{ detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] },
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const release = child.stdio[3] as Writable;
  // It may end before it is released.
  release.on("error", () => {});
  return { child, release, id };
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
