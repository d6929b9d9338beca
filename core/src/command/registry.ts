import { approveCommand, denyCommand } from "./approve.ts";
import { awayCommand } from "./away.ts";
import type { Command, CommandContext } from "./command.ts";
import { compactCommand } from "./compact.ts";
import { continueCommand } from "./continue.ts";
import { copyCommand } from "./copy.ts";
import { diffCommand } from "./diff.ts";
import { exportCommand } from "./export.ts";
import { forkCommand } from "./fork.ts";
import { handOffCommand } from "./hand-off.ts";
import { helpCommand } from "./help.ts";
import { historyCommand } from "./history.ts";
import { jobsCommand } from "./jobs.ts";
import { linkCommand } from "./link.ts";
import { modeCommand } from "./mode.ts";
import { modelCommand } from "./model.ts";
import { newCommand } from "./new.ts";
import { nowCommand } from "./now.ts";
import { passCommand } from "./pass.ts";
import { permissionsCommand } from "./permissions.ts";
import { quitCommand } from "./quit.ts";
import { resumeCommand } from "./resume.ts";
import { rewindCommand } from "./rewind.ts";
import { sessionsCommand } from "./sessions.ts";
import { setHomeCommand } from "./set-home.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { titleCommand } from "./title.ts";
import { retryCommand, undoCommand } from "./undo.ts";
import { usageCommand } from "./usage.ts";
import { whoAmICommand } from "./who-am-i.ts";

/** Every slash command of the terminal and of the platforms, in the order of /help. */
export const COMMANDS: readonly Command[] = [
  newCommand,
  resumeCommand,
  sessionsCommand,
  titleCommand,
  handOffCommand,
  continueCommand,
  passCommand,
  awayCommand,
  historyCommand,
  exportCommand,
  approveCommand,
  denyCommand,
  modeCommand,
  modelCommand,
  stopCommand,
  nowCommand,
  retryCommand,
  undoCommand,
  compactCommand,
  rewindCommand,
  forkCommand,
  diffCommand,
  copyCommand,
  statusCommand,
  usageCommand,
  jobsCommand,
  permissionsCommand,
  whoAmICommand,
  helpCommand(offeredCommands),
  quitCommand,
  setHomeCommand,
  linkCommand,
];

/** Finds a command by its name or alias, in lower case and without the slash. */
export function findCommand(name: string): Command | null {
  return COMMANDS.find((command) => command.name === name || command.aliases.includes(name)) ?? null;
}

/** Why a command is not available at a place; null when it is. */
export function whyNotOffered(
  command: Command,
  place: CommandContext,
): "in the terminal" | "in a chat" | "in a private chat" | "not allowed" | null {
  const inTerminal = place.surface === "terminal";
  if (command.gatewayOnly && inTerminal) return "in a chat";
  const isMissing = command === handOffCommand && place.isOperator && place.handOff === undefined;
  if ((command.cliOnly || isMissing) && !inTerminal) return "in the terminal";
  if (place.isGuest && !command.forGuests) return "not allowed";
  if (command.operatorsOnly && !place.isOperator) return "not allowed";
  return command.privateOnly && !inTerminal && place.sender === undefined ? "in a private chat" : null;
}

/** The commands that are available at a place for the person who writes there. */
export function offeredCommands(place: CommandContext): readonly Command[] {
  return COMMANDS.filter((command) => whyNotOffered(command, place) === null);
}

/** The commands that work on platforms, for a platform's own command menu. */
export function commandsOfPlatforms(): Pick<Command, "name" | "description" | "argumentHint">[] {
  return COMMANDS.filter((command) => !command.cliOnly).map(({ name, description, argumentHint }) => ({
    name,
    description,
    argumentHint,
  }));
}
