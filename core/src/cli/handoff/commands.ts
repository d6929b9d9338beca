import { type Command, InvalidArgumentError, Option } from "commander";
import { NO_HANDOFF } from "../../overview/handoff-document.ts";
import type { Output } from "../../terminal/output.ts";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";

/** `hermes handoff` and `hermes handoffs …` */
export function addHandoffCommands(program: Command, act: MakeAction, output: Output): void {
  const handoff = program
    .command("handoff <place>")
    .description("move a session, live, to a platform, a chat there, or the terminal")
    .option("-s, --session <session>", "which one: number, title or id; else the one last used in this folder")
    .option("--no-wait", "only request it; do not wait until it has arrived")
    .option("--ttl <seconds>", "how long it may wait for a gateway, or for another one to take over", parseSeconds, 60)
    .option("--qr", "show the link as a QR code too")
    .option("-y, --yes", "do not ask, although others can read it there")
    .addOption(new Option("--stay").hideHelp())
    .addHelpText(
      "after",
      `
Examples:
  hermes handoff <platform>                       the session last used in this folder goes to your home channel there
  hermes handoff <platform> --session plan        go on at your home channel there
  hermes handoff <platform>/#general -s plan      go on in another chat: \`hermes places\` lists them
  hermes handoff terminal --session plan          let whichever terminal opens it first go on
  hermes handoff <platform> --session 1 --qr      go on on the phone that scans the code
`,
    )
    .action(act(async () => (await import("./hand-off.ts")).handOff));

  program.hook("preSubcommand", (_program, command) => {
    // Whoever reads the document finds its fields in it, though the command was used wrongly.
    if (command === handoff) output.besideError = { ...NO_HANDOFF };
  });

  const handoffs = program.command("handoffs").description("list, show and cancel handoffs");

  handoffs
    .command("list", { isDefault: true })
    .description("list the handoffs, newest first")
    .option("-n, --limit <number>", "how many", parseCount, 20)
    .option("--in-flight", "only those that have not ended")
    .action(act(async () => (await import("./list.ts")).listHandoffs));

  handoffs
    .command("show <handoff>")
    .description("print the steps of a handoff; name it by number, its session's title, or id")
    .action(act(async () => (await import("./show.ts")).showHandoff));

  handoffs
    .command("cancel <handoff>")
    .description("cancel a handoff that waits for a gateway")
    .action(act(async () => (await import("./cancel.ts")).cancelHandoff));
}

function parseSeconds(text: string): number {
  const seconds = parseCount(text);
  if (seconds > 7 * 86_400) throw new InvalidArgumentError("A week is the longest.");
  return seconds;
}
