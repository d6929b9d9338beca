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

/** Past this size, in bytes, the file is put aside. */
export const ROTATE_AT = 5 * 1024 * 1024;

/** A lock that is older was left by a process that died while it put the file aside. In milliseconds. */
const LOCK_LASTS_MS = 10_000;

/**
 * A file that any number of processes add lines to, and that is put aside as `<file>.1` when it has grown too long.
 * Whoever meets that first puts it aside, alone; the others see before their next line that the name has gone to another
 * file, and open that. A line that one of them was writing meanwhile is in the old one, and none is lost.
 */
export class RotatingFile {
  readonly #path: string;
  #file: number | null = null;
  #opened: Stats | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Never throws: a disk that is full must not end the process that has something to say about it. */
  write(line: string): void {
    try {
      writeSync(this.#current(), line);
    } catch {
      // The next line may find room again.
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #current(): number {
    const named = statSync(this.#path, { throwIfNoEntry: false });
    if (named && named.size > ROTATE_AT) this.#putAside();
    else if (this.#file !== null && named && isSame(named, this.#opened)) return this.#file;
    return this.#open();
  }

  #open(): number {
    this.close();
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(this.#path), 0o700);
    this.#file = openSync(this.#path, "a", 0o600);
    // By its handle: another process may be putting the name aside just now.
    fchmodSync(this.#file, 0o600);
    this.#opened = fstatSync(this.#file);
    return this.#file;
  }

  #putAside(): void {
    const lock = `${this.#path}.lock`;
    if (!takeLock(lock)) return;
    try {
      // Another process may have done it since: what it began anew is not put aside after a line.
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

/** False while another process has it: then the file just grows by a few lines more. */
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
