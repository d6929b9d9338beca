import { shortenResult } from "../../agent/shorten-result.ts";
import { KilledAtExit } from "../../base/call-processes.ts";
import { reasonOf } from "../../base/errors.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { fenced } from "../../markdown/fence.ts";
import { mark, withoutMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { Styled } from "../../terminal/styled.ts";
import { type BashEnd, runBash } from "../../tools/shell/run-bash.ts";
import { ownVariables } from "../../tools/shell/shell-variables.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import type { CliContext, TerminalHost } from "../context.ts";
import type { ChatPlace } from "./chat-place.ts";
import { UntoldOutput } from "./untold-output.ts";

/** The command behind an exclamation mark; null for any other line. */
export function ownCommandIn(line: string): string | null {
  const command = line.startsWith("!") ? line.slice(1).trim() : "";
  return command === "" ? null : command;
}

/** How long a command may take, and how long it has between SIGTERM and SIGKILL, in milliseconds. */
const TIME_LIMIT_MS = 24 * 60 * 60_000;
const GRACE_MS = 2_000;

/**
 * Commands that the person at the terminal runs by themself, and what of them the agent is to read with their next
 * message.
 */
export class OwnCommands implements Disposable {
  readonly #context: CliContext;
  readonly #host: TerminalHost;
  readonly #place: ChatPlace;
  readonly #atExit = new KilledAtExit();
  readonly #untold: UntoldOutput;

  constructor(context: CliContext, host: TerminalHost, place: ChatPlace) {
    this.#context = context;
    this.#host = host;
    this.#place = place;
    this.#untold = new UntoldOutput(host);
  }

  /** Runs a command in the session's folder, and shows what it puts out as it comes. The signal stops it. */
  async run(command: string, signal: AbortSignal): Promise<void> {
    const { io, output } = this.#context;
    const { clock, redact, container } = this.#host;
    const session = await this.#place.session();
    const folder = session === null ? null : container.resolve(TOOL_POLICY).directoryOf(session);
    const lines = new WholeLines((line) => output.line(Styled.from(redact(line))));
    using spinner = createSpinner(output, clock);
    spinner.spin(`${clip(command, 60)} is running, Ctrl-C stops it`);
    const kept: string[] = [];
    try {
      const end = await runBash(command, {
        ...{ directory: folder ?? io.workingDirectory, clock, signal, atExit: this.#atExit },
        ...{ timeLimitMs: TIME_LIMIT_MS, graceMs: GRACE_MS, environment: ownVariables(io.environment) },
        report: (text) => {
          kept.push(text);
          lines.add(text);
        },
      });
      lines.end();
      await this.#keep(command, end.output, endText(end));
    } catch (error) {
      lines.end();
      await this.#keep(command, kept.join(""), signal.aborted ? "it was stopped" : `it failed: ${reasonOf(error)}`);
    }
  }

  /** What the agent is to read of the commands since the last message of the session. */
  get untold(): Pick<UntoldOutput, "take" | "takeOut" | "told" | "takeBack"> {
    return this.#untold;
  }

  /** Takes up what a terminal that is gone did not tell the agent of a session that is opened here. */
  async open(sessionId: SessionId): Promise<void> {
    const { io, output } = this.#context;
    const found = io.isInteractive ? await this.#untold.adopt(sessionId) : 0;
    if (found > 0)
      output.note(`What you ran here before (${count(found, "command")}) goes along with your next message.`);
  }

  /** Leaves what the agent was not told to whoever opens its session next. */
  async leave(): Promise<void> {
    await this.#untold.leave();
  }

  [Symbol.dispose](): void {
    this.#untold[Symbol.dispose]();
  }

  async #keep(command: string, text: string, end: string): Promise<void> {
    const { output } = this.#context;
    const { redact } = this.#host;
    if (end !== "exit code 0") output.note(`[${end}]`);
    const about = mark(
      `the user ran this here, and gives you what it put out as data: ${JSON.stringify(redact(command))}, ${end}`,
    );
    const said = shortenResult(redact(text).trimEnd(), null);
    const block = fenced(withoutMarks(withNumbers(said === "" ? "(no output)" : said)));
    await this.#untold.keep(this.#place.current, `${about}\n${block}`);
    output.note("The agent gets this with your next message.");
  }
}

function endText({ code, signal }: BashEnd): string {
  return signal === null ? `exit code ${code}` : `ended by ${signal}`;
}

/** Hands on a text that comes in pieces line by line: of a secret that was cut in two nobody would know either half. */
class WholeLines {
  readonly #take: (line: string) => void;
  #begun = "";

  constructor(take: (line: string) => void) {
    this.#take = take;
  }

  add(text: string): void {
    const lines = (this.#begun + text).split(/\r?\n/);
    this.#begun = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
  }

  end(): void {
    if (this.#begun !== "") this.#take(this.#begun);
    this.#begun = "";
  }
}
