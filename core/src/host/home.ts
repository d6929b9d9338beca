import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { HermesError, reasonOf } from "../base/errors.ts";

/** Hermes' home: `HERMES_HOME`, or `.hermes` in the person's own folder. */
export function hermesHome(environment: NodeJS.ProcessEnv): string {
  if (environment.HERMES_HOME) return resolve(environment.HERMES_HOME);
  return join(environment.HOME || homedir(), ".hermes");
}

/**
 * Makes the home where there is none, and closes it to others where it is open to them: it holds transcripts.
 * Throws HOME_NOT_PRIVATE when that cannot be.
 */
export function prepareHome(folder: string): void {
  const refuse = (reason: string, cause?: unknown) =>
    new HermesError("HOME_NOT_PRIVATE", { folder, reason }, { cause });
  try {
    makeFolder(folder);
  } catch (error) {
    throw refuse(reasonOf(error), error);
  }
  const stat = statSync(folder);
  if (!stat.isDirectory()) throw refuse("it is a file");
  const { mode, uid } = stat;
  if ((mode & 0o077) === 0) return;

  // Closing one of these to everybody else would break the machine.
  const isShared = (mode & 0o1000) !== 0 || [resolve("/"), homedir()].includes(folder);
  if (isShared) throw refuse("it is a folder that others need");
  const me = process.getuid?.();
  if (me !== undefined && me !== 0 && uid !== me) throw refuse("it belongs to somebody else");
  try {
    chmodSync(folder, 0o700);
  } catch (error) {
    throw refuse(reasonOf(error), error);
  }
}

/** One after the other: Node's own way of making several never ends in a file system that makes no folders (/proc). */
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
