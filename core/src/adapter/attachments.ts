import { reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Attachment, Piece, TextFile } from "./message.ts";

/** Bytes. The model gets the text of text files up to this size, and only the name of larger ones. */
export const LARGEST_TEXT_FILE = 256 * 1024;

const TEXT_TYPE =
  /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|sql|graphql|csv|x-sh|x-python|x-ruby|x-yaml|x-ndjson|x-httpd-php)\b/i;

/** Considers the name too: many platforms have no media type for a text file, or take `a.ts` for a video. */
const TEXT_NAME =
  /\.(?:txt|md|markdown|json|jsonl|ya?ml|toml|ini|cfg|conf|env|log|csv|tsv|xml|html?|css|scss|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|sql|sh|bash|zsh|ps1|vue|svelte|diff|patch|tex|graphql|proto)$/i;

/** Tells whether a file should be downloaded for its text. A `size` of 0 means unknown. */
export function isTextFile({ name, mediaType, size }: Pick<Attachment, "name" | "mediaType" | "size">): boolean {
  return size <= LARGEST_TEXT_FILE && (TEXT_TYPE.test(mediaType) || TEXT_NAME.test(name));
}

/** Decodes the text of a file; null if its content is not text or is larger than announced. */
export function decodeText(content: Uint8Array): string | null {
  if (content.length > LARGEST_TEXT_FILE) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** Milliseconds until a download is given up and the file only named: it delays the messages after it. */
const PATIENCE_MS = 15_000;

/**
 * Reads a file for the model: a text file with its text; any other, or one that cannot be downloaded, by its name alone.
 * Calls `download` for text files only; it returns the content or null and may throw. The error is logged, so it must not
 * hold a token.
 *
 * @example
 * ```ts
 * const { name, mediaType, size } = file;
 * await readAttachment({ name, mediaType, size }, logger, (signal) => fetch(file.url, { signal }));
 * ```
 */
export async function readAttachment(
  named: Attachment,
  logger: Logger,
  download: (signal: AbortSignal) => Promise<Response | Uint8Array | null>,
): Promise<Attachment> {
  if (!isTextFile(named)) return named;
  try {
    const got = await download(AbortSignal.timeout(PATIENCE_MS));
    if (got instanceof Response && !got.ok) throw new Error(`its server answered ${got.status}`);
    const content = got instanceof Response ? await readResponseBody(got) : got;
    const text = content === null ? null : decodeText(content);
    return text === null ? named : { ...named, text };
  } catch (error) {
    // The message matters more than its file.
    logger.warn({ name: named.name, reason: reasonOf(error) }, "a file could not be had; it is only named");
    return named;
  }
}

/** Reads the body of a response; null if it is larger than `largest` bytes, whatever its content-length says. */
export async function readResponseBody({ body }: Response, largest = LARGEST_TEXT_FILE): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > largest) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Makes a piece for each file; empty files, for platforms that refuse them, are only named. */
export function filePieces(files: readonly TextFile[]): Piece[] {
  return files.map((file) => (file.text === "" ? { text: `${file.name} is empty.` } : { text: "", file }));
}
