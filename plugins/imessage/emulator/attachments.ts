import { notFound, serverError } from "./refusal.ts";
import type { Attachment } from "./rows.ts";
import type { World } from "./world.ts";

export interface Download {
  readonly content: Uint8Array;
  readonly mediaType: string;
  readonly name: string;
}

/** The beginning of a JPEG: what the server makes of a picture that only Apple's devices can show. */
const CONVERTED = Buffer.from("ffd8ffe000104a46494600010100000100010000ffd9", "hex");

export function attachmentOf({ database }: World, guid: string): Attachment {
  const attachment = database.attachment(guid);
  if (attachment === undefined) throw notFound("Attachment does not exist!");
  return attachment;
}

/** `GET attachment/:guid/download`: as it is with `original=true`; otherwise pictures are converted that few can show. */
export function download(world: World, guid: string, query: URLSearchParams): Download {
  const { file, isOnDisk } = attachmentOf(world, guid);
  if (!isOnDisk) throw serverError("Attachment does not exist in disk!");
  const isRare = /^image\/(?:heic|heif|tiff)$/.test(file.mediaType);
  if (!isRare || query.get("original") === "true") return file;
  return { name: `${file.name}.jpeg`, mediaType: "image/jpeg", content: CONVERTED };
}
