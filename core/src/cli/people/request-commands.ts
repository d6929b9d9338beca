import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes people requests`, `approve` and `deny`: newcomers whom `pairing` answers. */
export function addRequestCommands(people: Command, act: MakeAction): void {
  people
    .command("requests")
    .description("list the newcomers who wait to be let in")
    .action(act(async () => (await import("./requests.ts")).listRequests));

  people
    .command("approve <request>")
    .description("let a newcomer talk to the agent: by their number, or the code that they told you")
    .option("--name <name>", "what to call them; by default what they call themselves")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./requests.ts")).approveRequest));

  people
    .command("deny <request>")
    .description("do not let a newcomer in; they get no answer for 30 days")
    .action(act(async () => (await import("./requests.ts")).denyRequest));
}
