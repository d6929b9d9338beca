import { inject, Lifecycle, scoped } from "tsyringe";
import { count } from "../../base/text.ts";
import { clip } from "../../command/words.ts";
import { visibleText } from "../../markdown/text-width.ts";
import type { SessionId } from "../../model/session.ts";
import type { LineId, TypedLine } from "../../model/typed-line.ts";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import { isYes } from "../confirm.ts";
import type { TerminalHost } from "../context.ts";
import { LEASE_MS } from "./line-lease.ts";
import { HOST, OUTPUT, READER } from "./tokens.ts";
import { TypedAhead } from "./typed-ahead.ts";
import { isOutput } from "./untold-output.ts";

/** What was typed by terminals that ended before it was sent. */
@scoped(Lifecycle.ContainerScoped)
export class LeftLines {
  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(TypedAhead) readonly ahead: TypedAhead,
  ) {}

  /** Offers what was typed in a session. Nothing is sent unasked: what it was an answer to may be long past. */
  async offer(sessionId: SessionId): Promise<void> {
    const { output } = this;
    const { holder, store } = this.host;
    const { typedLines } = store;
    const left = (await typedLines.left(sessionId)).filter((line) => !isOutput(line));
    if (left.length === 0) return;
    if (!output.io.isInteractive) {
      output.note(
        `${linesText(left)} in this session, and not sent. \`hermes resume ${sessionId}\` offers that again.`,
      );
      return;
    }
    output.line(`${linesText(left)} here, and not sent when that terminal ended:`);
    for (const { text } of left) output.line(`  › ${clip(visibleText(text), 200)}`);
    const answer = await this.reader.ask("Send it now? (y: yes, n: throw it away, Enter: ask again later)");
    const isNo = answer !== null && /^no?$/i.test(answer.trim());
    if (!isYes(answer) && !isNo) return;
    const taken = await typedLines.takeOver(idsOf(left), holder, LEASE_MS);
    if (taken.length < left.length) output.note("Another terminal has taken that over meanwhile.");
    if (isYes(answer)) this.ahead.adopt(taken);
    else await typedLines.remove(idsOf(taken), holder);
  }

  /** Prints which sessions have typed but unsent lines. */
  async note(): Promise<void> {
    const { typedLines, sessions } = this.host.store;
    const left = (await typedLines.left()).filter((line) => !isOutput(line));
    for (const [id, lines] of Map.groupBy(left, ({ sessionId }) => sessionId)) {
      const title = (await sessions.get(id))?.title ?? id;
      this.output.note(`${linesText(lines)} in “${title}”, and not sent: \`hermes resume ${id}\` offers that again.`);
    }
  }
}

function idsOf(lines: readonly TypedLine[]): LineId[] {
  return lines.map(({ id }) => id);
}

function linesText(lines: readonly TypedLine[]): string {
  return `${count(lines.length, "line")} ${lines.length === 1 ? "was" : "were"} typed`;
}
