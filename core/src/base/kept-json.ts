import { readFileSync, renameSync } from "node:fs";
import { replaceFile } from "./replace-file.ts";

export interface KeptJsonOptions<T> {
  /** The value before the first write, and when the file cannot be parsed. */
  readonly empty: T;
  /** Validates the file's content, and migrates an earlier format. Throws for invalid content. */
  readonly parse?: (json: unknown) => T;
  /** Whether `write` fsyncs, so that a power cut loses nothing. */
  readonly isDurable?: boolean;
  /** Called with the reason when the file is there and cannot be parsed. */
  readonly onUnreadable?: (reason: unknown) => void;
}

/**
 * A JSON file with mode 0600 that is replaced atomically: a reader finds the old content or the new one, never a part,
 * even after a crash, while another process writes, or when the disk is full.
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

  /** Returns the file's content. A file that cannot be parsed is renamed to `….unreadable`, for a person to look at. */
  read(): T {
    const { empty, parse = (json) => json as T } = this.#options;
    const text = readIfThere(this.#path);
    if (text === null) return empty;
    try {
      return parse(JSON.parse(text));
    } catch (error) {
      putAside(this.#path);
      this.#options.onUnreadable?.(error);
      return empty;
    }
  }

  /** Replaces the file's content. Throws when that fails, and then the old content stays. */
  write(value: T): void {
    replaceFile(this.#path, JSON.stringify(value), { isDurable: this.#options.isDurable });
  }
}

function putAside(path: string): void {
  try {
    renameSync(path, `${path}.unreadable`);
  } catch {
    // Another process was quicker, or the folder is read-only: either way the file counts as missing.
  }
}

/** The text of a file; null when the file does not exist. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
