import { type Attachment, type Logger, readAttachment } from "@hermes/core";
import type { APIAttachment } from "discord.js";

/** The files of a message: text files with what is in them, the others by name. */
export function readAttachments(files: readonly APIAttachment[], logger: Logger): Promise<Attachment[]> {
  return Promise.all(files.map((file) => readAttachment(named(file), logger, (signal) => fetch(file.url, { signal }))));
}

/** A file by its name alone. */
export function named({
  filename,
  size,
  content_type: mediaType = "application/octet-stream",
}: APIAttachment): Attachment {
  return { name: filename, mediaType, size };
}
