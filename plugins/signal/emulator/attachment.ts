import type { EmulatedFile } from "@hermes/emulator";
import { userError } from "./refusal.ts";

const SHOWN = /^image\/(?:png|jpeg|gif|webp)$/;

/**
 * The file of an attachment, which is a data URI ("DataURI"): its parameters are URL-encoded, its data is base64. What is
 * none the daemon takes for a path, and finds no file there.
 */
export function attachmentIn(uri: string): EmulatedFile {
  const [head = "", data = ""] = splitAt(uri, ";base64,");
  const [, mediaType, encoded] = /^data:([^;,]+\/[^;,]+);filename=([^;,=]+)$/.exec(head) ?? [];
  const name = encoded === undefined ? null : urlDecoded(encoded);
  const content = Buffer.from(data, "base64");
  // Java's decoder takes no other alphabet, and no sign that is missing or too many.
  if (mediaType === undefined || name === null || data === "" || content.toString("base64") !== data) {
    throw userError(`Failed to add attachment: ${uri.slice(0, 80)}: No such file (AttachmentInvalidException)`);
  }
  return { name, mediaType, content, isPicture: SHOWN.test(mediaType) };
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** As java.net.URLDecoder does: a plus is a space. */
function urlDecoded(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    return null;
  }
}
