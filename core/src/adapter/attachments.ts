import { reasonOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Attachment, Piece, TextFile } from "./message.ts";

/** Text files up to this size are given to the model as text, in bytes; larger ones are only named. */
export const LARGEST_TEXT_FILE = 256 * 1024;

const TEXT_TYPE =
  /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|sql|graphql|csv|x-sh|x-python|x-ruby|x-yaml|x-ndjson|x-httpd-php)\b/i;

/** The name counts as well: many platforms have no type for a text file, or take `a.ts` for a video. */
const TEXT_NAME =
  /\.(?:txt|md|markdown|json|jsonl|ya?ml|toml|ini|cfg|conf|env|log|csv|tsv|xml|html?|css|scss|[cm]?[jt]sx?|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|sql|sh|bash|zsh|ps1|vue|svelte|diff|patch|tex|graphql|proto)$/i;

/** Whether a file is worth a download for its text. A `size` of 0 is one that the platform does not tell. */
export function isTextFile({ name, mediaType, size }: Pick<Attachment, "name" | "mediaType" | "size">): boolean {
  return size <= LARGEST_TEXT_FILE && (TEXT_TYPE.test(mediaType) || TEXT_NAME.test(name));
}

/** The text of a file; null for one that only says that it is text, or is larger than it said. */
export function decodeText(content: Uint8Array): string | null {
  if (content.length > LARGEST_TEXT_FILE) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** A file that takes longer than this is only named, in milliseconds: it holds up the messages behind it. */
const PATIENCE_MS = 15_000;

/**
 * A file as it is given to the model: a text file with its text, and any other, or one that cannot be had, by its name
 * alone. `download` is asked for text files only; it returns what it got, or null, and may throw. What it throws is
 * logged: it may not hold a token.
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
    const content = got instanceof Response ? await readBody(got) : got;
    const text = content === null ? null : decodeText(content);
    return text === null ? named : { ...named, text };
  } catch (error) {
    // The message counts for more than its file.
    logger.warn({ name: named.name, reason: reasonOf(error) }, "a file could not be had; it is only named");
    return named;
  }
}

/** The body of a response; null when it is larger than `largest` bytes, whatever the response says of its length. */
export async function readBody({ body }: Response, largest = LARGEST_TEXT_FILE): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > largest) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A piece for each file, for a platform that takes no empty ones: those are named instead. */
export function filePieces(files: readonly TextFile[]): Piece[] {
  return files.map((file) => (file.text === "" ? { text: `${file.name} is empty.` } : { text: "", file }));
}
