import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { CALL_VARIABLE, CallProcesses, type KilledAtExit } from "../../base/call-processes.ts";
import type { Clock } from "../../base/clock.ts";
import { isDoneWithin, untilAborted } from "../../base/deadline.ts";
import { randomIds } from "../../base/ids.ts";
import { type ProcessIdentity, processOf } from "../../base/process-identity.ts";
import { onText } from "./bounded-text.ts";
import { shellVariables } from "./shell-variables.ts";

export interface StartOptions {
  readonly directory: string;
  /** Its variables; of this process' own those that hold no secrets unless they are given. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** How long a process has between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
  /** Aborts the start: a command that has begun goes on. */
  readonly signal: AbortSignal;
  /** Kills the command where this process exits before it. */
  readonly atExit: KilledAtExit;
  /** Takes what both streams put out, as it comes. */
  take(text: string): void;
  /** Called with the process that leads the group, before it begins the command. */
  note?(process: ProcessIdentity): Promise<void>;
}

/** How the bash of a command ended. */
export interface BashExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A command that runs in a bash. */
export interface StartedBash {
  readonly pid: number;
  /** Settles with the bash, while what it has started may go on. Rejects where it could not be started. */
  readonly exited: Promise<BashExit>;
  /** Ends all processes of the command, and waits for the rest of what they put out. Resolves to whether any still ran. */
  end(): Promise<boolean>;
}

/** How long the output of a command that has ended is waited for: somebody out of reach may hold it open. */
const LAST_OUTPUT_MS = 1000;

/**
 * Waits to be released, and becomes the bash that runs the command. Where Hermes dies before that, the command never
 * runs.
 */
const WHEN_RELEASED = 'IFS= read -r -u 3 && exec 3<&- bash --noprofile --norc -c "$1"';

/**
 * Begins a command in a bash that reads no start-up file, in a process group of its own. Rejects where it was not noted or
 * `signal` aborts before; then the command has not begun.
 */
export async function startBash(command: string, options: StartOptions): Promise<StartedBash> {
  const { clock, graceMs, signal, atExit, take, note } = options;
  signal.throwIfAborted();
  const { child, release, id } = spawnBash(command, options);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const exited = exitOf(child);
  for (const stream of [child.stdout, child.stderr]) onText(stream, (text) => void (text !== "" && take(text)));
  const first = processOf(id, child.pid ?? 0);
  const processes = new CallProcesses(first, { isOwn: true });
  const held = atExit.hold(processes);
  const end = async () => {
    const hadAny = child.pid !== undefined && (await processes.end(clock, graceMs));
    held[Symbol.dispose]();
    if (await isDoneWithin(clock, LAST_OUTPUT_MS, closed)) return hadAny;
    child.stdout.destroy();
    child.stderr.destroy();
    return hadAny;
  };
  try {
    if (child.pid !== undefined) await untilAborted(note?.(first), signal);
    release.end("\n");
  } catch (error) {
    await end();
    throw error;
  }
  return { pid: first.pid, exited, end };
}

function spawnBash(command: string, { directory, environment = shellVariables(process.env) }: StartOptions) {
  const id = randomIds.next("call");
  const child = spawn("bash", ["--noprofile", "--norc", "-c", WHEN_RELEASED, "bash", command], {
    ...{ cwd: directory, env: { ...environment, [CALL_VARIABLE]: id } },
    ...{ detached: true, stdio: ["ignore", "pipe", "pipe", "pipe"] },
  }) as ChildProcessByStdio<null, Readable, Readable>;
  const release = child.stdio[3] as Writable;
  // It may end before it is released.
  release.on("error", () => {});
  return { child, release, id };
}

function exitOf(child: ChildProcess): Promise<BashExit> {
  const exited = new Promise<BashExit>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (error) => reject(new Error(`bash cannot be started: ${error.message}`, { cause: error })));
  });
  // Where the command has not begun, nobody asks.
  exited.catch(() => {});
  return exited;
}
