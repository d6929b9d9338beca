import { type Command, Option } from "commander";
import type { MakeAction } from "../context.ts";
import { addRequestCommands } from "./request-commands.ts";

/** `hermes people …` */
export function addPeopleCommands(program: Command, act: MakeAction): void {
  const people = program
    .command("people")
    .description("show who may do what, and change what the store grants")
    .addHelpText(
      "after",
      `
A person is one on all platforms: the same sessions and the same rights at each of their accounts. What the config
grants is changed there; the list says on which line.

Examples:
  hermes people                             everybody, and where each right comes from
  hermes people show Ada                    one person with all ids
  hermes people add Ada                     a member; with --role operator, an operator
  hermes people unlink <platform> <id>      unlink an account from them
  hermes people remove Ada                  end their rights; their sessions stay
`,
    );

  people
    .command("list", { isDefault: true })
    .description("list everybody who may do something, and where each right comes from")
    .action(act(async () => (await import("./list.ts")).listPeople));

  people
    .command("show <person>")
    .description("show a person with all ids: by name, by id, or by an id on a platform")
    .action(act(async () => (await import("./list.ts")).showPerson));

  people
    .command("add <name>")
    .description("add a person, whose accounts can be linked then")
    .addOption(roleOption("what they may do").default("member"))
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./change.ts")).addPerson));

  people
    .command("remove <person>")
    .description("remove a person: their running turns are stopped, their accounts are unlinked")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./remove.ts")).removePerson));

  people
    .command("unlink <platform> <id>")
    .description("unlink an account from its person (`<platform>` or `<platform>:<account>`)")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./remove.ts")).unlinkIdentity));

  people
    .command("role <person> <role>")
    .description("say what a person may do: `operator` or `member`")
    .option("-y, --yes", "do not ask")
    .action(act(async () => (await import("./change.ts")).setRole));

  people
    .command("rename <person> <name>")
    .description("call a person something else")
    .action(act(async () => (await import("./change.ts")).renamePerson));

  addRequestCommands(people, act);
}

function roleOption(description: string): Option {
  return new Option("--role <role>", description).choices(["operator", "member"]);
}
