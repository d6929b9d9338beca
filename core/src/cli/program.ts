import { Command, CommanderError } from "commander";
import type { DependencyContainer } from "tsyringe";
import { HermesError } from "../base/errors.ts";
import { nearMiss } from "../base/near-miss.ts";
import type { Io } from "../terminal/io.ts";
import { Output } from "../terminal/output.ts";
import { addApprovalCommands } from "./approvals/commands.ts";
import { addAwayCommand } from "./away/commands.ts";
import { addBackupCommands } from "./backup/commands.ts";
import { addChatCommands } from "./chat/commands.ts";
import { addCompletionCommands } from "./completion/commands.ts";
import { createContext, type MakeAction } from "./context.ts";
import { addDeliveryCommands } from "./deliveries/commands.ts";
import { addDoctorCommand } from "./doctor/commands.ts";
import { addEmulateCommand } from "./emulate/commands.ts";
import { addGatewayCommands } from "./gateway/commands.ts";
import { addHandoffCommands } from "./handoff/commands.ts";
import { addHomeCommands } from "./home/commands.ts";
import { addInitCommand } from "./init/commands.ts";
import { addLinkCommand } from "./link/commands.ts";
import { addLogsCommand } from "./logs/commands.ts";
import { addModelCommands } from "./models/commands.ts";
import { addOverviewCommands } from "./overview/commands.ts";
import { addPassCommands } from "./passes/commands.ts";
import { addPeopleCommands } from "./people/commands.ts";
import { addPermissionCommands } from "./permissions/commands.ts";
import { addPlaceCommands } from "./places/commands.ts";
import { addPluginCommands } from "./plugins/commands.ts";
import { addProveCommand } from "./prove/commands.ts";
import { reportError } from "./report-error.ts";
import { addServiceCommands } from "./service/commands.ts";
import { addSessionCommands } from "./sessions/commands.ts";
import { addSetupCommands } from "./setup/commands.ts";
import { addUpdateCommand } from "./update/commands.ts";
import { addUsageCommand } from "./usage/commands.ts";
import { usageError } from "./usage-error.ts";
import { version } from "./version.ts";

export interface CliOptions {
  readonly io: Io;
  /** Takes the place of parts of the host: tests and embedding programs. */
  readonly override?: (container: DependencyContainer) => void;
}

const EXAMPLES = `
Platforms bring commands of their own:
  hermes web open                     a link that opens the page and signs a browser in
  hermes <platform> --help            what another platform brings; \`hermes plugins\` lists them

Examples:
  hermes                              talk to the agent here
  hermes chat -q "What changed?"      one question, one answer
  hermes gateway --detach             serve the platforms in the background
  hermes handoff <platform> -s plan   move the session "plan" to your home channel there
  hermes resume plan                  bring it back
`;

/** Runs one command line. Returns the exit code: 0 done, 1 failed, 2 used wrongly, 3 gave up waiting, 75 nobody to ask. */
export async function runCli(argv: readonly string[], { io, override }: CliOptions): Promise<number> {
  const { words: given, configPath, json } = readGlobalOptions(argv);
  const output = new Output(io, { json });
  const context = createContext(output, { configPath, override });
  let exitCode = 0;
  const act: MakeAction =
    (load) =>
    async (...args) => {
      const run = await load();
      exitCode = (await run(context, ...args)) ?? 0;
    };
  const program = createProgram(output, act);
  const words = helpOfPlugin(program, given);
  try {
    const [first] = words;
    if (first !== undefined && !isCommand(program, first)) {
      const { runPluginCommand } = await import("./plugins/plugin-command.ts");
      return await runPluginCommand(context, words, knownNames(program));
    }
    checkSubcommands(program, words);
    await program.parseAsync([...words], { from: "user" });
    return exitCode;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) return reportError(output, thrown);
    if (thrown.exitCode === 0) return 0;
    return reportError(output, usageError(thrown, commandOf(program, words)));
  }
}

function createProgram(output: Output, act: MakeAction): Command {
  const { io } = output;
  const program = new Command("hermes")
    .description("An AI agent whose session follows you from the terminal to your messengers and back.")
    .option("--config <file>", "use this config")
    .option("--json", "print one JSON document and nothing else")
    .version(version(), "-v, --version", "print the version")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: (text) => io.stdout.write(output.helpAsCalled(text.replace(/\n+$/, "\n"))),
      writeErr: (text) => io.stderr.write(text),
      // Print the error once, in the form of all errors.
      outputError: () => {},
      getOutHelpWidth: () => io.columns(),
      getOutHasColors: () => io.color,
    });
  addChatCommands(program, act);
  addInitCommand(program, act);
  addSessionCommands(program, act);
  addHandoffCommands(program, act, output);
  addPlaceCommands(program, act);
  addPassCommands(program, act);
  addAwayCommand(program, act);
  addApprovalCommands(program, act);
  addDeliveryCommands(program, act);
  addGatewayCommands(program, act);
  addOverviewCommands(program, act);
  addModelCommands(program, act);
  addUsageCommand(program, act);
  addServiceCommands(program, act);
  addLogsCommand(program, act);
  addBackupCommands(program, act);
  addHomeCommands(program, act);
  addLinkCommand(program, act);
  addPeopleCommands(program, act);
  addPluginCommands(program, act);
  addPermissionCommands(program, act);
  addSetupCommands(program, act);
  addDoctorCommand(program, act);
  addEmulateCommand(program, act);
  addProveCommand(program, act);
  addCompletionCommands(program, act);
  addUpdateCommand(program, act);
  return program;
}

/** `--config` and `--json` may stand anywhere; what is behind `--` is not looked at. */
function readGlobalOptions(argv: readonly string[]): {
  readonly words: readonly string[];
  readonly configPath: string | undefined;
  readonly json: boolean;
} {
  const words: string[] = [];
  let configPath: string | undefined;
  let json = false;
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] ?? "";
    if (word === "--") {
      words.push(...argv.slice(index));
      break;
    }
    if (word === "--json") json = true;
    else if (word.startsWith("--config=")) configPath = word.slice("--config=".length);
    else if (word === "--config" && argv[index + 1] !== undefined) configPath = argv[++index];
    else words.push(word);
  }
  return { words, configPath, json };
}

/** Whether commander takes the line: it begins with an option or with a command it knows. */
function isCommand(program: Command, first: string): boolean {
  return first.startsWith("-") || first === "help" || knownNames(program).includes(first);
}

/** `hermes help <platform>` is `hermes <platform> --help`: commander knows its own commands only. */
function helpOfPlugin(program: Command, words: readonly string[]): readonly string[] {
  const [first, name] = words;
  return first === "help" && name !== undefined && !isCommand(program, name) ? [name, "--help"] : words;
}

/** A mistyped command of a group, which commander takes for an argument too many, or answers with its help. */
function checkSubcommands(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    if (word.startsWith("-") || command.commands.length === 0) return;
    if (word === "help") continue;
    const next = commandNamed(command, word);
    if (next === undefined) {
      const meant = nearMiss(word, knownNames(command));
      const reason = `There is no command ${command.name()} ${word}${meant === null ? "" : `; did you mean ${meant}?`}`;
      throw new HermesError("USAGE", { reason, command: commandOf(program, words) });
    }
    command = next;
  }
}

function commandNamed(command: Command, name: string): Command | undefined {
  return command.commands.find((one) => one.name() === name || one.aliases().includes(name));
}

function knownNames(command: Command): readonly string[] {
  return command.commands.flatMap((command) => [command.name(), ...command.aliases()]);
}

/** The command that a line is for, as far as there is one: its help says how it is used. */
function commandOf(program: Command, words: readonly string[]): string {
  let command = program;
  const names = [program.name()];
  for (const word of words.filter((word) => word !== "help")) {
    const next = commandNamed(command, word);
    if (next === undefined) break;
    names.push(next.name());
    command = next;
  }
  return names.join(" ");
}
