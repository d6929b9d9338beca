import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import { fileError, HermesError, reasonOf } from "../base/errors.ts";
import { type FileRef, isFileHash, LARGEST_FILE } from "../base/file-ref.ts";
import { safeFileName } from "./file-name.ts";
import type { Files } from "./files.ts";
import { sniffMediaType } from "./media-type.ts";

/** Bytes that are hashed or written before others get their turn. */
const STEP = 1024 * 1024;

const PLAIN_TYPE = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}$/;

/** The folder of kept files in a home. */
export function filesFolder(home: string): string {
  return join(home, "files");
}

/** Keeps files in Hermes' home, each as `<home>/files/<sha-256>` that only its owner reads. */
export class FileStore implements Files {
  readonly #folder: string;
  readonly #clock: Pick<Clock, "now">;

  constructor(home: string, clock: Pick<Clock, "now">) {
    this.#folder = filesFolder(home);
    this.#clock = clock;
  }

  async keep(content: Uint8Array, called: Pick<FileRef, "name" | "mediaType">): Promise<FileRef> {
    const name = safeFileName(called.name);
    if (content.length > LARGEST_FILE)
      throw new HermesError("FILE_TOO_LARGE", { name, limit: LARGEST_FILE / 1024 ** 2 });
    const hash = await hashOf(content);
    const [type = ""] = called.mediaType.toLowerCase().split(";", 1);
    const given = PLAIN_TYPE.test(type.trim()) ? type.trim() : "application/octet-stream";
    const file: FileRef = { hash, name, mediaType: sniffMediaType(content) ?? given, size: content.length };
    const path = join(this.#folder, hash);
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      // What was damaged, or cut short, comes whole again.
      if ((await this.read(file)) === null) await writeBeside(path, content);
      // From now on it counts as new: it is kept until a row names it, although a prune may look at it meanwhile.
      const now = this.#clock.now() / 1_000;
      await utimes(path, now, now);
    } catch (error) {
      throw (
        fileError(error, undefined, path) ??
        new HermesError("FILE_FAILED", { file: path, reason: reasonOf(error) }, { cause: error })
      );
    }
    return file;
  }

  async read(file: Pick<FileRef, "hash" | "size">): Promise<Buffer | null> {
    if (!isFileHash(file.hash)) return null;
    let handle: FileHandle | null = null;
    try {
      handle = await open(join(this.#folder, file.hash), "r");
      const { size } = await handle.stat();
      if (size !== file.size || size > LARGEST_FILE) return null;
      const content = Buffer.alloc(size);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await handle.read(content, at, Math.min(STEP, size - at), at);
        if (bytesRead === 0) return null;
        at += bytesRead;
      }
      return (await hashOf(content)) === file.hash ? content : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw fileError(error, undefined, this.#folder) ?? error;
    } finally {
      await handle?.close();
    }
  }
}

/** Writes beside and renames, so that no reader finds a part. What a killed process leaves is removed by the next prune. */
async function writeBeside(path: string, content: Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.new`;
  try {
    const handle = await open(draft, "wx", 0o600);
    try {
      for (let at = 0; at < content.length; at += STEP) await handle.writeFile(content.subarray(at, at + STEP));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function hashOf(content: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let at = 0; at < content.length; at += STEP) {
    hash.update(content.subarray(at, at + STEP));
    if (content.length > STEP) await new Promise(setImmediate);
  }
  return hash.digest("hex");
}
