import { type Attachment, type Download, readResponseBody } from "@hermes/core";
import { EncryptedAttachment, Attachment as EncryptedFile } from "@matrix-org/matrix-sdk-crypto-wasm";
import type { MatrixApi } from "./api.ts";
import { type Content, numberOf, objectOf, stringOf } from "./wire.ts";

const FILE_TYPES = new Set(["m.file", "m.image", "m.audio", "m.video"]);

export function isFile(content: Content): boolean {
  return FILE_TYPES.has(String(content.msgtype));
}

/** What is said with a file: since v1.10 `body` is the caption where it differs from the file's name. */
export function captionOf(content: Content): string {
  const name = stringOf(content.filename);
  const body = stringOf(content.body) ?? "";
  return name === undefined || name === body ? "" : body;
}

/** The file of a message. */
export function attachmentsOf(content: Content, { api }: { readonly api: MatrixApi }): Attachment[] {
  if (!isFile(content)) return [];
  const info = objectOf(content.info);
  const name = stringOf(content.filename) ?? stringOf(content.body) ?? "file";
  const mediaType = stringOf(info.mimetype) ?? "application/octet-stream";
  const named = { name, mediaType, size: numberOf(info.size) ?? 0 };
  return [{ ...named, download: (request) => download(content, api, request) }];
}

/** Gets a file, and decrypts it where the room is encrypted ("EncryptedFile"). */
async function download(
  content: Content,
  api: MatrixApi,
  { signal, most }: Parameters<Download>[0],
): Promise<Response | Uint8Array | null> {
  const { url: encryptedUrl, ...encryption } = objectOf(content.file);
  const url = stringOf(encryptedUrl) ?? stringOf(content.url);
  if (url === undefined) throw new Error("its message does not say where it lies");
  const response = await api.download(url, signal);
  if (stringOf(encryptedUrl) === undefined || !response.ok) return response;
  const bytes = await readResponseBody(response, most);
  return bytes && EncryptedFile.decrypt(new EncryptedAttachment(bytes, JSON.stringify(encryption)));
}

/** Stores a file for a room ("Sending encrypted attachments"). Returns what the event says of it. */
export async function storeFile(
  api: MatrixApi,
  file: { readonly content: Uint8Array; readonly mediaType: string; readonly name: string },
  isEncrypted: boolean,
): Promise<Content> {
  if (!isEncrypted) return { url: await api.upload(file.content, file.mediaType, file.name) };
  const encrypted = EncryptedFile.encrypt(file.content);
  const data = encrypted.encryptedData;
  const info = JSON.parse(encrypted.mediaEncryptionInfo ?? "{}") as Content;
  // Neither its name nor its kind is for the server.
  const url = await api.upload(data, "application/octet-stream", undefined);
  return { file: { ...info, url } };
}
