import { readFileSync, renameSync } from "node:fs";
import { replaceFile } from "./replace-file.ts";

export interface KeptJsonOptions<T> {
  /** What there is before anything was written, or where what was written cannot be read. */
  readonly empty: T;
  /** Checks what stands in the file, and brings an earlier form of it up to date. Throws for what it cannot be. */
  readonly parse?: (json: unknown) => T;
  /** Whether the disk has it when `write` returns, so that a power cut takes nothing. */
  readonly isDurable?: boolean;
}

/**
 * A JSON file that only its owner reads (mode 0600). Whoever reads it, also after a crash, beside another process that
 * writes or where the disk is full, finds the old content or the new one, and never a part.
 *
 * @example
 * ```ts
 * const ids = new KeptJson<Record<string, string>>(join(folder, "chat-ids.json"), { empty: {} });
 * ids.write({ ...ids.read(), [from]: to });
 * ```
 */
export class KeptJson<T> {
  readonly #path: string;
  readonly #options: KeptJsonOptions<T>;

  constructor(path: string, options: KeptJsonOptions<T>) {
    this.#path = path;
    this.#options = options;
  }

  /** What stands in the file. One that cannot be understood is put aside as `….unreadable`, for a person to look at. */
  read(): T {
    const { empty, parse = (json) => json as T } = this.#options;
    const text = readIfThere(this.#path);
    if (text === null) return empty;
    try {
      return parse(JSON.parse(text));
    } catch {
      putAside(this.#path);
      return empty;
    }
  }

  /** Throws when it could not be written; the old content stands then. */
  write(value: T): void {
    replaceFile(this.#path, JSON.stringify(value), { isDurable: this.#options.isDurable });
  }
}

function putAside(path: string): void {
  try {
    renameSync(path, `${path}.unreadable`);
  } catch {
    // Another process was quicker, or nobody may change anything here: it counts as not there all the same.
  }
}

/** The text of a file; null when there is none. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
