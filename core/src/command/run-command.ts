import { HermesError } from "../base/errors.ts";
import { nearMiss } from "../base/near-miss.ts";
import type { Command, CommandContext, CommandResult } from "./command.ts";
import { HABITS } from "./habits.ts";
import { takesOnly } from "./parse-command.ts";
import { findCommand, offeredCommands, whyNotOffered } from "./registry.ts";

/**
 * Runs a command at a place. Throws COMMAND_UNKNOWN, COMMAND_MISTYPED, COMMAND_ELSEWHERE, COMMAND_NOT_HERE,
 * COMMAND_TAKES, NOT_ALLOWED, and the command's own errors: HermesErrors, whose message and hint are the reply.
 */
export async function runCommand(name: string, place: CommandContext, argument: string): Promise<CommandResult> {
  const command = resolveCommand(name, place, argument);
  if (command.run === undefined) throw new HermesError("COMMAND_NOT_HERE", { name, where: "in the terminal" });
  return command.run(place, argument);
}

/**
 * Finds the command `name` if the place offers it and it takes an argument, or has none; throws as {@link runCommand}
 * does.
 */
export function resolveCommand(name: string, place: CommandContext, argument = ""): Command {
  const command = findCommand(name);
  if (command === null) throw unknownCommand(name, place);
  const refusal = whyNotOffered(command, place);
  if (refusal === null) return takesIt(command, argument);
  if (refusal === "not allowed") throw new HermesError("NOT_ALLOWED", {});
  throw new HermesError("COMMAND_NOT_HERE", { name: command.name, where: refusal });
}

function takesIt(command: Command, argument: string): Command {
  if (argument !== "" && command.argumentHint === "" && !command.runsAnyway)
    throw takesOnly(command.name, "no argument");
  return command;
}

function unknownCommand(name: string, place: CommandContext): HermesError {
  const here = Object.hasOwn(HABITS, name) ? HABITS[name] : undefined;
  if (here !== undefined) return new HermesError("COMMAND_ELSEWHERE", { name, here });
  const meant = nearMiss(
    name,
    offeredCommands(place).map((command) => command.name),
  );
  return meant === null
    ? new HermesError("COMMAND_UNKNOWN", { name })
    : new HermesError("COMMAND_MISTYPED", { name, meant });
}
