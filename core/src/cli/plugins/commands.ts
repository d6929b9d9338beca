import { type Command, Option } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes plugins` and what changes them. */
export function addPluginCommands(program: Command, act: MakeAction): void {
  const plugins = program.command("plugins").description("list, add and remove plugins");
  plugins
    .command("list", { isDefault: true })
    .description("list the plugins that are configured or installed, and their state")
    .action(act(async () => (await import("../setup/list-plugins.ts")).listPlugins));
  plugins
    .command("add <package...>")
    .description("install plugins and add them to the config: a platform's name, package, package@version or path")
    .option("-y, --yes", "create a missing package.json without asking")
    .addOption(new Option("--installed").hideHelp())
    .action(act(async () => (await import("./add.ts")).addPlugins));
  plugins
    .command("remove <package>")
    .description("remove a plugin from the config and uninstall it; its data stays")
    .option("--account <name>", "the one of this account")
    .option("-y, --yes", "without asking")
    .action(act(async () => (await import("./remove.ts")).removePlugin));
  plugins
    .command("update [package...]")
    .description("install the newest versions of plugins; without a name, of all that are installed")
    .action(act(async () => (await import("./update.ts")).updatePlugins));
  plugins
    .command("load <package...>", { hidden: true })
    .action(act(async () => (await import("./load.ts")).loadPlugins));
}
