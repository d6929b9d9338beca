import type { Command } from "commander";
import type { MakeAction } from "../context.ts";
import { parsePort } from "../parse-option.ts";

/** `hermes emulate <platform>` */
export function addEmulateCommand(program: Command, act: MakeAction): void {
  program
    .command("emulate <platform>")
    .description("run a platform on this machine, to try Hermes without an account there")
    .option("--port <number>", "the port to listen on", parsePort, 8081)
    .addHelpText(
      "after",
      `
Example:
  hermes emulate <platform>     prints what to put into the config, and a page to write on; until Ctrl-C

Scripts write, and make things fail, at the same address:
  GET  /_emulator/failures      what this platform can be made to fail with, each in a sentence
  POST /_emulator/fail          one of these: {"operation": "send", "kind": {"is": "break"}}; /_emulator/heal ends them
  POST /_emulator/receive       what a person writes: {"chatId": "…", "text": "Hello"}, and files
  GET  /_emulator/messages      what stands in a chat (?chatId=…), with the addresses of the files that the bot sent
  GET  /_emulator/log           what was asked of the platform
`,
    )
    .action(act(async () => (await import("./emulate.ts")).emulate));
}
