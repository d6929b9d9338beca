import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** How much is read at once, in bytes. */
const CHUNK = 64 * 1024;

/**
 * The lines of a log as they are written: those that stand in it and in the one that was put aside, then what comes. Also
 * across the moment at which some process puts the log aside, and when somebody empties it.
 */
export class LogTail implements Disposable {
  readonly #path: string;
  #file: OpenFile | null = null;
  /** The name went to another file: this one is read once more, for a line that was being written. */
  #isPutAside = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** What stands there by now, the oldest line first. The next {@link read} returns what came behind it. */
  begin(): string[] {
    this.#file = OpenFile.open(this.#path);
    // It may be put aside between the two.
    const aside = OpenFile.open(`${this.#path}.1`);
    const earlier = aside && aside.inode !== this.#file?.inode ? aside.lines() : [];
    aside?.close();
    return [...earlier, ...(this.#file?.lines() ?? [])];
  }

  /** The lines since the last call, as far as they are whole. */
  read(): string[] {
    const lines = this.#file?.lines() ?? [];
    const named = statSync(this.#path, { throwIfNoEntry: false });
    if (named === undefined || named.ino === this.#file?.inode) return lines;
    if (this.#file !== null && !this.#isPutAside) {
      this.#isPutAside = true;
      return lines;
    }
    this.#isPutAside = false;
    // Put aside twice since the last look: the one in between is read whole.
    const aside = this.#file === null ? null : OpenFile.open(`${this.#path}.1`);
    if (aside && aside.inode !== this.#file?.inode && aside.inode !== named.ino) lines.push(...aside.lines());
    aside?.close();
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
  /** The beginning of a line whose end is still to come. */
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
