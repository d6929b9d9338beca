import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** Bytes to read at once. */
const CHUNK = 64 * 1024;

/**
 * Follows a log like `tail -F`: first the lines of the rotated log and the current one, then new lines. Handles a
 * rotation by another process, and a truncated log.
 */
export class LogTail implements Disposable {
  readonly #path: string;
  #file: OpenFile | null = null;
  /** The log was rotated: the old file is read once more, for a line that was being written. */
  #isRotated = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns all lines so far, oldest first. The next {@link read} returns those after them. */
  begin(): string[] {
    this.#file = OpenFile.open(this.#path);
    // The log may be rotated between the two calls of `open`; then both are the same file.
    const rotated = OpenFile.open(`${this.#path}.1`);
    const earlier = rotated && rotated.inode !== this.#file?.inode ? rotated.lines() : [];
    rotated?.close();
    return [...earlier, ...(this.#file?.lines() ?? [])];
  }

  /** Returns the complete lines since the last call. */
  read(): string[] {
    const lines = this.#file?.lines() ?? [];
    const named = statSync(this.#path, { throwIfNoEntry: false });
    if (named === undefined || named.ino === this.#file?.inode) return lines;
    if (this.#file !== null && !this.#isRotated) {
      this.#isRotated = true;
      return lines;
    }
    this.#isRotated = false;
    // If the log rotated twice since the last call, the file in between is read completely.
    const rotated = this.#file === null ? null : OpenFile.open(`${this.#path}.1`);
    if (rotated && rotated.inode !== this.#file?.inode && rotated.inode !== named.ino) lines.push(...rotated.lines());
    rotated?.close();
    this.#file?.close();
    this.#file = OpenFile.open(this.#path);
    return [...lines, ...(this.#file?.lines() ?? [])];
  }

  [Symbol.dispose](): void {
    this.#file?.close();
    this.#file = null;
  }
}

class OpenFile {
  readonly inode: number;
  readonly #descriptor: number;
  #position = 0;
  /** The beginning of a line that is not complete yet. */
  #rest = Buffer.alloc(0);

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
    this.inode = fstatSync(descriptor).ino;
  }

  static open(path: string): OpenFile | null {
    try {
      return new OpenFile(openSync(path, "r"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  lines(): string[] {
    if (fstatSync(this.#descriptor).size < this.#position) {
      this.#position = 0;
      this.#rest = Buffer.alloc(0);
    }
    const parts = [this.#rest];
    for (;;) {
      const chunk = Buffer.alloc(CHUNK);
      const length = readSync(this.#descriptor, chunk, 0, CHUNK, this.#position);
      if (length === 0) break;
      this.#position += length;
      parts.push(chunk.subarray(0, length));
    }
    const read = Buffer.concat(parts);
    const end = read.lastIndexOf("\n") + 1;
    this.#rest = read.subarray(end);
    return read
      .toString("utf8", 0, end)
      .split("\n")
      .filter((line) => line.trim() !== "");
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
