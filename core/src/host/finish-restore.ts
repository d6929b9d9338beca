import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";

/** A file in a staged home that names the path to which the home that it replaces is moved. */
const NOTE = "restored-from.json";

/** The folder of the store in a home. It alone is replaced where the home cannot be renamed. */
export const STORE_FOLDER = "store";

/** The path of a complete home, or store, that only has to be renamed. */
function readyHome(home: string): string {
  return `${home}.restored`;
}

/**
 * Replaces `home`, or the store in one, by `staged`, and moves the former one to `aside`. If the process dies in
 * between, one of the two is complete: between the two renames there is no home, and the next process that looks for it
 * makes the second one.
 */
export function swapHomes(home: string, staged: string, aside: string): void {
  const ready = readyHome(home);
  rmSync(ready, { recursive: true, force: true });
  writeFileSync(join(staged, NOTE), JSON.stringify({ aside }), { mode: 0o600 });
  syncFolder(staged);
  renameSync(staged, ready);
  try {
    if (existsSync(home)) renameSync(home, aside);
  } catch (error) {
    // Left there, it would take the place of a home that is removed some day.
    rmSync(ready, { recursive: true, force: true });
    throw error;
  }
  renameSync(ready, home);
  rmSync(join(home, NOTE), { force: true });
  syncFolder(dirname(home));
}

/** Finishes a restore of a home or a store that was cut off, if the former one was moved already and none replaced it. */
export function finishRestore(named: string): void {
  if (existsSync(named)) return;
  const home = behindLink(named);
  const ready = readyHome(home);
  if (!existsSync(ready)) return;
  try {
    const { aside } = JSON.parse(readFileSync(join(ready, NOTE), "utf8")) as { aside?: unknown };
    if (typeof aside !== "string" || !existsSync(aside)) return;
    renameSync(ready, home);
    rmSync(join(home, NOTE), { force: true });
  } catch {
    // Another process was quicker, or this is not a staged home.
  }
}

/** Where a link leads, although nothing is there at the moment. */
function behindLink(path: string): string {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink ? resolve(dirname(path), readlinkSync(path)) : path;
}

function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    fsyncSync(descriptor);
    closeSync(descriptor);
  } catch {
    // Some systems cannot open a folder.
  }
}
