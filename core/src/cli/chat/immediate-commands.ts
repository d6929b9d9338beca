import { inject, Lifecycle, scoped } from "tsyringe";
import type { CommandContext, CommandResult } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import type { Output } from "../../terminal/output.ts";
import { renderOn } from "../../terminal/render-markdown.ts";
import { Ending } from "./ending.ts";
import { HandoffAhead } from "./hand-off-ahead.ts";
import { ModeSwitch } from "./mode-switch.ts";
import { Running } from "./running.ts";
import { OUTPUT, PLACE } from "./tokens.ts";
import { TypedAhead } from "./typed-ahead.ts";

/** Prints what a command replies. */
export function printReply(output: Output, { reply }: CommandResult): void {
  if (reply === "") return;
  const { io } = output;
  output.line(io.isScreen ? renderOn(io, output.asCalled(reply)) : reply);
}

/** The commands that do not wait for their turn, typed while something runs or at a question. */
@scoped(Lifecycle.ContainerScoped)
export class ImmediateCommands {
  constructor(
    @inject(OUTPUT) readonly output: Output,
    @inject(PLACE) readonly place: CommandContext,
    @inject(TypedAhead) readonly ahead: TypedAhead,
    @inject(Running) readonly running: Running,
    @inject(Ending) readonly ending: Ending,
    @inject(ModeSwitch) readonly modes: ModeSwitch,
    @inject(HandoffAhead) readonly handoff: HandoffAhead,
  ) {}

  /** Takes a line that was typed while something runs. False where it waits for its turn. */
  take(line: string): boolean {
    const { output, place, running, modes, handoff, ahead, ending } = this;
    const command = parseCommand(line);
    if (command === null) return false;
    const { name, argument } = command;
    if (name === "handoff" && argument !== "" && running.what === "turn") {
      void ending.attempt(() => handoff.ask(argument));
      return true;
    }
    if (name === "now" && argument !== "" && running.what === "turn") {
      ahead.push(argument, { isNow: true });
      return true;
    }
    if (findCommand(name)?.immediate !== true) return false;
    void ending.attempt(async () => {
      printReply(output, await runCommand(name, place, argument));
      await modes.show();
    });
    return true;
  }

  /** Takes a command that was typed at a question. False: the question is left. */
  async takeAtQuestion(line: string): Promise<boolean> {
    const { output, place, ending } = this;
    const { name = "", argument = "" } = parseCommand(line) ?? {};
    const command = findCommand(name);
    if (command?.name === "quit" && argument === "") {
      ending.leave();
      return false;
    }
    if (command !== null && !command.immediate && command.name !== "quit") {
      output.note(`/${command.name} works when the question is answered, or left with Ctrl-C.`);
    } else if (!this.take(line)) {
      await ending.attempt(async () => void resolveCommand(name, place, argument));
    }
    return true;
  }
}
