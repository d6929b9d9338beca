import { parseArgs } from "node:util";
import { type Answers, CannotCreate, checkName, checkWay, WAYS } from "./answers.ts";

export const HELP = `npm create hermes-plugin [folder] -- [options]

Writes a package with an adapter of a messaging platform for Hermes: it is green in Hermes' kit from the first minute,
and speaks a small invented protocol that you replace with your platform's.

  --name <name>         What the platform is called: small letters, digits and dashes.
  --receive <way>       How messages come in: ${WAYS.join(", ")}.
  --threads             It has threads that a bot can open (--no-threads: it has none).
  --edits               A bot can edit what it has sent (--no-edits: it cannot).
  --yes                 Ask nothing: polling, with threads and edits, where no option says otherwise.
  --help                This.

What no option says is asked for. The folder is hermes-plugin-<name> where it is left out; it must be empty.`;

/** What was said in the command line. */
export type Said = Partial<Answers> & { readonly isHelp: boolean; readonly isYes: boolean };

/** Throws CannotCreate for options that there are not. */
export function readFlags(args: readonly string[]): Said {
  const { values, positionals } = parse(args);
  const [folder, ...more] = positionals;
  if (more.length > 0) throw new CannotCreate(`One folder is enough: ${positionals.join(", ")} were given.`);
  const { name, receive, threads, edits, help = false, yes = false } = values;
  return {
    isHelp: help,
    isYes: yes,
    ...(folder === undefined ? {} : { folder }),
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(receive === undefined ? {} : { receive: checkWay(receive) }),
    ...(threads === undefined ? {} : { threads }),
    ...(edits === undefined ? {} : { edits }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        name: { type: "string" },
        receive: { type: "string" },
        threads: { type: "boolean" },
        edits: { type: "boolean" },
        yes: { type: "boolean", short: "y" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split(/\.\s/);
    throw new CannotCreate(`${reason?.replace(/\.$/, "")}. See npm create hermes-plugin -- --help.`);
  }
}
