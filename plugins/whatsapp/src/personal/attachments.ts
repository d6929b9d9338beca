import { type Attachment, type Download, readResponseBody } from "@hermes/core";
import type { proto } from "@whiskeysockets/baileys";
import { rejected } from "../errors.ts";
import { decryptFile, type MediaKind } from "./media-crypto.ts";

/** A file of a message, as the message describes it. */
interface WireFile {
  readonly url?: string | null;
  readonly directPath?: string | null;
  readonly mediaKey?: Uint8Array | null;
  readonly fileSha256?: Uint8Array | null;
}

/** Makes the download of a file. */
export type DownloadOf = (file: WireFile, kind: MediaKind) => Download;

/** The most bytes that encryption adds to a file: padding and a MAC. */
const LARGEST_OVERHEAD = 32;

export function attachmentsOf(content: proto.IMessage, downloadOf: DownloadOf): Attachment[] {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage } = content;
  const voice = audioMessage?.ptt ? "voice.ogg" : "audio.ogg";
  const found: readonly [MediaKind, string, Parameters<typeof toAttachment>[2] | null | undefined][] = [
    ["image", "photo.jpg", imageMessage],
    ["video", "video.mp4", videoMessage ?? ptvMessage],
    ["audio", voice, audioMessage],
    ["document", documentMessage?.fileName || "file", documentMessage],
  ];
  return found.flatMap(([kind, name, file]) => (file ? [toAttachment(kind, name, file, downloadOf)] : []));
}

function toAttachment(
  kind: MediaKind,
  name: string,
  file: WireFile & { readonly mimetype?: string | null; readonly fileLength?: unknown },
  downloadOf: DownloadOf,
): Attachment {
  const mediaType = file.mimetype?.split(";")[0]?.trim() || "application/octet-stream";
  return { name, mediaType, size: Number(file.fileLength ?? 0), download: downloadOf(file, kind) };
}

/** Downloads and decrypts files, only from WhatsApp's media servers or the emulator's. */
export function downloadsFrom(socketUrl: string): DownloadOf {
  const server = new URL(socketUrl);
  const isOwn = (url: URL) =>
    server.protocol === "wss:"
      ? url.protocol === "https:" && /(?:^|\.)whatsapp\.net$/.test(url.hostname)
      : url.host === server.host;
  return ({ url, directPath, mediaKey, fileSha256 }, kind) =>
    async ({ signal, most }) => {
      const at = new URL(url || new URL(directPath ?? "", "https://mmg.whatsapp.net"));
      if (!isOwn(at) || !mediaKey) throw rejected("a file lies outside of WhatsApp's servers", "Send the file again.");
      const response = await fetch(at, { redirect: "manual", signal });
      if (!response.ok) return response;
      const body = await readResponseBody(response, most + LARGEST_OVERHEAD);
      return body && (await decryptFile(body, { mediaKey, fileSha256 }, kind));
    };
}
