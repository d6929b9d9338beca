import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileError, HermesError, isNoRoom, reasonOf } from "../base/errors.ts";
import { finishRestore, STORE_FOLDER } from "./finish-restore.ts";
import type { Opening } from "./home-openings.ts";
import { untrustedOpenings } from "./trusted-home.ts";

/** The path of Hermes' home: `HERMES_HOME`, or `.hermes` in the user's home folder. */
export function hermesHome(environment: NodeJS.ProcessEnv): string {
  if (environment.HERMES_HOME) return resolve(environment.HERMES_HOME);
  return join(environment.HOME || homedir(), ".hermes");
}

/** Whether a folder is the user's own, in which everything else of theirs lies: a project is something else. */
export function isUserFolder(folder: string, environment: NodeJS.ProcessEnv): boolean {
  return [environment.HOME || homedir(), homedir()].some((own) => resolve(own) === resolve(folder));
}

/**
 * Creates the home if it is missing, and closes it to other readers, since it holds transcripts. Refuses a home that
 * others could have written to: a config, a list of trusted folders or a plugin in it is code that runs. Throws
 * HOME_NOT_PRIVATE and HOME_OPEN_TO_OTHERS.
 */
export function prepareHome(folder: string): void {
  makeHome(folder);
  const openings = untrustedOpenings(folder);
  if (openings.length > 0) throw new HermesError("HOME_OPEN_TO_OTHERS", { folder, what: describe(openings) });
  const { mode, uid } = statSync(folder);
  if ((mode & 0o077) === 0 || (process.geteuid && uid !== process.geteuid())) return;
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    throw notPrivate(folder, reasonInWords(error), error);
  }
}

/** Creates the home if it is missing. Throws HOME_NOT_PRIVATE if the folder cannot be a home. */
export function makeHome(folder: string): void {
  try {
    finishRestore(folder);
    makeFolder(folder);
  } catch (error) {
    if (isNoRoom(error)) throw error;
    throw notPrivate(folder, reasonInWords(error), error);
  }
  const stat = statSync(folder);
  if (!stat.isDirectory()) throw notPrivate(folder, "it is a file");
  finishRestore(join(folder, STORE_FOLDER));
  // Closing a folder such as / or /tmp to others would break the machine.
  const isShared = (stat.mode & 0o1000) !== 0 || [resolve("/"), homedir()].includes(folder);
  if (isShared && (stat.mode & 0o077) !== 0) throw notPrivate(folder, "it is a folder that others need");
}

/** Whether nobody else could have written to a home, or it does not exist. Changes nothing. */
export function isHomeSafe(folder: string): boolean {
  try {
    return !existsSync(folder) || untrustedOpenings(folder).length === 0;
  } catch {
    return false;
  }
}

function describe(openings: readonly Opening[]): string {
  const [first, ...more] = openings.map(({ path, why }) => `${path} ${why}`);
  return `${first}${more.length === 0 ? "" : `, and ${more.length} more such`}`;
}

/** Why a folder cannot be used, without the name of a system call. */
function reasonInWords(error: unknown): string {
  const known = fileError(error);
  return known ? String(known.fields.reason) : reasonOf(error);
}

function notPrivate(folder: string, reason: string, cause?: unknown): HermesError {
  return new HermesError("HOME_NOT_PRIVATE", { folder, reason }, { cause });
}

/** Creates a folder and its parents one by one: Node's recursive `mkdir` never returns in /proc, which allows none. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (!existsSync(folder)) throw error;
  }
}
