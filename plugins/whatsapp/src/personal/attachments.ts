import { type Attachment, LARGEST_TEXT_FILE, type Logger, readAttachment, readResponseBody } from "@hermes/core";
import type { proto } from "@whiskeysockets/baileys";
import { decryptFile, type MediaKind } from "./media-crypto.ts";

/** A file of a message, as the message describes it. */
interface WireFile {
  readonly url?: string | null;
  readonly directPath?: string | null;
  readonly mediaKey?: Uint8Array | null;
}

/** Adds the text of a text file, if it can be downloaded. */
export type ReadFile = (named: Attachment, file: WireFile, kind: MediaKind) => Promise<Attachment>;

/** The most bytes that encryption adds to a file: padding and a MAC. */
const LARGEST_OVERHEAD = 32;

/** The files of a message: text files with their text, others by name. */
export async function attachmentsOf(content: proto.IMessage, readFile: ReadFile): Promise<Attachment[]> {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage } = content;
  const voice = audioMessage?.ptt ? "voice.ogg" : "audio.ogg";
  const found: readonly [MediaKind, string, Parameters<typeof toAttachment>[2] | null | undefined][] = [
    ["image", "photo.jpg", imageMessage],
    ["video", "video.mp4", videoMessage ?? ptvMessage],
    ["audio", voice, audioMessage],
    ["document", documentMessage?.fileName || "file", documentMessage],
  ];
  return Promise.all(found.flatMap(([kind, name, file]) => (file ? [toAttachment(kind, name, file, readFile)] : [])));
}

async function toAttachment(
  kind: MediaKind,
  name: string,
  file: WireFile & { readonly mimetype?: string | null; readonly fileLength?: unknown },
  readFile: ReadFile,
): Promise<Attachment> {
  const mediaType = file.mimetype?.split(";")[0]?.trim() || "application/octet-stream";
  const named: Attachment = { name, mediaType, size: Number(file.fileLength ?? 0) };
  return readFile(named, file, kind);
}

/** Downloads and decrypts files, only from WhatsApp's media servers or the emulator's. */
export function fileReader(socketUrl: string, logger: Logger): ReadFile {
  const server = new URL(socketUrl);
  const isOwn = (url: URL) =>
    server.protocol === "wss:"
      ? url.protocol === "https:" && /(?:^|\.)whatsapp\.net$/.test(url.hostname)
      : url.host === server.host;
  return (named, { url, directPath, mediaKey }, kind) =>
    readAttachment(named, logger, async (signal) => {
      const at = new URL(url || new URL(directPath ?? "", "https://mmg.whatsapp.net"));
      if (!isOwn(at) || !mediaKey) throw new Error("it lies outside of WhatsApp's servers");
      const response = await fetch(at, { redirect: "error", signal });
      if (!response.ok) throw new Error(`its server answered ${response.status}`);
      const body = await readResponseBody(response, LARGEST_TEXT_FILE + LARGEST_OVERHEAD);
      return body && (await decryptFile(body, mediaKey, kind));
    });
}
