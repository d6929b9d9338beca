import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, statSync, writeFileSync } from "node:fs";
import { readIfThere } from "./kept-json.ts";
import { replaceFile } from "./replace-file.ts";

export interface KeptLinesParts<Line> {
  readonly path: string;
  /** Forgets what the lines made: all of them follow. */
  readonly clear: () => void;
  /** A line that stands in the file, also one of another process. */
  readonly apply: (line: Line) => void;
  /** The lines that make the same of an empty file. */
  readonly lines: () => Iterable<Line>;
  /** The file is written anew when so many lines were added to it. */
  readonly mostNewLines: number;
  /** Whether the disk has a line when `append` returns, so that a power cut takes none. */
  readonly isDurable?: boolean;
}

/**
 * A journal: a file of JSON lines that only its owner reads (mode 0600), and what they make when one is applied after
 * the other. A line survives the end of this process at any moment once `append` has returned; one that a crash cut off
 * is not read. Another process may write to it, too, as one that was stopped for a while and does not know yet that its
 * account was taken over: the lines of neither are lost.
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
  /** How long the file was after this process had last read or written it, in bytes. */
  #size = 0;
  #newLines = 0;

  /** Reads what is there, and writes it anew without what is not worth keeping. */
  constructor(parts: KeptLinesParts<Line>) {
    this.#parts = parts;
    if (this.#read()) this.#compact();
  }

  /** Throws when the line could not be written; nothing of it is in the file then, and it is not applied. */
  append(line: Line): void {
    const isOthersToo = this.#write(`${JSON.stringify(line)}\n`);
    if (isOthersToo) this.#read();
    else this.#parts.apply(line);
    if (++this.#newLines > this.#parts.mostNewLines) this.#compact();
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** False when there is no file. */
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

  /** True when another process has written since this one last did. */
  #write(text: string): boolean {
    const file = this.#open();
    const { size } = fstatSync(file);
    try {
      writeFileSync(file, text);
      if (this.#parts.isDurable) fsyncSync(file);
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
    this.#size = size + Buffer.byteLength(text);
    return isChanged;
  }

  /** The file that stands at the path now: another process may have replaced the one that was open. */
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

/** Null for a line that a crash cut off, and for the end of the file. */
function parse<Line>(line: string): Line | null {
  try {
    return line === "" ? null : (JSON.parse(line) as Line);
  } catch {
    return null;
  }
}
