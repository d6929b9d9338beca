/** The kinds of files that models take. */
export type ModelFileType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf";

const TYPES: ReadonlySet<string> = new Set<ModelFileType>([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "application/pdf",
]);

/** How far into a file the header of a PDF may stand, in bytes (ISO 32000-1, annex H.3.4.1). */
const PDF_HEADER_WITHIN = 1024;

/**
 * The media type of a picture or PDF by its first bytes; null for every other file. What a sender or a server calls it
 * does not count.
 */
export function sniffMediaType(content: Uint8Array): ModelFileType | null {
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, PDF_HEADER_WITHIN));
  const ascii = (at: number, text: string) => head.toString("latin1", at, at + text.length) === text;
  if (ascii(0, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg";
  if (ascii(0, "GIF87a") || ascii(0, "GIF89a")) return "image/gif";
  if (ascii(0, "RIFF") && ascii(8, "WEBP")) return "image/webp";
  return head.includes("%PDF-") ? "application/pdf" : null;
}

/** Whether models may take files of a type: pictures and PDFs. */
export function isModelFileType(mediaType: string): mediaType is ModelFileType {
  return TYPES.has(mediaType);
}
