import type { Command } from "commander";
import type { MakeAction } from "../context.ts";

/** `hermes prove [path]` */
export function addProveCommand(program: Command, act: MakeAction): void {
  program
    .command("prove [path]")
    .description("prove an adapter of your own against its platform's emulator")
    .option("--only <ids...>", "only these proofs: an id (keys/home) or a group (keys)")
    .option("--badge <file>", "write an SVG picture for a README, such as “proofs 61/61”")
    .addHelpText(
      "after",
      `
The path is the folder of a package whose package.json names its conformance subject, or one below it:
  "hermes": { …, "conformance": "./test/subject.ts" }
A folder of what is compiled, such as ./dist, is proved with the subject compiled into it. The path may be the subject's
own file, or the name of an installed package that ships it, too.

Examples:
  hermes prove                        the package in this folder
  hermes prove ./dist --only keys     the proofs about session keys, of what is published
  hermes prove hermes-plugin-acme     a package that is installed
  hermes prove --json > report.json   the report, as one JSON document

Exits with 0 when every claimed proof passed, and with 1 when one failed.
`,
    )
    .action(act(async () => (await import("./prove.ts")).prove));
}
