import type { FileRef } from "../base/file-ref.ts";
import { type Token, token } from "../base/tokens.ts";

/** Keeps the files of sessions by their content: the same content is kept once, whoever sends it under whatever name. */
export interface Files {
  /**
   * Keeps a file. Resolves when it would survive the end of this process; only then may a row name it. The name is made
   * safe, and the media type of a picture or PDF comes from its content. Throws FILE_TOO_LARGE, DISK_FULL, FILE_FAILED.
   */
  keep(content: Uint8Array, called: Pick<FileRef, "name" | "mediaType">): Promise<FileRef>;
  /** Reads a file; null if it is gone or damaged. */
  read(file: Pick<FileRef, "hash" | "size">): Promise<Buffer | null>;
}

export const FILES: Token<Files> = token("files");
