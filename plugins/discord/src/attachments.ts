import { type Attachment, decodeText, isTextFile, type Logger, readBody, reasonOf } from "@hermes/core";
import type { APIAttachment } from "discord.js";

/** How long a file may take, in milliseconds. */
const DOWNLOAD_MS = 15_000;

/** The files of a message: text files with what is in them, the others by name. */
export function readAttachments(files: readonly APIAttachment[], logger: Logger): Promise<Attachment[]> {
  return Promise.all(files.map((file) => readAttachment(file, logger)));
}

/** A file by its name alone. */
export function named({
  filename,
  size,
  content_type: mediaType = "application/octet-stream",
}: APIAttachment): Attachment {
  return { name: filename, mediaType, size };
}

async function readAttachment(file: APIAttachment, logger: Logger): Promise<Attachment> {
  const nameOnly = named(file);
  if (!isTextFile(nameOnly)) return nameOnly;
  try {
    const text = await download(file.url);
    return text === null ? nameOnly : { ...nameOnly, text };
  } catch (error) {
    // The message counts for more than its file.
    logger.warn({ name: nameOnly.name, reason: reasonOf(error) }, "a file could not be read");
    return nameOnly;
  }
}

/** Null for what is no text, or larger than Discord said. */
async function download(url: string): Promise<string | null> {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
  if (!response.ok) throw new Error(`the status ${response.status}`);
  const content = await readBody(response);
  return content && decodeText(content);
}
