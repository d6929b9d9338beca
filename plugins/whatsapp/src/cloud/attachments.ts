import { type Attachment, type Logger, readAttachment } from "@hermes/core";
import type { GraphClient } from "./graph-client.ts";
import type { WireMedia, WireMessage } from "./wire.ts";

/** What it takes to get a file that somebody sent to the number. */
export interface Media {
  readonly graph: GraphClient;
  readonly phoneNumberId: string;
  readonly logger: Logger;
}

/** Names for the files that WhatsApp gives none. */
const NAMES = {
  image: "photo.jpg",
  video: "video.mp4",
  audio: "audio.ogg",
  document: "file",
  sticker: "sticker.webp",
} as const;

/** The files of a message: text files with their text, others by name. */
export async function attachmentsOf(message: Partial<WireMessage>, media: Media): Promise<Attachment[]> {
  const kinds = Object.keys(NAMES) as (keyof typeof NAMES)[];
  const found = kinds.flatMap((kind) => (message[kind] ? [{ kind, file: message[kind] }] : []));
  return Promise.all(found.map(({ kind, file }) => toAttachment(NAMES[kind], file, media)));
}

async function toAttachment(name: string, file: WireMedia, media: Media): Promise<Attachment> {
  const mediaType = file.mime_type?.split(";")[0]?.trim() || "application/octet-stream";
  const { file_size: size = 0, url } = await describe(file.id, media);
  const named: Attachment = { name: file.filename ?? (file.voice ? "voice.ogg" : name), mediaType, size };
  return readAttachment(named, media.logger, async (signal) =>
    url === undefined ? null : media.graph.download(url, signal),
  );
}

interface MediaDescription {
  /** In bytes. */
  readonly file_size?: number;
  /** Where the file can be downloaded for some minutes ("Media"). */
  readonly url?: string;
}

/** What Meta says about a file; nothing when it cannot be asked. */
async function describe(id: string | undefined, { graph, phoneNumberId, logger }: Media): Promise<MediaDescription> {
  if (id === undefined) return {};
  try {
    return await graph.call({ path: `${encodeURIComponent(id)}?phone_number_id=${phoneNumberId}` });
  } catch (error) {
    logger.warn({ error }, "a file cannot be had from WhatsApp; it is only named");
    return {};
  }
}
