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
