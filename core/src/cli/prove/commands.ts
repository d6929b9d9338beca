import type { Command } from "commander";
import type { Act } from "../program.ts";

/** `hermes prove [path]` */
export function addProveCommand(program: Command, act: Act): void {
  program
    .command("prove [path]")
    .description("prove an adapter of your own against its platform's emulator")
    .option("--only <ids...>", "only these proofs: an id (keys/home), or all that begin alike (keys)")
    .option("--badge <file>", "write an SVG picture for a README, such as “proofs 61/61”")
    .addHelpText(
      "after",
      `
The path is the folder of a package whose package.json names its conformance subject, or one below it:
  "hermes": { …, "conformance": "./test/subject.js" }
It may be the subject's own file, or the name of an installed package, too.

Examples:
  hermes prove                        the package in this folder
  hermes prove ./dist --only keys     the proofs about session keys
  hermes prove --json > report.json   the report, as one JSON document

Ends with 0 when every proof passed that the adapter claims, with 1 when one failed.
`,
    )
    .action(act(async () => (await import("./prove.ts")).prove));
}
