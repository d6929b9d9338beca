import { createHash } from "node:crypto";
import { fstatSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";

/** Some lines of a file. */
export interface LinesRead {
  readonly lines: readonly string[];
  /** How many lines the file has; null where it was not read to its end. */
  readonly total: number | null;
  /** The digest of the whole file; null where it was not read to its end. */
  readonly digest: string | null;
  readonly isBinary: boolean;
}

const CHUNK = 64 * 1024;
/** Behind this, in bytes, a file is read no further than its asked lines. */
const COUNTED = 64 * 1024 * 1024;
const LONGEST_LINE = 2000;

/** The digest by which a change of a file is noticed. */
export function digestOfBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}

/** Reads `limit` lines from the line `first` on, which counts from 1. Long lines are cut, with how much was cut. */
export async function readLines(
  handle: number,
  { first, limit, signal }: { readonly first: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<LinesRead> {
  const hash = createHash("sha256");
  const decoder = new TextDecoder("utf-8");
  const window = new LineWindow(first, limit);
  const buffer = Buffer.alloc(CHUNK);
  const { size } = fstatSync(handle);
  for (let at = 0, chunks = 0; ; chunks++) {
    const length = readSync(handle, buffer, 0, CHUNK, at);
    const bytes = buffer.subarray(0, length);
    if (chunks === 0 && bytes.includes(0)) return { lines: [], total: null, digest: null, isBinary: true };
    hash.update(bytes);
    window.add(decoder.decode(bytes, { stream: length > 0 }));
    if (length === 0) break;
    at += length;
    if (window.isFull && size > COUNTED) return { lines: window.lines, total: null, digest: null, isBinary: false };
    if (chunks % 32 === 31) await setImmediate();
    signal.throwIfAborted();
  }
  window.end();
  return { lines: window.lines, total: window.total, digest: hash.digest("base64url"), isBinary: false };
}

/** Keeps the lines that are asked for, and counts the others. */
class LineWindow {
  readonly lines: string[] = [];
  readonly #first: number;
  readonly #limit: number;
  #line = "";
  #length = 0;
  total = 0;

  constructor(first: number, limit: number) {
    this.#first = first;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.lines.length >= this.#limit;
  }

  add(text: string): void {
    const parts = text.split("\n");
    for (const [at, part] of parts.entries()) {
      if (at > 0) this.#endLine();
      this.#length += part.length;
      if (this.#line.length < LONGEST_LINE) this.#line += part.slice(0, LONGEST_LINE - this.#line.length);
    }
  }

  end(): void {
    if (this.#length > 0) this.#endLine();
  }

  #endLine(): void {
    this.total++;
    if (this.total >= this.#first && !this.isFull) {
      const cut = this.#length - this.#line.length;
      this.lines.push(cut > 0 ? `${this.#line}… [${cut} characters cut]` : this.#line.replace(/\r$/, ""));
    }
    this.#line = "";
    this.#length = 0;
  }
}
