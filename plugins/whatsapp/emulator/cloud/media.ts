import { sniffMediaType } from "@hermes/core";
import type { RequestBody } from "@hermes/emulator";
import { Refusal } from "./refusal.ts";
import type { StoredMedia } from "./world.ts";

const KB = 1024;
const MB = 1024 * KB;

/** The largest document, in bytes; no file of another kind is larger. */
export const LARGEST_DOCUMENT = 100 * MB;

/** "Supported media types", with the largest file of each kind in bytes. */
const KINDS = [
  {
    kind: "audio",
    largest: 16 * MB,
    types: ["audio/aac", "audio/mp4", "audio/mpeg", "audio/amr", "audio/ogg", "audio/opus"],
  },
  {
    kind: "document",
    largest: LARGEST_DOCUMENT,
    types: [
      "application/vnd.ms-powerpoint",
      "application/msword",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
      "application/vnd.openxmlformats-officedocument.presentationml.presentation",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      "application/pdf",
      "text/plain",
      "application/vnd.ms-excel",
    ],
  },
  { kind: "image", largest: 5 * MB, types: ["image/jpeg", "image/png"] },
  { kind: "sticker", largest: 500 * KB, types: ["image/webp"] },
  { kind: "video", largest: 16 * MB, types: ["video/mp4", "video/3gpp"] },
] as const;

type MediaKind = (typeof KINDS)[number]["kind"];

/** What kind of message a file can be sent as. */
function kindOf({ mediaType }: Pick<StoredMedia, "mediaType">): MediaKind | undefined {
  return KINDS.find(({ types }) => (types as readonly string[]).includes(mediaType))?.kind;
}

/** Takes an upload ("Upload media"). Throws a Refusal. */
export function uploaded({ value, files }: RequestBody): Omit<StoredMedia, "id"> {
  const [file] = files;
  if (Object(value).messaging_product !== "whatsapp")
    throw new Refusal(100, "The parameter messaging_product is required.");
  if (file === undefined) throw new Refusal(100, "The parameter file is required.");
  const mediaType = file.mediaType.split(";")[0]?.trim() ?? "";
  const found = KINDS.find(({ types }) => (types as readonly string[]).includes(mediaType));
  if (found === undefined) {
    const types = KINDS.flatMap((one) => [...one.types]).join(", ");
    throw new Refusal(
      100,
      `Param file must be a file with one of the following types: ${types}. Received file of type '${mediaType}'.`,
    );
  }
  if (file.content.length > found.largest) {
    throw new Refusal(100, "File Too Large: The file you uploaded is too large.");
  }
  return { mediaType, name: file.name, content: file.content };
}

/** Whether a picture is what it says it is; Meta looks into it once it is sent. */
export function isPicture({ mediaType, content }: Pick<StoredMedia, "mediaType" | "content">): boolean {
  return kindOf({ mediaType }) === "image" && sniffMediaType(content) === mediaType;
}
