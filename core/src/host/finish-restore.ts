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

/** In a home that is to take the place of another: where that one is put. */
const NOTE = "restored-from.json";

/** A home that is whole, and only has to be renamed. */
function readyHome(home: string): string {
  return `${home}.restored`;
}

/**
 * Puts `staged` in the place of `home`, and what is there at `aside`. A process that dies in the middle leaves the one or
 * the other, whole: between the two renames there is no home, and whoever looks for it next makes the second.
 */
export function swapHomes(home: string, staged: string, aside: string): void {
  const ready = readyHome(home);
  rmSync(ready, { recursive: true, force: true });
  writeFileSync(join(staged, NOTE), JSON.stringify({ aside }), { mode: 0o600 });
  syncFolder(staged);
  renameSync(staged, ready);
  if (existsSync(home)) renameSync(home, aside);
  renameSync(ready, home);
  rmSync(join(home, NOTE), { force: true });
  syncFolder(dirname(home));
}

/** Ends a restore that was cut off: only where the former home was put aside already, and nothing is in its place. */
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
    // Another process was quicker, or it is no home of a restore.
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
    // Not every system lets a folder be opened.
  }
}
