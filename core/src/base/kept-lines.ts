import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync, writeFileSync } from "node:fs";
import { readIfThere } from "./kept-json.ts";
import { replaceFile } from "./replace-file.ts";

export interface KeptLinesParts<Line> {
  readonly path: string;
  /** Resets the state; all lines are applied again after it. */
  readonly clear: () => void;
  /** Applies a line of the file to the state; another process may have written it. */
  readonly apply: (line: Line) => void;
  /** The lines of a compacted file: those that rebuild the current state. */
  readonly lines: () => Iterable<Line>;
  /** The number of appended lines after which the file is compacted. */
  readonly mostNewLines: number;
  /** Whether `append` fsyncs where it is not told otherwise, so that a power cut loses no line. */
  readonly isDurable?: boolean;
}

/**
 * A journal: a file of JSON lines with mode 0600, whose lines are applied in order to rebuild a state. Once `append` has
 * returned, the line survives a crash of this process; a line that a crash cut off is skipped. Two processes may write to
 * one journal without losing lines, for example when one was suspended and does not know yet that another took over its
 * account.
 *
 * @example
 * ```ts
 * const made = new Map<string, string>();
 * const journal = new KeptLines<{ key: string; id: string }>({
 *   path: join(folder, "made.jsonl"),
 *   clear: () => made.clear(),
 *   apply: ({ key, id }) => made.set(key, id),
 *   lines: () => [...made].map(([key, id]) => ({ key, id })),
 *   mostNewLines: 1_000,
 * });
 * journal.append({ key, id });
 * ```
 */
export class KeptLines<Line> {
  readonly #parts: KeptLinesParts<Line>;
  #file: number | null = null;
  /** The file's length in bytes after this process last read or wrote it. */
  #size = 0;
  #newLines = 0;

  /** Reads the file if it exists, and compacts it. */
  constructor(parts: KeptLinesParts<Line>) {
    this.#parts = parts;
    if (this.#read()) this.#compact();
  }

  /** Writes a line and applies it. Throws when it could not be written; then the file has no part of it. */
  append(line: Line, isDurable = this.#parts.isDurable): void {
    const isOthersToo = this.#write(`${JSON.stringify(line)}\n`, isDurable);
    if (isOthersToo) this.#read();
    else this.#parts.apply(line);
    if (++this.#newLines > this.#parts.mostNewLines) this.#compact();
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Rebuilds the state from the file; false when there is no file. */
  #read(): boolean {
    const { path, clear, apply } = this.#parts;
    const text = readIfThere(path);
    if (text === null) return false;
    this.#size = Buffer.byteLength(text);
    clear();
    for (const line of text.split("\n")) {
      const parsed = parse<Line>(line);
      if (parsed !== null) apply(parsed);
    }
    return true;
  }

  /** Appends to the file; true when another process has written since this one last read or wrote. */
  #write(text: string, isDurable: boolean | undefined): boolean {
    const file = this.#open();
    const { size } = fstatSync(file);
    try {
      writeFileSync(file, text);
      if (isDurable) fsyncSync(file);
    } catch (error) {
      try {
        // The next line would follow the part of this one, and neither could be parsed.
        ftruncateSync(file, size);
      } finally {
        this.close();
      }
      throw error;
    }
    const isChanged = size !== this.#size;
    this.#size = size + Buffer.byteLength(text);
    return isChanged;
  }

  /** Opens the file again if another process has replaced it. */
  #open(): number {
    const { path } = this.#parts;
    if (this.#file !== null) {
      const there = statSync(path, { throwIfNoEntry: false });
      if (there?.ino !== fstatSync(this.#file).ino) this.close();
    }
    this.#file ??= openSync(path, "a", 0o600);
    return this.#file;
  }

  #compact(): void {
    const { path, lines, isDurable } = this.#parts;
    this.close();
    const text = Array.from(lines(), (line) => `${JSON.stringify(line)}\n`).join("");
    replaceFile(path, text, { isDurable });
    this.#size = Buffer.byteLength(text);
    this.#newLines = 0;
  }
}

/** Parses a line; null for one that a crash cut off, and for the empty one at the end. */
function parse<Line>(line: string): Line | null {
  try {
    return line === "" ? null : (JSON.parse(line) as Line);
  } catch {
    return null;
  }
}
