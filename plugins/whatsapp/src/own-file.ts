import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** The content of a file; null when there is none. */
export function readOwnFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/**
 * Replaces a file that only its owner reads. Whoever reads it, also after a crash or where the disk is full, finds the
 * old content or the new one, and never a part.
 */
export function writeOwnFile(path: string, content: string): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w", 0o600);
  try {
    // Unlike `writeSync`, all of it or an error: a disk that is full takes a part.
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
