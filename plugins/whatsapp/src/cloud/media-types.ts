import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { type OutboundFile, pictureIn } from "@hermes/core";
import { rejected } from "../errors.ts";

const MB = 1024 ** 2;

/** The largest file that a business number sends, in bytes: a document ("Supported media types"). */
export const LARGEST_DOCUMENT = 100 * MB;
const LARGEST_PICTURE = 5 * MB;
const LARGEST_RECORDING = 16 * MB;

const OFFICE = "application/vnd.openxmlformats-officedocument";

/** Office documents by the ending of their name, which says more than what a system calls them. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  ".doc": "application/msword",
  ".docx": `${OFFICE}.wordprocessingml.document`,
  ".pdf": "application/pdf",
  ".ppt": "application/vnd.ms-powerpoint",
  ".pptx": `${OFFICE}.presentationml.presentation`,
  ".xls": "application/vnd.ms-excel",
  ".xlsx": `${OFFICE}.spreadsheetml.sheet`,
};

const RECORDINGS = new Set([
  ...["audio/aac", "audio/amr", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/opus"],
  ...["video/3gpp", "video/mp4"],
]);

/** What a file is uploaded as, and the kind of message that shows it. */
export interface MediaForm {
  readonly kind: "image" | "document";
  readonly mediaType: string;
}

/**
 * Finds the form in which Meta takes a file: pictures are shown, texts of any kind go out as plain text under their own
 * name. Throws PLATFORM_REJECTED for a file that it takes in none.
 */
export function mediaFormOf({ name, mediaType }: OutboundFile, content: Uint8Array): MediaForm {
  const picture = pictureIn(content)?.mediaType;
  if (picture === "image/jpeg" || picture === "image/png") {
    if (content.length > LARGEST_PICTURE) throw tooLarge("pictures", LARGEST_PICTURE);
    return { kind: "image", mediaType: picture };
  }
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  const document = Object.values(DOCUMENTS).includes(type) ? type : DOCUMENTS[extname(name).toLowerCase()];
  if (document !== undefined && !isText(content)) return { kind: "document", mediaType: document };
  if (isText(content)) return { kind: "document", mediaType: "text/plain" };
  if (!RECORDINGS.has(type)) throw notTaken(extname(name) || type || "such");
  if (content.length > LARGEST_RECORDING) throw tooLarge("recordings", LARGEST_RECORDING);
  return { kind: "document", mediaType: type };
}

function isText(content: Uint8Array): boolean {
  return isUtf8(content) && !content.includes(0);
}

function notTaken(kind: string) {
  return rejected(
    `a business number cannot send ${kind} files`,
    "Send it as a text, a PDF, an Office document, a JPEG or a PNG, or go on at another place: /handoff.",
  );
}

function tooLarge(what: string, largest: number) {
  const hint = "Send a smaller one, or go on at another place: /handoff.";
  return rejected(`a business number sends ${what} of up to ${largest / MB} MB`, hint);
}
