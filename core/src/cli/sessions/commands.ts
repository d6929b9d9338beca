import { type Command, Option } from "commander";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";

/** `hermes compact` and `hermes sessions …` */
export function addSessionCommands(program: Command, act: MakeAction): void {
  program
    .command("compact <session> [what-matters...]")
    .description("summarise the start of a session for its model; the transcript keeps everything")
    .addHelpText(
      "after",
      `
Hermes does so by itself when a session fills 80 % of its model's window.

Examples:
  hermes compact plan                      by number, title or id
  hermes compact plan the names of tables  what has to be in the summary
`,
    )
    .action(act(async () => (await import("./compact.ts")).compactSession));

  const sessions = program.command("sessions").description("list, show, search, name, export and delete sessions");

  sessions
    .command("list", { isDefault: true })
    .description("list the sessions, last used first")
    .option("-n, --limit <number>", "how many", parseCount, 20)
    .option("--matching <text>", "only those whose title has this text, or whose id begins with it")
    .option("--after <cursor>", "the next page: pass the `cursor` from the previous --json")
    .action(act(async () => (await import("./list.ts")).listSessions));

  sessions
    .command("where <session>")
    .description("show where a session can be used, how it came there, and what is open in it")
    .action(act(async () => (await import("./where.ts")).showWhere));

  sessions
    .command("show <session>")
    .description("print a session's messages; name it by number, title or id")
    .option("-n, --limit <number>", "show only the last <number> messages", parseCount)
    .action(act(async () => (await import("./show.ts")).showSession));

  sessions
    .command("search <words...>")
    .description("find messages that contain all the words")
    .option("-n, --limit <number>", "how many", parseCount, 20)
    .action(act(async () => (await import("./search.ts")).searchSessions));

  sessions
    .command("title <session> <title...>")
    .description("change a session's title")
    .action(act(async () => (await import("./title.ts")).titleSession));

  sessions
    .command("export <session>")
    .description("write a session as Markdown or JSON")
    .addOption(new Option("--format <format>", "what to write").choices(["markdown", "json"]).default("markdown"))
    .option("-o, --output <file>", "write to this file rather than to stdout")
    .action(act(async () => (await import("./export.ts")).exportSession));

  sessions
    .command("delete <session>")
    .description("delete a session for good")
    .option("--force", "do not ask, and unbind it from its chats")
    .action(act(async () => (await import("./delete.ts")).deleteSession));

  sessions.addHelpText(
    "after",
    `
Examples:
  hermes sessions                          list them
  hermes sessions show plan --json         one session with its messages
  hermes sessions search rate limit        where was that said?
  hermes sessions export 1 -o plan.md      keep a copy of the first in the list
`,
  );
}
