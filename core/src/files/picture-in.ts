import { sniffMediaType } from "./media-type.ts";
import { type PictureType, readPictureHeader } from "./picture-header.ts";

/** A picture of a kind that platforms and browsers show. */
export interface PictureIn {
  readonly mediaType: PictureType;
  /** Pixels, as it is seen: a photo that was taken upright is higher than wide. */
  readonly width: number;
  readonly height: number;
}

/** What a file is as a picture, by its first bytes; null for one that is none, or whose header makes no sense. */
export function pictureIn(content: Uint8Array): PictureIn | null {
  const mediaType = sniffMediaType(content);
  if (mediaType === null || mediaType === "application/pdf") return null;
  const header = readPictureHeader(content, mediaType);
  if (header === null) return null;
  const { width, height, orientation } = header;
  // From 5 on, EXIF lays the sides of a photo across.
  return orientation < 5 ? { mediaType, width, height } : { mediaType, width: height, height: width };
}
