import type { Tool } from "../agent/agent.ts";
import { shortenResult } from "../agent/shorten-result.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Redactor, withoutLookalikes } from "../base/redact.ts";
import { EditTool } from "./edit.ts";
import { FileChanges } from "./files/change-file.ts";
import { KnownFiles } from "./files/known-files.ts";
import { ListTool } from "./list.ts";
import { outputFileOf } from "./outputs.ts";
import { questionTool } from "./question.ts";
import { ReadTool } from "./read.ts";
import { SearchTool } from "./search/search.ts";
import { type KeepsFiles, SendFileTool } from "./send-file.ts";
import { type SessionSearch, SessionsTool } from "./sessions.ts";
import type { Jobs } from "./shell/jobs.ts";
import { type ShellSubjects, ShellTool } from "./shell/shell.ts";
import { todoTool } from "./todo.ts";
import { WriteTool } from "./write.ts";

export interface WorkspaceToolsOptions {
  /** Hermes' home, in whose folder `outputs` long results and the old content of files are kept. */
  readonly home: string;
  /** The program that searches; where it is missing, Hermes searches by itself. `rg` by default. */
  readonly ripgrep?: string;
  /** Which files, by their real paths, `list` and `search` leave out of a folder: those that no rule lets be read. */
  readonly isSkipped?: (path: string) => boolean;
  /** What rules are held against for a command of `shell`; the whole command by default. */
  readonly shellSubjects?: ShellSubjects;
  /** Takes secrets out of results before they are kept: `REDACTOR`. By default, what looks like one. */
  readonly redact?: Redactor;
  /** How long a process that is stopped has between SIGTERM and SIGKILL, in milliseconds; 2 s by default. */
  readonly graceMs?: number;
  /** Runs commands in the background: the process' own, behind `JOBS`. Without it, `shell` has none. */
  readonly jobs?: Jobs;
  /** What the tool `sessions` searches; without it, there is no such tool. */
  readonly sessions?: SessionSearch;
  /** Keeps what the tool `send_file` sends: `FILES`. Without it, there is no such tool. */
  readonly files?: KeepsFiles;
  /** Whether a text holds a secret that is known: no file with one is sent. By default, nothing is known. */
  readonly holdsSecret?: (text: string) => boolean;
  readonly clock?: Clock;
}

const WHOLE_COMMAND: ShellSubjects = (command) => [command];

/**
 * Makes the tools that work in a session's directory: `read`, `write`, `edit`, `list`, `search`,
 * `todo`, `question` and `shell`; `sessions`, which searches what was said in others; and `send_file`.
 *
 * Hermes has them by itself, in the directory of a session; a program registers others behind `TOOLS`. A command of
 * `shell` that was allowed can do what this process' user can: read, change and send whatever that user may, in the
 * directory and outside of it. Before `write` and `edit` change a file, its old content is kept beside the results.
 *
 * @example
 * ```ts
 * const override = (container: DependencyContainer) =>
 *   container.registerInstance(TOOLS, workspaceTools({ home: hermesHome() }));
 * await using host = await createHost({ role: "terminal", override });
 * ```
 */
export function workspaceTools({
  home,
  ripgrep = "rg",
  isSkipped = () => false,
  shellSubjects = WHOLE_COMMAND,
  redact = withoutLookalikes,
  graceMs,
  jobs,
  sessions,
  files,
  holdsSecret = () => false,
  clock = systemClock,
}: WorkspaceToolsOptions): readonly Tool[] {
  const known = new KnownFiles();
  const changes = new FileChanges(home, known);
  const tools = [
    ...[new ReadTool(home, known), new ListTool(isSkipped), new SearchTool(ripgrep, isSkipped)],
    ...[new WriteTool(changes), new EditTool(changes), todoTool, questionTool],
    ...(sessions === undefined ? [] : [new SessionsTool(sessions)]),
    ...(files === undefined ? [] : [new SendFileTool(files, holdsSecret)]),
    new ShellTool(shellSubjects, clock, jobs ?? null, graceMs),
  ];
  return tools.map((tool) => shortened(tool as Tool, home, redact));
}

/** A tool whose long results are shortened, and kept. */
function shortened(tool: Tool, home: string, redact: Redactor): Tool {
  return {
    ...{ needsDirectory: true, name: tool.name, description: tool.description, input: tool.input, effect: tool.effect },
    summary: (input) => tool.summary(input),
    subjects: (input, where) => tool.subjects(input, where),
    ...(tool.asks && { asks: (input) => tool.asks?.(input) ?? { question: "", answers: [] } }),
    ...(tool.detail && { detail: (input, where) => tool.detail?.(input, where) ?? "" }),
    run: async (input, where) => {
      const { text, ...more } = await tool.run(input, where);
      // Before it is cut: of a secret that was cut in two nobody would know either half.
      return { ...more, text: shortenResult(redact(text), outputFileOf(home, where)) };
    },
  };
}
