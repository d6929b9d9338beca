import type { Command, CommandContext } from "./command.ts";
import { takesOnly } from "./parse-command.ts";

/** Makes /help, which lists the commands that work at a place. `offered` is a function since its list contains /help. */
export function helpCommand(offered: (place: CommandContext) => readonly Command[]): Command {
  return {
    name: "help",
    description: "Show this list, or what one command does",
    category: "Info",
    aliases: [],
    argumentHint: "[command]",
    forGuests: true,
    tellsNoSession: true,
    immediate: true,
    async run(place, argument) {
      const name = argument.replace(/^\//, "").toLowerCase();
      const commands = offered(place).filter((one) => name === "" || one.name === name || one.aliases.includes(name));
      if (commands.length === 0) throw takesOnly("help", "the name of a command that works here, or no argument");
      const categories = [...new Set(commands.map((command) => command.category))];
      const parts = categories.map((category) => {
        const lines = commands
          .filter((command) => command.category === category)
          .map((command) => describe(command, place));
        return `**${category}**\n${lines.join("\n")}`;
      });
      return { reply: parts.join("\n\n") };
    },
  };
}

function describe(command: Command, place: CommandContext): string {
  const { name, argumentHint, aliases } = command;
  const description = (place.surface === "terminal" ? command.inTerminal : undefined) ?? command.description;
  const usage = place.typed(`${name} ${argumentHint}`.trim());
  const also = aliases.length === 0 ? "" : ` (also ${aliases.map((alias) => place.typed(alias)).join(", ")})`;
  return `- \`${usage}\` ${description}${also}`;
}
