import { LARGEST_TEXT_FILE, type Logger } from "@hermes/core";
import { Attachment, EncryptedAttachment } from "@matrix-org/matrix-sdk-crypto-wasm";
import type { MatrixApi } from "./api.ts";
import type { Download } from "./attachments.ts";
import { toPlatformError } from "./errors.ts";
import type { Content } from "./wire.ts";

/** A file that takes longer than this is only named, in milliseconds: it holds up the messages behind it. */
const PATIENCE_MS = 15_000;

/** Gets files from the server, and decrypts them where they are encrypted. */
export function createDownload(api: MatrixApi, logger: Logger): Download {
  return async ({ url, encrypted }) => {
    try {
      const content = await api.download(url, LARGEST_TEXT_FILE, AbortSignal.timeout(PATIENCE_MS));
      if (encrypted === null) return content;
      const { url: _, ...info } = encrypted;
      return Attachment.decrypt(new EncryptedAttachment(content, JSON.stringify(info)));
    } catch (error) {
      logger.warn({ reason: toPlatformError(error).message }, "a file could not be had; it is only named");
      return null;
    }
  };
}

/** Stores a file for a room ("Sending encrypted attachments"). Returns what the event says of it. */
export async function storeFile(
  api: MatrixApi,
  file: { readonly content: Uint8Array; readonly mediaType: string; readonly name: string },
  isEncrypted: boolean,
): Promise<Content> {
  if (!isEncrypted) return { url: await api.upload(file.content, file.mediaType, file.name) };
  const encrypted = Attachment.encrypt(file.content);
  const data = encrypted.encryptedData;
  const info = JSON.parse(encrypted.mediaEncryptionInfo ?? "{}") as Content;
  // Neither its name nor its kind is for the server.
  const url = await api.upload(data, "application/octet-stream", undefined);
  return { file: { ...info, url } };
}
