import { Argument, type Command, Option } from "commander";
import type { MakeAction } from "../context.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** `hermes completion`, and what its scripts call. */
export function addCompletionCommands(program: Command, act: MakeAction): void {
  program
    .command("completion")
    .description("print a script that lets a shell complete hermes' commands, sessions and platforms")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
In the shell's own start-up file:
  bash, ~/.bashrc:                   source <(hermes completion bash)
  zsh, ~/.zshrc, behind compinit:    source <(hermes completion zsh)
  fish, ~/.config/fish/config.fish:  hermes completion fish | source
`,
    )
    .action(act(async () => (await import("./scripts.ts")).printScript));

  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .addOption(new Option("--shell <shell>").choices(SHELLS).default("zsh"))
    .action(act(async () => (await import("./print-candidates.ts")).printCandidates));
}
