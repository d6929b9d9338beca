import { z } from "zod";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../../agent/agent.ts";
import { KilledAtExit } from "../../base/call-processes.ts";
import type { Clock } from "../../base/clock.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { checkedPath } from "../files/checked-path.ts";
import { seenLine } from "../seen-line.ts";
import type { Jobs, StartedJob } from "./jobs.ts";
import { type BashEnd, runBash } from "./run-bash.ts";

const foreground = z.object({
  command: z.string().min(1).max(20_000).describe("A line or a script of bash"),
  timeLimit: z.number().positive().max(3600).default(120).describe("Seconds after which it is stopped"),
});
const either = foreground.extend({
  background: z
    .boolean()
    .default(false)
    .describe("Let it go on, without a time limit, while you do something else: for servers and watchers"),
});
type Input = z.output<typeof foreground> & { readonly background?: boolean };

/** What permission rules are held against for a command: whole lines, or whatever the rules' grammar makes of them. */
export type ShellSubjects = (command: string, where: ToolContext) => readonly string[] | Promise<readonly string[]>;

/** Runs a command of bash in the session's directory. */
export class ShellTool implements Tool<Input> {
  readonly name = "shell";
  readonly description =
    "Runs a command in bash, in the session's directory, without a terminal and without input. Returns what it puts out " +
    "and its exit code. Whatever it leaves running is ended, unless it was started in the background.";
  readonly input: ToolInput<Input>;
  readonly effect = "runs";
  readonly #subjects: ShellSubjects;
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #jobs: Jobs | null;
  readonly #atExit = new KilledAtExit();

  /** Without `jobs`, nothing runs in the background. `graceMs` is how long a process has between SIGTERM and SIGKILL. */
  constructor(subjects: ShellSubjects, clock: Clock, jobs: Jobs | null, graceMs = 2000) {
    this.input = jobs === null ? foreground : either;
    this.#jobs = jobs;
    this.#subjects = subjects;
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  summary({ command, background }: Input): string {
    return `${seenLine(command)}${background ? " (in the background)" : ""}`;
  }

  subjects({ command }: Input, where: ToolContext): readonly string[] | Promise<readonly string[]> {
    return this.#subjects(command, where);
  }

  detail({ command, background }: Input): string {
    return `${withNumbers(command)}${background ? "\n(in the background, until it ends or is stopped)" : ""}`;
  }

  async run({ command, timeLimit, background }: Input, where: ToolContext): Promise<ToolResult> {
    const directory = checkedPath(".", where).real;
    if (background && this.#jobs !== null) return this.#begin(await this.#jobs.start(command, directory, where));
    const limits = { timeLimitMs: timeLimit * 1000, graceMs: this.#graceMs, signal: where.signal };
    const end = await runBash(command, {
      directory,
      clock: this.#clock,
      ...limits,
      report: (text) => where.report?.(text),
      atExit: this.#atExit,
      note: async (process) => where.noteProcess?.(process),
    });
    return { text: textOf(end, timeLimit) };
  }

  #begin({ id, file, pid }: StartedJob): ToolResult {
    const text = `Runs in the background as job ${id}. What it puts out is in ${file}, which the tool \`read\` opens; the last line says how it ended. \`kill -- -${pid}\` stops it.`;
    return { text };
  }
}

function textOf({ output, code, signal, isLate, hadLeftovers }: BashEnd, timeLimit: number): string {
  const notes = [
    isLate ? `[stopped: it ran longer than ${timeLimit} s]` : signal ? `[ended by ${signal}]` : `[exit code ${code}]`,
    ...(hadLeftovers && !isLate ? ["[what it left running was ended]"] : []),
  ];
  const text = output.trimEnd();
  return [text === "" ? "(no output)" : text, ...notes].join("\n");
}
