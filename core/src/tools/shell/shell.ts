import { z } from "zod";
import type { Tool, ToolContext, ToolResult } from "../../agent/agent.ts";
import type { Clock } from "../../base/clock.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { placeOf } from "../files/place.ts";
import { seenLine } from "../seen-line.ts";
import { type BashEnd, runBash } from "./run-bash.ts";

const input = z.object({
  command: z.string().min(1).max(20_000).describe("A line or a script of bash"),
  timeLimit: z.number().positive().max(3600).default(120).describe("Seconds after which it is stopped"),
});
type Input = z.output<typeof input>;

/** What permission rules are held against for a command: whole lines, or whatever the rules' grammar makes of them. */
export type ShellSubjects = (command: string, where: ToolContext) => readonly string[] | Promise<readonly string[]>;

/** Runs a command of bash in the session's directory. */
export class ShellTool implements Tool<Input> {
  readonly name = "shell";
  readonly description =
    "Runs a command in bash, in the session's directory, without a terminal and without input. Returns what it puts out " +
    "and its exit code. Whatever it leaves running is ended.";
  readonly input = input;
  readonly effect = "runs";
  readonly #subjects: ShellSubjects;
  readonly #clock: Clock;
  readonly #graceMs: number;

  /** `graceMs` is how long a process has between SIGTERM and SIGKILL. */
  constructor(subjects: ShellSubjects, clock: Clock, graceMs = 2000) {
    this.#subjects = subjects;
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  summary({ command }: Input): string {
    return seenLine(command);
  }

  subjects({ command }: Input, where: ToolContext): readonly string[] | Promise<readonly string[]> {
    return this.#subjects(command, where);
  }

  detail({ command }: Input): string {
    return withNumbers(command);
  }

  async run({ command, timeLimit }: Input, where: ToolContext): Promise<ToolResult> {
    const directory = placeOf(".", where).real;
    const limits = { timeLimitMs: timeLimit * 1000, graceMs: this.#graceMs, signal: where.signal };
    const end = await runBash(command, {
      directory,
      clock: this.#clock,
      ...limits,
      report: (text) => where.report?.(text),
      note: async (process) => where.noteProcess?.(process),
    });
    return { text: textOf(end, timeLimit) };
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
