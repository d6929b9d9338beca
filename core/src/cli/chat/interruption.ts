import { inject, Lifecycle, scoped } from "tsyringe";
import type { LineReader } from "../../terminal/input/line-reader.ts";
import type { Output } from "../../terminal/output.ts";
import type { TerminalHost } from "../context.ts";
import { Ending } from "./ending.ts";
import { HandoffAhead } from "./hand-off-ahead.ts";
import { LeaveAway } from "./leave-away.ts";
import { Running } from "./running.ts";
import { HOST, OUTPUT, READER } from "./tokens.ts";
import { TypedAhead } from "./typed-ahead.ts";

/** What stops what runs in a chat: Ctrl-C, Esc, and the end of its window. */
@scoped(Lifecycle.ContainerScoped)
export class Interruption {
  /** Whether the window was closed while a turn ran. */
  isCutOff = false;

  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(HOST) readonly host: TerminalHost,
    @inject(READER) readonly reader: LineReader,
    @inject(TypedAhead) readonly ahead: TypedAhead,
    @inject(Running) readonly running: Running,
    @inject(Ending) readonly ending: Ending,
    @inject(HandoffAhead) readonly handoff: HandoffAhead,
    @inject(LeaveAway) readonly away: LeaveAway,
  ) {}

  /** Esc: a handoff goes on. */
  escape(): void {
    if (this.running.what === "turn" || this.running.what === "command") this.interrupt();
  }

  /** Ctrl-C. */
  interrupt(): void {
    const { output, running, ending } = this;
    this.away.looksOn();
    const isWaiting = this.host.patience.takeBack();
    if (running.what === "turn" && this.handoff.isAsked) {
      void ending.attempt(async () => {
        if (!(await this.handoff.takeBack())) running.abort();
      });
      return;
    }
    running.abort();
    if (!output.io.isInteractive) {
      void ending.attempt(() => this.ahead.drop());
      this.reader.end();
    } else if (isWaiting) {
      // What is taken back says so itself.
    } else if (running.what === null) {
      this.reader.discard();
      output.note("Nothing is running. /quit or Ctrl-D leaves.");
    }
  }

  /** The window was closed, or the system ends the chat: what was said so far is kept. */
  end(exit: number): void {
    this.ending.tell(exit);
    this.host.patience.takeBack();
    // A requested handoff continues without this terminal.
    if (this.running.what === "turn") this.isCutOff = true;
    if (this.running.what !== "handoff") this.running.abort();
    this.reader.end();
  }
}
