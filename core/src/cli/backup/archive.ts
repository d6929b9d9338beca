import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { create, extract, list } from "tar";
import { fileError, HermesError, reasonOf } from "../../base/errors.ts";
import { MANIFEST, MANIFEST_LIMIT, type Manifest, parseManifest, unfit } from "./manifest.ts";

/** Writes `folder`'s manifest and the files that it names into one archive that only its owner reads. */
export async function writeArchive(file: string, folder: string, { files }: Manifest): Promise<void> {
  const paths = [MANIFEST, ...files.map(({ path }) => path)];
  // `./`: a name that begins with an @ would stand for another archive.
  await create(
    { file, cwd: folder, gzip: true, portable: true, strict: true, mode: 0o600 },
    paths.map((path) => `./${path}`),
  );
  const written = openSync(file, "r+");
  fsyncSync(written);
  closeSync(written);
}

/**
 * What a backup holds, as it says itself. Every entry was looked at: it is a plain file, named once, of the size that is
 * said. Nothing was unpacked. Throws BACKUP_UNFIT.
 */
export function readArchive(file: string): Manifest {
  return unpackably(file, () => {
    const manifest = manifestIn(file);
    const expected = new Map(manifest.files.map(({ path, size }) => [path, size]));
    expected.set(MANIFEST, -1);
    list({
      ...{ file, sync: true, strict: true },
      onReadEntry({ path, type, size }) {
        const name = path.replace(/^\.\//, "");
        const wanted = expected.get(name);
        if (type !== "File") throw unfit(file, `${name} in it is no plain file`);
        if (wanted === undefined) throw unfit(file, `${name} does not belong into it, or is there twice`);
        if (wanted >= 0 && wanted !== size)
          throw unfit(file, `${name} in it has a different size than its manifest says`);
        expected.delete(name);
      },
    });
    const [missing] = expected.keys();
    if (missing !== undefined) throw unfit(file, `${missing} is missing in it`);
    return manifest;
  });
}

/** Unpacks an archive that {@link readArchive} has looked at, and compares each file with what is said of it. */
export function unpackArchive(file: string, folder: string, { files }: Manifest): void {
  unpackably(file, () => {
    const known = new Set(files.map(({ path }) => path));
    extract({
      ...{ file, cwd: folder, sync: true, strict: true, preserveOwner: false, noMtime: true, keep: true },
      ...{ fmode: 0o600, dmode: 0o700, umask: 0o077 },
      filter: (path, entry) => "type" in entry && entry.type === "File" && known.has(path.replace(/^\.\//, "")),
    });
    for (const { path, size, sha256 } of files) {
      const unpacked = join(folder, path);
      if (statSync(unpacked).size !== size || sha256Of(unpacked) !== sha256)
        throw unfit(file, `${path} in it is damaged`);
    }
  });
}

export function sha256Of(file: string): string {
  const hash = createHash("sha256");
  const descriptor = openSync(file, "r");
  const chunk = Buffer.alloc(1024 ** 2);
  try {
    for (;;) {
      const length = readSync(descriptor, chunk);
      if (length === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
}

function manifestIn(file: string): Manifest {
  const parts: Buffer[] = [];
  let isFirst = true;
  list({
    ...{ file, sync: true, strict: true },
    onReadEntry(entry) {
      if (isFirst && (entry.path.replace(/^\.\//, "") !== MANIFEST || entry.size > MANIFEST_LIMIT)) {
        throw unfit(file, "it is not a Hermes backup");
      }
      if (isFirst) entry.on("data", (part: Buffer) => parts.push(part));
      isFirst = false;
    },
  });
  return parseManifest(Buffer.concat(parts).toString("utf8"), file);
}

function unpackably<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof HermesError) throw error;
    throw (
      fileError(error, undefined, file) ??
      new HermesError("BACKUP_UNFIT", { file, reason: reasonOf(error) }, { cause: error })
    );
  }
}
