import type { ToolContext } from "../../agent/agent.ts";
import { KilledAtExit } from "../../base/call-processes.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import { randomIds } from "../../base/ids.ts";
import type { Concealer } from "../../base/redact.ts";
import { count } from "../../base/text.ts";
import { type Token, token } from "../../base/tokens.ts";
import type { Job, JobList } from "../../model/job.ts";
import type { SessionId } from "../../model/session.ts";
import { jobFileOf } from "../outputs.ts";
import { JobOutput } from "./job-output.ts";
import { type BashExit, type StartedBash, startBash } from "./start-bash.ts";

/** How many run at a time in one process. */
const MOST = 16;

/** The sessions of the store, as far as their jobs go. */
export interface LiveSessions {
  has(id: SessionId): Promise<boolean>;
  /** Calls `listener` when one may have been deleted. */
  watch(listener: () => void): Disposable;
}

/** A job with what is needed to follow and to end it. */
export interface StartedJob extends Job {
  /** The file with what it puts out; its last line says how it ended. */
  readonly file: string;
  readonly pid: number;
}

export const JOBS: Token<Jobs> = token("jobs");

interface Running {
  readonly job: StartedJob;
  readonly bash: StartedBash;
  /** Resolves when nothing of it runs any more. */
  readonly over: Promise<void>;
}

/** Runs commands in the background, each until it ends, is stopped, its session is deleted, or this process ends. */
export class Jobs implements JobList, AsyncDisposable {
  readonly #home: string;
  readonly #clock: Clock;
  readonly #concealer: Concealer;
  readonly #sessions: LiveSessions;
  readonly #graceMs: number;
  readonly #atExit = new KilledAtExit();
  readonly #running = new Map<Job["id"], Running>();
  #watching: Disposable | null = null;
  #last = 0;
  #starting = 0;
  #isClosed = false;

  /** `home` is Hermes' home; the secrets that `concealer` knows are kept in no file. */
  constructor(home: string, clock: Clock, concealer: Concealer, sessions: LiveSessions, graceMs = 2000) {
    this.#home = home;
    this.#clock = clock;
    this.#concealer = concealer;
    this.#sessions = sessions;
    this.#graceMs = graceMs;
  }

  running(): readonly Job[] {
    return [...this.#running.values()].map(({ job }) => job);
  }

  /** Begins a command in `directory`. Throws where too many run. */
  async start(command: string, directory: string, where: ToolContext): Promise<StartedJob> {
    if (this.#isClosed) throw new Error("Hermes is ending. Nothing was started.");
    if (this.#running.size + this.#starting >= MOST) {
      throw new Error(`${count(MOST, "command")} run in the background already. Nothing was started: stop one first.`);
    }
    this.#starting += 1;
    try {
      return await this.#start(command, directory, where);
    } finally {
      this.#starting -= 1;
    }
  }

  async stop(id: Job["id"]): Promise<boolean> {
    const found = this.#running.get(id);
    if (found === undefined) return false;
    await found.bash.end();
    await found.over;
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running.keys()].map((id) => this.stop(id)));
  }

  async #start(command: string, directory: string, where: ToolContext): Promise<StartedJob> {
    const { session, signal } = where;
    const output = new JobOutput(jobFileOf(this.#home, session.id, randomIds.next("job")), this.#concealer);
    const bash = await startBash(command, {
      ...{ directory, clock: this.#clock, graceMs: this.#graceMs, signal, atExit: this.#atExit },
      take: (text) => output.add(text),
      note: async (process) => where.noteProcess?.({ ...process, outlivesCall: true }),
    });
    const id = String(++this.#last);
    const startedAt = this.#clock.now();
    const job: StartedJob = {
      ...{ id, sessionId: session.id, command, startedAt, file: output.file, pid: bash.pid },
      get lastLines() {
        return output.lastLines;
      },
    };
    this.#running.set(id, { job, bash, over: this.#follow(id, bash, output) });
    this.#watching ??= this.#sessions.watch(() => void this.#endOfDeleted());
    // It may have been closed, and the session deleted, while the command began.
    if (this.#isClosed) await this.stop(id);
    void this.#endOfDeleted();
    return job;
  }

  async #follow(id: Job["id"], bash: StartedBash, output: JobOutput): Promise<void> {
    const end = await bash.exited.then(endText, (error: unknown) => `[${reasonOf(error)}]`);
    await bash.end();
    output.end(end);
    this.#running.delete(id);
    if (this.#running.size > 0) return;
    this.#watching?.[Symbol.dispose]();
    this.#watching = null;
  }

  async #endOfDeleted(): Promise<void> {
    for (const { job } of [...this.#running.values()]) {
      // A store that is busy is asked again with its next change.
      const isThere = await this.#sessions.has(job.sessionId).catch(() => true);
      if (!isThere) await this.stop(job.id);
    }
  }
}

function endText({ code, signal }: BashExit): string {
  return signal === null ? `[exit code ${code}]` : `[ended by ${signal}]`;
}
