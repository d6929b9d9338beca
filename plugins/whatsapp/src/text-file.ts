import type { Attachment } from "@hermes/core";

/** Text files up to this size are given to the model as text, in bytes. */
export const LARGEST_TEXT = 256 * 1024;

const TEXT_TYPE = /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|sql|csv|x-sh|x-python|x-yaml)\b/i;
const TEXT_NAME =
  /\.(?:txt|md|log|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|css|m?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|hpp|cs|php|sh|sql|diff|patch)$/i;

/** Whether a file is to be downloaded for its text. A size of 0 is one that WhatsApp does not tell. */
export function isTextFile({ name, mediaType, size }: Attachment): boolean {
  return size <= LARGEST_TEXT && (TEXT_TYPE.test(mediaType) || TEXT_NAME.test(name));
}

/** The file with its text, where `content` is text. */
export function withText(file: Attachment, content: Uint8Array): Attachment {
  const named = { ...file, size: content.length };
  if (content.length > LARGEST_TEXT) return named;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return text.includes("\0") ? named : { ...named, text };
  } catch {
    return named;
  }
}

/** The body of a response; null when it is larger than this many bytes, whatever the response says of its length. */
export async function readBody({ body }: Response, largest: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > largest) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
