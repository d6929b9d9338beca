import type { FileRef } from "../base/file-ref.ts";
import type { Files } from "../files/files.ts";

/** A store without any file, for tests. */
export const NO_FILES: Files = {
  keep: () => Promise.reject(new Error("nothing is kept here")),
  read: async () => null,
};

/** A file that {@link filesOf} has, by its name. */
export function fileNamed(name: string, mediaType: string, content: Uint8Array): FileRef {
  return { hash: name, name, mediaType, size: content.length };
}

/** A store that has these files, by their names. */
export function filesOf(contents: Readonly<Record<string, Buffer>>): Files & { readonly read: Files["read"] } {
  return { ...NO_FILES, read: async ({ hash }) => contents[hash] ?? null };
}
