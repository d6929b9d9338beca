import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync, writeFileSync } from "node:fs";
import { readOwnFile, writeOwnFile } from "../own-file.ts";

/**
 * A file of JSON lines that only its owner reads. A line is on the disk when `append` returns; one that a crash cut off
 * is not read. Another process may write to it, too, as one that was stopped for a while and does not know yet that
 * its account was taken over: the lines of neither are lost.
 */
export class LineFile {
  readonly #path: string;
  #file: number | null = null;
  /** How long the file was after this process had last read or written it, in bytes. */
  #size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  read(): unknown[] {
    const text = readOwnFile(this.#path) ?? "";
    this.#size = Buffer.byteLength(text);
    return text.split("\n").flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
  }

  /**
   * Throws when the line could not be written; nothing of it is in the file then. True when another process has written
   * since this one last did: the file is to be read again.
   */
  append(line: string): boolean {
    const file = this.#open();
    const { size } = fstatSync(file);
    try {
      writeFileSync(file, `${line}\n`);
      fsyncSync(file);
    } catch (error) {
      try {
        // The next line would stand behind the part of this one, and neither could be read.
        ftruncateSync(file, size);
      } finally {
        this.close();
      }
      throw error;
    }
    const isChanged = size !== this.#size;
    this.#size = size + Buffer.byteLength(line) + 1;
    return isChanged;
  }

  /** Writes the file anew, as a whole. */
  replace(lines: readonly string[]): void {
    this.close();
    const text = lines.map((line) => `${line}\n`).join("");
    writeOwnFile(this.#path, text);
    this.#size = Buffer.byteLength(text);
  }

  /** The file that stands at the path now: another process may have replaced the one that was open. */
  #open(): number {
    if (this.#file !== null) {
      const there = statSync(this.#path, { throwIfNoEntry: false });
      if (there?.ino !== fstatSync(this.#file).ino) this.close();
    }
    this.#file ??= openSync(this.#path, "a", 0o600);
    return this.#file;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
