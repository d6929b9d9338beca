import { type Attachment, isTextFile, LARGEST_TEXT_FILE, type Logger, readBody } from "@hermes/core";
import type { proto } from "@whiskeysockets/baileys";
import { withText } from "../text-file.ts";
import { decryptFile, type MediaKind } from "./media-crypto.ts";

/** A file that somebody sent, as their message describes it. */
interface WireFile {
  readonly url?: string | null;
  readonly directPath?: string | null;
  readonly mediaKey?: Uint8Array | null;
}

/** Gets a file and decrypts it; null when it cannot be had. */
export type Download = (file: WireFile, kind: MediaKind) => Promise<Uint8Array | null>;

/** By how many bytes an encrypted file may be longer than the file: filled up to a block, and a code behind it. */
const LARGEST_OVERHEAD = 32;

/** How long a file may take to come, in milliseconds: it holds up what is written behind it. */
const PATIENCE_MS = 15_000;

/** The files of a message: the text of text files, and of others what they are called. */
export async function attachmentsOf(content: proto.IMessage, download: Download): Promise<Attachment[]> {
  const { imageMessage, videoMessage, ptvMessage, audioMessage, documentMessage, stickerMessage } = content;
  const voice = audioMessage?.ptt ? "voice.ogg" : "audio.ogg";
  const found: readonly [MediaKind, string, Parameters<typeof toAttachment>[2] | null | undefined][] = [
    ["image", "photo.jpg", imageMessage],
    ["video", "video.mp4", videoMessage ?? ptvMessage],
    ["audio", voice, audioMessage],
    ["document", documentMessage?.fileName || "file", documentMessage],
    ["sticker", "sticker.webp", stickerMessage],
  ];
  return Promise.all(found.flatMap(([kind, name, file]) => (file ? [toAttachment(kind, name, file, download)] : [])));
}

async function toAttachment(
  kind: MediaKind,
  name: string,
  file: WireFile & { readonly mimetype?: string | null; readonly fileLength?: unknown },
  download: Download,
): Promise<Attachment> {
  const mediaType = file.mimetype?.split(";")[0]?.trim() || "application/octet-stream";
  const named: Attachment = { name, mediaType, size: Number(file.fileLength ?? 0) };
  if (!isTextFile(named)) return named;
  const content = await download(file, kind);
  return content === null ? named : withText(named, content);
}

/** Where files lie: WhatsApp's servers for them, or the emulator's own. */
export function createDownload(socketUrl: string, logger: Logger): Download {
  const server = new URL(socketUrl);
  const isOwn = (url: URL) =>
    server.protocol === "wss:"
      ? url.protocol === "https:" && /(?:^|\.)whatsapp\.net$/.test(url.hostname)
      : url.host === server.host;
  return async ({ url, directPath, mediaKey }, kind) => {
    try {
      const at = new URL(url || new URL(directPath ?? "", "https://mmg.whatsapp.net"));
      if (!isOwn(at) || !mediaKey) throw new Error("it lies outside of WhatsApp's servers");
      const response = await fetch(at, { redirect: "error", signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!response.ok) throw new Error(`its server answered ${response.status}`);
      const body = await readBody(response, LARGEST_TEXT_FILE + LARGEST_OVERHEAD);
      if (body === null) throw new Error("it is larger than its message says");
      return await decryptFile(body, mediaKey, kind);
    } catch (error) {
      logger.warn({ error }, "a file cannot be had from WhatsApp; it is only named");
      return null;
    }
  };
}
