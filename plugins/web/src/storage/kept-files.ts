import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KeyedQueue } from "@hermes/core";

/** Bytes of the largest file that the page keeps, of people as of Hermes. */
export const LARGEST_FILE = 25 * 1024 ** 2;

/** Milliseconds for which a file waits for the message that names it. */
const UNNAMED_MS = 24 * 60 * 60 * 1000;

const ID = /^[0-9a-f]{64}$/;

/**
 * Files in a folder of the plugin (0600): `uploads` that Hermes has not taken in yet, each by an id of its own, and the
 * `files` of messages that the page shows, by their content.
 */
export class KeptFiles {
  readonly #folder: string;
  /** Whoever keeps a file again waits until its removal is over, and the other way round. */
  readonly #queue = new KeyedQueue<string>();

  constructor(folder: string, name: "uploads" | "files") {
    this.#folder = join(folder, name);
  }

  /** Returns the id of the file; without one given, the SHA-256 of its content: 64 hexadecimal digits. */
  async keep(content: Uint8Array, now: number, id = sha256(content)): Promise<string> {
    const path = join(this.#folder, id);
    await this.#queue.run(id, async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      if ((await this.sizeOf(id)) !== content.length) {
        const draft = `${path}.${process.pid}.new`;
        await writeFile(draft, content, { mode: 0o600 });
        await rename(draft, path);
      }
      await utimes(path, now / 1000, now / 1000);
    });
    return id;
  }

  /** Bytes; null if there is no such file. */
  async sizeOf(id: string): Promise<number | null> {
    const found = ID.test(id) ? await stat(join(this.#folder, id)).catch(() => null) : null;
    return found?.isFile() ? found.size : null;
  }

  async read(id: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return ID.test(id) ? readFile(join(this.#folder, id)).catch(() => null) : null;
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(join(this.#folder, id), { force: true });
  }

  /** Removes what was kept a day ago and stands in no message. */
  async prune(now: number, isNamed: (id: string) => boolean): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      await this.#queue.run(name, async () => {
        const path = join(this.#folder, name);
        const found = await stat(path).catch(() => null);
        if (found && found.mtimeMs < now - UNNAMED_MS && !isNamed(name)) await rm(path, { force: true });
      });
    }
  }
}

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
