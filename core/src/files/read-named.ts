import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { basename } from "node:path";
import { reasonOf } from "../base/errors.ts";
import { type FileRef, LARGEST_FILE } from "../base/file-ref.ts";
import type { Files } from "./files.ts";
import { sniffMediaType } from "./media-type.ts";

/** What came of a file that a person named. */
export type NamedFile =
  | { readonly state: "kept"; readonly file: FileRef }
  /** It is none, or no picture and no PDF: the line is a text like any other. */
  | { readonly state: "other" }
  /** Why it is not taken along, in words that follow its name. */
  | { readonly state: "refused"; readonly why: string };

/** Reads a picture or PDF of this machine, and keeps it. Opens nothing that is no plain file. */
export async function readNamedFile(path: string, files: Files): Promise<NamedFile> {
  try {
    // Without waiting for whoever writes into a pipe.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return { state: "other" };
      const head = Buffer.alloc(Math.min(stats.size, 1024));
      await handle.read(head, 0, head.length, 0);
      const mediaType = sniffMediaType(head);
      if (mediaType === null) return { state: "other" };
      const megabytes = LARGEST_FILE / 1024 ** 2;
      if (stats.size > LARGEST_FILE) return { state: "refused", why: `it is larger than ${megabytes} MB` };
      const content = await handle.readFile();
      return { state: "kept", file: await files.keep(content, { name: basename(path), mediaType }) };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG") return { state: "other" };
    return { state: "refused", why: reasonOf(error) };
  }
}
