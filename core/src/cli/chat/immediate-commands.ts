import type { CommandResult } from "../../command/command.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import { resolveCommand, runCommand } from "../../command/run-command.ts";
import type { Output } from "../../terminal/output.ts";
import type { ChatPlace } from "./chat-place.ts";
import type { Ending } from "./ending.ts";
import type { HandoffAhead } from "./hand-off-ahead.ts";
import type { ModeSwitch } from "./mode-switch.ts";
import type { Running } from "./running.ts";
import type { TypedAhead } from "./typed-ahead.ts";

export interface ImmediateCommandsParts {
  readonly output: Output;
  readonly place: ChatPlace;
  readonly running: Running;
  readonly modes: ModeSwitch;
  readonly handoff: HandoffAhead;
  readonly ahead: TypedAhead;
  readonly ending: Ending;
  print(result: CommandResult): void;
}

/** The commands that do not wait for their turn, typed while something runs or at a question. */
export class ImmediateCommands {
  readonly #parts: ImmediateCommandsParts;

  constructor(parts: ImmediateCommandsParts) {
    this.#parts = parts;
  }

  /** Takes a line that was typed while something runs. False where it waits for its turn. */
  take(line: string): boolean {
    const { place, running, modes, handoff, ahead, ending, print } = this.#parts;
    const command = parseCommand(line);
    if (command === null) return false;
    const { name, argument } = command;
    if (name === "handoff" && argument !== "" && running.what === "turn") {
      void ending.attempt(() => handoff.ask(place, argument));
      return true;
    }
    if (name === "now" && argument !== "" && running.what === "turn") {
      ahead.push(argument, { isNow: true });
      return true;
    }
    if (findCommand(name)?.immediate !== true) return false;
    void ending.attempt(async () => {
      print(await runCommand(name, place, argument));
      await modes.show();
    });
    return true;
  }

  /** Takes a command that was typed at a question. False: the question is left. */
  async takeAtQuestion(line: string): Promise<boolean> {
    const { output, place, ending } = this.#parts;
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
