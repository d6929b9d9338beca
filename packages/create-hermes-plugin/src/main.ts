import { basename, relative, resolve } from "node:path";
import { type Answers, CannotCreate, checkName } from "./answers.ts";
import { type Asking, askAt, Cancelled } from "./ask.ts";
import { HELP, readFlags, type Said } from "./flags.ts";
import { packageFiles } from "./package-files.ts";
import { checkFolder, writePackage } from "./write-package.ts";

/** Runs the command. Resolves to its exit code. */
export async function main(args: readonly string[] = process.argv.slice(2)): Promise<number> {
  // Ctrl-C never comes in the middle of writing: it is handled when that is done.
  const interrupted = () => process.exit(130);
  process.on("SIGINT", interrupted);
  try {
    const said = readFlags(args);
    if (said.isHelp) console.log(HELP);
    else tell(create(await answersFor(said)));
    return 0;
  } catch (error) {
    if (error instanceof Cancelled) {
      console.error(`\n${error.message}`);
      return 130;
    }
    if (!(error instanceof CannotCreate)) throw error;
    console.error(error.message);
    return 2;
  } finally {
    process.off("SIGINT", interrupted);
  }
}

function create(answers: Answers): Answers {
  writePackage(answers.folder, packageFiles(answers));
  return answers;
}

async function answersFor(said: Said): Promise<Answers> {
  // Before the first question, so that nobody answers four of them for nothing.
  if (said.folder !== undefined) checkFolder(resolve(said.folder));
  using asking = said.isYes ? null : atTerminal(said);
  const byDefault = nameOf(said.folder);
  const name = said.name ?? (asking === null ? byDefault : await asking.name(byDefault));
  if (name === undefined) throw new CannotCreate("Say what the platform is called: --name <name>.");
  const folder = resolve(said.folder ?? `hermes-plugin-${name}`);
  checkFolder(folder);
  return {
    name,
    folder,
    receive: said.receive ?? (await asking?.way()) ?? "polling",
    threads: said.threads ?? (await asking?.yes("Has it threads that a bot can open?")) ?? true,
    edits: said.edits ?? (await asking?.yes("Can a bot edit what it has sent?")) ?? true,
  };
}

/** Null where nothing is left to ask. */
function atTerminal({ folder, name, receive, threads, edits }: Said): Asking | null {
  const missing = Object.entries({ name, receive, threads, edits }).filter(([, value]) => value === undefined);
  if (missing.length === 0) return null;
  if (!process.stdin.isTTY) {
    const flags = missing.map(([flag]) => `--${flag}`).join(", ");
    // The one thing that has no usual answer, where the folder does not tell it.
    const usual = (name ?? nameOf(folder)) === undefined ? "--name and --yes" : "--yes";
    throw new CannotCreate(`There is no terminal to ask in: say ${flags}, or ${usual} for what is usual.`);
  }
  return askAt(process.stdin, process.stdout);
}

/** `hermes-plugin-acme` is for acme. */
function nameOf(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  try {
    return checkName(basename(resolve(folder)).replace(/^hermes-plugin-/, ""));
  } catch {
    return undefined;
  }
}

function tell({ name, folder }: Answers): void {
  const path = relative(process.cwd(), folder);
  const steps = [...(path === "" ? [] : [`cd ${path}`]), "npm install", "npm test"];
  console.log(`hermes-plugin-${name} is in ${path === "" ? "this folder" : path}. Go on with:

${steps.map((step) => `  ${step}`).join("\n")}

The tests are green; above them stands what the adapter does not claim yet, and what to write for each.
Then replace the invented protocol in src and emulator with the platform's, file by file.`);
}
