import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CannotCreate } from "./answers.ts";

/** Throws CannotCreate for a folder that has something in it. */
export function checkFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const entries = entriesOf(folder);
  if (entries.length > 0) {
    throw new CannotCreate(`${folder} is not empty (${entries.slice(0, 3).join(", ")}): name another folder.`);
  }
}

/**
 * Writes the files of a package: all of them, or none. A new folder gets its name when it is whole; a signal that comes
 * meanwhile is handled afterwards, since nothing here waits.
 */
export function writePackage(folder: string, files: ReadonlyMap<string, string>): void {
  checkFolder(folder);
  const isNew = !existsSync(folder);
  const place = isNew ? join(dirname(folder), `.create-hermes-plugin-${process.pid}`) : folder;
  try {
    for (const [name, text] of files) {
      const path = join(place, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: "wx" });
    }
    if (isNew) renameSync(place, folder);
  } catch (error) {
    for (const entry of isNew ? [place] : entriesOf(place).map((one) => join(place, one))) {
      rmSync(entry, { recursive: true, force: true });
    }
    throw new CannotCreate(`Nothing could be written in ${folder}: ${error instanceof Error ? error.message : error}.`);
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    throw new CannotCreate(`${folder} is no folder: name another one.`);
  }
}
