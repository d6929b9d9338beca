import { HermesError } from "../../base/errors.ts";
import { safeText } from "../../base/hidden-text.ts";
import { nearMiss } from "../../base/near-miss.ts";
import type { Host } from "../../host/host.ts";
import type { PluginCommand } from "../../plugin/plugin-cli.ts";
import type { CliContext } from "../context.ts";
import { loadPluginCli } from "./load-plugin-cli.ts";
import { takesWords } from "./takes-words.ts";

/** `hermes <platform> <command> …`, which the platform's plugin brings. Returns what the command returns. */
export async function runPluginCommand(
  context: CliContext,
  [platform = "", name, ...args]: readonly string[],
  ownCommands: readonly string[],
): Promise<number> {
  return context.withHost(async (host) => {
    const loaded = await loadPluginCli(host, platform);
    if (loaded === null) throw unknownWord(host, platform, ownCommands);
    const { cli, context: pluginContext } = loaded;
    const commands = cli.commands ?? [];
    const { output } = context;
    if (name === undefined || ["--help", "-h", "help"].includes(name)) {
      printCommands(context, platform, commands);
      return 0;
    }
    const command = commands.find((one) => one.name === name);
    if (command === undefined) {
      throw new HermesError("USAGE", {
        reason: `${platform} has no command ${name}; it has ${commands.map((one) => one.name).join(", ") || "none"}`,
        command: `hermes ${platform}`,
      });
    }
    if (!takesWords(output, platform, command, args)) return 0;
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      // Somebody may have to do what it says before the command can end, and so before there is a document.
      if (output.json) context.io.stderr.write(`${safeText(line)}\n`);
      else output.line(line);
    };
    const exitCode = await command.run(args, { ...pluginContext, print });
    if (exitCode === 0) output.document({ platform, command: name, exitCode, lines });
    // People have read already what it said.
    else if (output.json) {
      output.besideError = { platform, command: name, exitCode, lines };
      const reason = lines.at(-1) ?? "it does not say why";
      const hint = "Do what it says, then run it again.";
      output.error(new HermesError("PLUGIN_COMMAND_FAILED", { command: `hermes ${platform} ${name}`, reason, hint }));
    }
    return exitCode;
  });
}

function printCommands({ output }: CliContext, platform: string, commands: readonly PluginCommand[]): void {
  output.document({ platform, commands: commands.map(({ name, description }) => ({ name, description })) });
  if (commands.length === 0) output.line(`${platform} brings no commands.`);
  for (const { name, description } of commands) output.line(`${output.hermesCall} ${platform} ${name}  ${description}`);
}

/** A word that is neither a command nor a platform: most likely a command that was mistyped. */
function unknownWord({ config }: Host, word: string, ownCommands: readonly string[]): HermesError {
  const broken = config.brokenPlugins.find((plugin) => plugin.platform === word);
  if (broken) return broken.error;
  const isConfigured = config.plugins.some(({ descriptor }) => descriptor.platform === word);
  const meant = nearMiss(word, ownCommands);
  const reason = isConfigured
    ? `${word} brings no commands`
    : `There is no command ${word}${meant === null ? "" : `; did you mean ${meant}?`}`;
  return new HermesError("USAGE", { reason, command: "hermes" });
}
