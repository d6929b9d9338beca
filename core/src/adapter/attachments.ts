import { reasonOf } from "../base/errors.ts";
import { LARGEST_FILE } from "../base/file-ref.ts";
import type { Logger } from "../base/logger.ts";
import type { Attachment, OutboundFile, Piece } from "./message.ts";

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

/** What senders and platforms call pictures and PDFs. What a file is, its content says in the end. */
const MODEL_FILE_TYPE = /^(?:image\/(?:png|x-png|jpe?g|pjpeg|gif|webp)|application\/(?:x-)?pdf)\b/i;
const MODEL_FILE_NAME = /\.(?:png|jpe?g|jfif|gif|webp|pdf)$/i;

/**
 * How many bytes of a file are worth a download, by what is said of it: 0 for what no model takes, and what is too
 * large.
 */
function bytesWanted(file: Pick<Attachment, "name" | "mediaType" | "size">): number {
  if (isTextFile(file)) return LARGEST_TEXT_FILE;
  const isModels = MODEL_FILE_TYPE.test(file.mediaType) || MODEL_FILE_NAME.test(file.name);
  return isModels && file.size <= LARGEST_FILE ? LARGEST_FILE : 0;
}

/** Milliseconds until a download is given up and the file only named: it delays the messages after it. */
const PATIENCE_MS = 15_000;

/** The slowest download of a larger file that is waited for, in bytes a millisecond; of an unknown size, the longest. */
const SLOWEST = 512;

function patienceFor({ size }: Pick<Attachment, "size">, most: number): number {
  return PATIENCE_MS + (most === LARGEST_TEXT_FILE ? 0 : Math.ceil((size || LARGEST_FILE) / SLOWEST));
}

/** A file that somebody sent, read as far as Hermes has use for it. */
export interface ReadAttachment {
  /** With its text, if it is a text file. It holds nothing but data. */
  readonly attachment: Attachment;
  /** The content of what may be a picture or a PDF. */
  readonly content: Uint8Array | null;
}

/**
 * Reads a file that a person sent. One that cannot be had in two attempts is lost; one that is larger than it was said to
 * be is only named.
 */
export async function readAttachment(
  { download, ...attachment }: Attachment,
  logger: Pick<Logger, "warn">,
): Promise<ReadAttachment> {
  const named = { attachment, content: null };
  const most = bytesWanted(attachment);
  if (most === 0 || download === undefined) return named;
  const signal = AbortSignal.timeout(patienceFor(attachment, most));
  const read = async () => {
    const got = await download({ signal, most });
    if (got instanceof Response && !got.ok) throw new Error(`its server answered ${got.status}`);
    return got instanceof Response ? await readResponseBody(got, most) : got;
  };
  try {
    const content = await read().catch((error: unknown) => {
      // A connection that breaks says nothing of the file.
      if (signal.aborted) throw error;
      return read();
    });
    if (content === null || content.length > most) return named;
    const whole = { ...attachment, size: content.length };
    if (most !== LARGEST_TEXT_FILE) return { attachment: whole, content };
    const text = decodeText(content);
    return text === null ? named : { attachment: { ...whole, text }, content: null };
  } catch (error) {
    // The message matters more than its file.
    logger.warn({ name: attachment.name, reason: reasonOf(error) }, "a file could not be had; its sender is told");
    return { attachment: { ...attachment, isLost: true }, content: null };
  }
}

/** Reads the body of a response; null if it is larger than `largest` bytes, whatever its content-length says. */
export async function readResponseBody(
  { body }: Response,
  largest = LARGEST_TEXT_FILE,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > largest) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Makes a file that goes out of a text. */
export function textFile(name: string, mediaType: string, text: string): OutboundFile {
  const wellFormed = text.toWellFormed();
  return { name, mediaType, size: Buffer.byteLength(wellFormed), text: wellFormed };
}

/**
 * Makes a piece for each file, below which its caption stands; empty files, which many platforms refuse, are only
 * named.
 */
export function filePieces(files: readonly OutboundFile[]): Piece[] {
  return files.map((file) =>
    file.size === 0 ? { text: `${file.name} is empty.` } : { text: file.caption ?? "", file },
  );
}
