import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Milliseconds for which a file waits for the message that names it. */
const UNSENT_MS = 24 * 60 * 60 * 1000;

const ID = /^[0-9a-f]{64}$/;

/** Files that were uploaded and that Hermes has not taken in yet, in the plugin's folder (0600), by their content. */
export class Uploads {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, "uploads");
  }

  /** Returns the id of the file: the SHA-256 of its content. */
  async keep(content: Uint8Array, now: number): Promise<string> {
    const id = createHash("sha256").update(content).digest("hex");
    const path = join(this.#folder, id);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    if ((await this.sizeOf(id)) !== content.length) {
      const draft = `${path}.${process.pid}.new`;
      await writeFile(draft, content, { mode: 0o600 });
      await rename(draft, path);
    }
    await utimes(path, now / 1000, now / 1000);
    return id;
  }

  /** Bytes; null if there is no such file. */
  async sizeOf(id: string): Promise<number | null> {
    const found = ID.test(id) ? await stat(join(this.#folder, id)).catch(() => null) : null;
    return found?.isFile() ? found.size : null;
  }

  async read(id: string): Promise<Uint8Array | null> {
    return ID.test(id) ? readFile(join(this.#folder, id)).catch(() => null) : null;
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(join(this.#folder, id), { force: true });
  }

  /** Removes what was uploaded a day ago and stands in no message that waits. */
  async prune(now: number, isWaiting: (id: string) => boolean): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const found = await stat(join(this.#folder, name)).catch(() => null);
      if (found && found.mtimeMs < now - UNSENT_MS && !isWaiting(name))
        await rm(join(this.#folder, name), { force: true });
    }
  }
}
