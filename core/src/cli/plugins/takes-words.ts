import { Command, CommanderError } from "commander";
import type { PluginCommand } from "../../plugin/plugin-cli.ts";
import type { Output } from "../../terminal/output.ts";
import { usageError } from "../usage-error.ts";

/**
 * Whether a plugin's command is to be run with `args`: not where they ask for its help, which is printed. Throws USAGE
 * for what the command does not take, so that no command does something else than was asked for.
 */
export function takesWords(
  output: Output,
  platform: string,
  { name, description, operands = [], options = [] }: PluginCommand,
  args: readonly string[],
): boolean {
  const { io } = output;
  const command = new Command(`hermes ${platform} ${name}`)
    .description(description)
    .helpOption("-h, --help", "print this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.line(output.helpAsCalled(text.trimEnd())),
      outputError: () => {},
      getOutHelpWidth: () => io.columns(),
      getOutHasColors: () => false,
    })
    .action(() => {});
  for (const { form, description } of operands) command.argument(form, description);
  for (const { form, description } of options) command.option(form, description);
  try {
    command.parse([...args], { from: "user" });
    return true;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode !== 0) throw usageError(thrown, command.name());
    output.document({ platform, command: name, description, operands, options });
    return false;
  }
}
