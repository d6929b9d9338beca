import { type Attachment, isTextFile, LARGEST_TEXT_FILE, type Logger } from "@hermes/core";
import { withText } from "../text-file.ts";
import type { GraphClient } from "./graph-client.ts";
import type { WireMedia, WireMessage } from "./wire.ts";

/** How a file is called that WhatsApp gives no name. */
const NAMES = {
  image: "photo.jpg",
  video: "video.mp4",
  audio: "audio.ogg",
  document: "file",
  sticker: "sticker.webp",
} as const;

/** The files of a message: the text of text files, and of others what they are called. */
export async function attachmentsOf(message: Partial<WireMessage>, media: Media): Promise<Attachment[]> {
  const kinds = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const found = kinds.flatMap((kind) => (message[kind] ? [{ kind, file: message[kind] }] : []));
  return Promise.all(found.map(({ kind, file }) => toAttachment(NAMES[kind], file, media)));
}

async function toAttachment(name: string, file: WireMedia, media: Media): Promise<Attachment> {
  const mediaType = file.mime_type?.split(";")[0]?.trim() || "application/octet-stream";
  const { size, url } = await media.describe(file.id);
  const named: Attachment = { name: file.filename ?? (file.voice ? "voice.ogg" : name), mediaType, size };
  if (url === null || !isTextFile(named)) return named;
  const content = await media.content(url);
  return content === null ? named : withText(named, content);
}

/** Files that people sent: Meta keeps them, and gives an address that is good for some minutes ("Media"). */
export class Media {
  readonly #graph: GraphClient;
  readonly #phoneNumberId: string;
  readonly #logger: Logger;

  constructor(graph: GraphClient, phoneNumberId: string, logger: Logger) {
    this.#graph = graph;
    this.#phoneNumberId = phoneNumberId;
    this.#logger = logger;
  }

  /** Bytes, and where the file lies; it is only named when Meta does not say. */
  async describe(id: string | undefined): Promise<{ readonly size: number; readonly url: string | null }> {
    if (id === undefined) return { size: 0, url: null };
    try {
      const path = `${encodeURIComponent(id)}?phone_number_id=${this.#phoneNumberId}`;
      const { url, file_size: size } = await this.#graph.call<{ url?: string; file_size?: number }>({ path });
      return { size: size ?? 0, url: url ?? null };
    } catch (error) {
      this.#logger.warn({ error }, "a file cannot be had from WhatsApp; it is only named");
      return { size: 0, url: null };
    }
  }

  /** Null when it cannot be had. */
  async content(url: string): Promise<Uint8Array | null> {
    try {
      return await this.#graph.download(url, LARGEST_TEXT_FILE);
    } catch (error) {
      this.#logger.warn({ error }, "a file cannot be had from WhatsApp; it is only named");
      return null;
    }
  }
}
