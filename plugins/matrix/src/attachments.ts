import type { Attachment } from "@hermes/core";
import { type Content, numberOf, objectOf, stringOf } from "./wire.ts";

/** Text files up to this size are given to the model as text, in bytes. */
export const LARGEST_TEXT = 256 * 1024;

const FILE_TYPES = new Set(["m.file", "m.image", "m.audio", "m.video"]);
const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|sql|csv|x-sh|x-python|x-yaml)\b/i;
const TEXT_NAME =
  /\.(?:txt|md|log|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|css|m?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|hpp|cs|php|sh|sql|diff|patch)$/i;

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
  const isText = TEXT_TYPE.test(mediaType) || TEXT_NAME.test(name);
  if (download === null || source === null || named.size > LARGEST_TEXT || !isText) return [named];
  const bytes = await download(source);
  const text = bytes === null ? null : decode(bytes);
  return [text === null ? named : { ...named, text }];
}

function sourceOf(content: Content): FileSource | null {
  const encrypted = objectOf(content.file);
  const url = stringOf(encrypted.url) ?? stringOf(content.url);
  return url === undefined ? null : { url, encrypted: stringOf(encrypted.url) === undefined ? null : encrypted };
}

/** The text of a file; null when it is none. */
function decode(content: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
