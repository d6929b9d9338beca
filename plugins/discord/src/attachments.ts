import { type Attachment, type Logger, reasonOf } from "@hermes/core";
import type { APIAttachment } from "discord.js";

/** A text file is given to the model up to this size, in bytes. */
const TEXT_LIMIT = 256 * 1024;

/** How long a file may take, in milliseconds. */
const DOWNLOAD_MS = 15_000;

/** Types of text that do not begin with `text/`. */
const TEXT_TYPE =
  /^(?:text\/|application\/(?:json|[\w.+-]*\+json|xml|[\w.+-]*\+xml|yaml|x-yaml|toml|javascript|typescript|x-sh|sql|graphql|x-ndjson))/i;

/** Names of text files, for which Discord often has no type. */
const TEXT_NAME =
  /\.(?:txt|md|markdown|json|jsonl|ya?ml|toml|ini|cfg|conf|env|log|csv|tsv|xml|html?|css|scss|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|sql|sh|bash|zsh|ps1|vue|svelte|diff|patch|tex|graphql|proto)$/i;

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
  const { name, mediaType, size } = nameOnly;
  const isText = TEXT_TYPE.test(mediaType) || (TEXT_NAME.test(name) && !/^(?:image|audio|video)\//.test(mediaType));
  if (!isText || size > TEXT_LIMIT) return nameOnly;
  try {
    return { ...nameOnly, text: await download(file.url) };
  } catch (error) {
    // The message counts for more than its file.
    logger.warn({ name, reason: reasonOf(error) }, "a file could not be read");
    return nameOnly;
  }
}

async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_MS) });
  if (!response.ok || response.body === null) throw new Error(`the status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > TEXT_LIMIT) throw new Error(`more than ${TEXT_LIMIT} bytes`);
    chunks.push(chunk);
  }
  // Throws for what only says that it is text.
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}
