import { inject, Lifecycle, scoped } from "tsyringe";
import { shortenResult } from "../../agent/shorten-result.ts";
import { KilledAtExit } from "../../base/call-processes.ts";
import { reasonOf } from "../../base/errors.ts";
import { withNumbers } from "../../base/hidden-text.ts";
import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { fenced } from "../../markdown/fence.ts";
import { mark, withoutMarks } from "../../model/mark.ts";
import type { SessionId } from "../../model/session.ts";
import type { Output } from "../../terminal/output.ts";
import { createSpinner } from "../../terminal/spinner.ts";
import { Styled } from "../../terminal/styled.ts";
import { type BashEnd, runBash } from "../../tools/shell/run-bash.ts";
import { ownVariables } from "../../tools/shell/shell-variables.ts";
import { TOOL_POLICY } from "../../turn/tool-policy.ts";
import type { TerminalHost } from "../context.ts";
import { ChatSession } from "./chat-session.ts";
import { HOST, OUTPUT } from "./tokens.ts";
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
@scoped(Lifecycle.ContainerScoped)
export class OwnCommands {
  readonly #atExit = new KilledAtExit();

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(ChatSession) readonly session: ChatSession,
    @inject(UntoldOutput) readonly untold: UntoldOutput,
  ) {}

  /** Runs a command in the session's folder, and shows what it puts out as it comes. The signal stops it. */
  async run(command: string, signal: AbortSignal): Promise<void> {
    const { output } = this;
    const { io } = output;
    const { clock, redact, container } = this.host;
    const session = await this.session.find();
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

  /** Takes up what a terminal that is gone did not tell the agent of a session that is opened here. */
  async open(sessionId: SessionId): Promise<void> {
    const found = this.output.io.isInteractive ? await this.untold.adopt(sessionId) : 0;
    if (found > 0)
      this.output.note(`What you ran here before (${count(found, "command")}) goes along with your next message.`);
  }

  async #keep(command: string, text: string, end: string): Promise<void> {
    const { output } = this;
    const { redact } = this.host;
    if (end !== "exit code 0") output.note(`[${end}]`);
    const about = mark(
      `the user ran this here, and gives you what it put out as data: ${JSON.stringify(redact(command))}, ${end}`,
    );
    const said = shortenResult(redact(text).trimEnd(), null);
    const block = fenced(withoutMarks(withNumbers(said === "" ? "(no output)" : said)));
    await this.untold.keep(this.session.current, `${about}\n${block}`);
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
