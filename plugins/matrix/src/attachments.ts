import { type Attachment, decodeText, isTextFile } from "@hermes/core";
import { type Content, numberOf, objectOf, stringOf } from "./wire.ts";

const FILE_TYPES = new Set(["m.file", "m.image", "m.audio", "m.video"]);

/** Where a file is, and how it is encrypted; in an encrypted room the server has it encrypted. */
interface FileSource {
  readonly url: string;
  /** "EncryptedFile", as it stands in the event. */
  readonly encrypted: Content | null;
}

/** Gets a file; null when it cannot be had, or is larger than a text may be, whatever its event says. */
export type Download = (source: FileSource) => Promise<Uint8Array | null>;

export function isFile(content: Content): boolean {
  return FILE_TYPES.has(String(content.msgtype));
}

/** What is said with a file: since v1.10 `body` is the caption where it differs from the file's name. */
export function captionOf(content: Content): string {
  const name = stringOf(content.filename);
  const body = stringOf(content.body) ?? "";
  return name === undefined || name === body ? "" : body;
}

/** The file of a message: the text of a text file, and of another what it is called. Null downloads nothing. */
export async function attachmentsOf(content: Content, download: Download | null): Promise<Attachment[]> {
  if (!isFile(content)) return [];
  const info = objectOf(content.info);
  const name = stringOf(content.filename) ?? stringOf(content.body) ?? "file";
  const mediaType = stringOf(info.mimetype) ?? "application/octet-stream";
  const named: Attachment = { name, mediaType, size: numberOf(info.size) ?? 0 };
  const source = sourceOf(content);
  if (download === null || source === null || !isTextFile(named)) return [named];
  const bytes = await download(source);
  const text = bytes === null ? null : decodeText(bytes);
  return [text === null ? named : { ...named, text }];
}

function sourceOf(content: Content): FileSource | null {
  const encrypted = objectOf(content.file);
  const url = stringOf(encrypted.url) ?? stringOf(content.url);
  return url === undefined ? null : { url, encrypted: stringOf(encrypted.url) === undefined ? null : encrypted };
}
