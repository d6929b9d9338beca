import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { runProgram } from "../run-program.ts";
import { type DoctorFinding, ofError, ok, problem, warning } from "./check.ts";

/** Whether others may read a `.env`: on this machine, or with the repository that it lies in. */
export async function envFileFindings(file: string, signal: AbortSignal): Promise<DoctorFinding[]> {
  const isOpen = process.geteuid !== undefined && (statSync(file).mode & 0o077) !== 0;
  const ofMode: DoctorFinding[] = isOpen ? [openFile(file)] : [];
  const found = [...ofMode, ...(await inRepository(file, signal))];
  return found.length > 0 ? found : [ok(`${file} is read, and nobody else's to read.`)];
}

function openFile(file: string): DoctorFinding {
  const fix = () => {
    chmodSync(file, 0o600);
    return `Closed ${file} to others.`;
  };
  return { ...ofError(new HermesError("ENV_FILE_OPEN", { file }), "warning"), fix };
}

async function inRepository(file: string, signal: AbortSignal): Promise<DoctorFinding[]> {
  const folder = dirname(file);
  if (![...upwardsFrom(folder)].some((parent) => existsSync(join(parent, ".git")))) return [];
  const name = basename(file);
  if ((await git(folder, signal, "ls-files", "--error-unmatch", "--", name)) === 0) {
    const hint = `Run \`git rm --cached ${name}\` there and commit, then make new secrets: the history keeps these.`;
    return [problem(`${file} is kept in git: whoever gets the repository has the secrets in it.`, hint)];
  }
  if ((await git(folder, signal, "check-ignore", "-q", "--", name)) !== 1) return [];
  return [
    warning(
      `Git does not ignore ${file}: the next \`git add .\` takes it.`,
      `Add a line \`${name}\` to ${join(folder, ".gitignore")}.`,
      () => ignore(folder, name),
    ),
  ];
}

function ignore(folder: string, name: string): string {
  const file = join(folder, ".gitignore");
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const end = before === "" || before.endsWith("\n") ? "" : "\n";
  writeFileSync(file, `${end}${name}\n`, { flag: "a" });
  return `Added ${name} to ${file}.`;
}

/** The exit code; null where git could not be run. Runs nothing that the repository's own config names. */
async function git(folder: string, signal: AbortSignal, ...args: readonly string[]): Promise<number | null> {
  const environment = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
  return (await runProgram(["git", "-c", "core.fsmonitor=false", ...args], environment, { folder, signal })).code;
}
