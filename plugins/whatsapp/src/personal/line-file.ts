import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeFileSync } from "node:fs";
import { readOwnFile, writeOwnFile } from "../own-file.ts";

/**
 * A file of JSON lines that only its owner reads. A line is on the disk when `append` returns; one that a crash cut off
 * is not read.
 */
export class LineFile {
  readonly #path: string;
  #file: number | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  read(): unknown[] {
    return (readOwnFile(this.#path) ?? "").split("\n").flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
  }

  /** Throws when the line could not be written; nothing of it is in the file then. */
  append(line: string): void {
    this.#file ??= openSync(this.#path, "a", 0o600);
    const { size } = fstatSync(this.#file);
    try {
      writeFileSync(this.#file, `${line}\n`);
      fsyncSync(this.#file);
    } catch (error) {
      try {
        // The next line would stand behind the part of this one, and neither could be read.
        ftruncateSync(this.#file, size);
      } finally {
        this.close();
      }
      throw error;
    }
  }

  /** Writes the file anew, as a whole. */
  replace(lines: readonly string[]): void {
    this.close();
    writeOwnFile(this.#path, lines.map((line) => `${line}\n`).join(""));
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}
