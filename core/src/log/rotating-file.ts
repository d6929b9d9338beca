import {
  chmodSync,
  closeSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** The size in bytes past which the file is rotated. */
export const ROTATE_AT = 5 * 1024 * 1024;

/** Milliseconds: an older lock was left by a process that died while rotating the file. */
const LOCK_LASTS_MS = 10_000;

/**
 * A file to which any number of processes append lines, rotated to `<file>.1` when it grows too long. The first process
 * to notice rotates it under a lock; the others notice before their next line that the path names another file, and open
 * that. A line written meanwhile goes into the old file, so none is lost.
 */
export class RotatingFile {
  readonly #path: string;
  #file: number | null = null;
  #opened: Stats | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Appends a line. Never throws: a full disk must not end the process that logs. */
  write(line: string): void {
    try {
      writeSync(this.#current(), line);
    } catch {
      // There may be room again for the next line.
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #current(): number {
    const named = statSync(this.#path, { throwIfNoEntry: false });
    if (named && named.size > ROTATE_AT) this.#rotate();
    else if (this.#file !== null && named && isSame(named, this.#opened)) return this.#file;
    return this.#open();
  }

  #open(): number {
    this.close();
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(this.#path), 0o700);
    this.#file = openSync(this.#path, "a", 0o600);
    // By its descriptor: another process may be renaming the file just now.
    fchmodSync(this.#file, 0o600);
    this.#opened = fstatSync(this.#file);
    return this.#file;
  }

  #rotate(): void {
    const lock = `${this.#path}.lock`;
    if (!takeLock(lock)) return;
    try {
      // Another process may have rotated it already; its new file must not be rotated at once.
      const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > ROTATE_AT) renameSync(this.#path, `${this.#path}.1`);
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

function isSame(a: Stats, b: Stats | null): boolean {
  return a.ino === b?.ino && a.dev === b.dev;
}

/** Takes the lock; false while another process has it, and then the file just grows by a few more lines. */
function takeLock(path: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch {
    const left = statSync(path, { throwIfNoEntry: false });
    if (left && Date.now() - left.mtimeMs > LOCK_LASTS_MS) rmSync(path, { force: true });
    return false;
  }
}
