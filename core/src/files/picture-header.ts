import type { ModelFileType } from "./media-type.ts";

export type PictureType = Exclude<ModelFileType, "application/pdf">;

/** What the first bytes of a picture say of it. */
export interface PictureHeader {
  readonly width: number;
  readonly height: number;
  /** How a photo is to be turned, by its EXIF tag: 1 to 8, 1 as it is. */
  readonly orientation: number;
}

/** Reads the size of a picture from its header, without decoding it; null if there is none that makes sense. */
export function readPictureHeader(content: Uint8Array, type: PictureType): PictureHeader | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  try {
    const found = type === "image/jpeg" ? jpegHeader(bytes) : { ...sizeOf(bytes, type), orientation: 1 };
    return found !== null && found.width > 0 && found.height > 0 ? found : null;
  } catch (error) {
    // It ends within its header.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function sizeOf(bytes: Buffer, type: Exclude<PictureType, "image/jpeg">) {
  switch (type) {
    case "image/png":
      return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case "image/gif":
      return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case "image/webp":
      return webpSize(bytes);
  }
}

/** RFC 9649: three kinds of a first chunk, each with the size at another place. */
function webpSize(bytes: Buffer) {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return { width: 0, height: 0 };
  }
}

/** The markers of a JPEG that begin a frame, which has the size (ITU-T T.81, table B.1): C4, C8 and CC are others. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegHeader(bytes: Buffer): PictureHeader | null {
  let orientation = 1;
  for (let at = 2; at < bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes.readUInt8(at + 1);
    // Markers may be padded.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7), orientation };
    const length = bytes.readUInt16BE(at + 2);
    if (length < 2) return null;
    if (marker === 0xe1) orientation = orientationIn(bytes.subarray(at + 4, at + 2 + length)) ?? orientation;
    at += 2 + length;
  }
  return null;
}

const ORIENTATION = 0x0112;

/** The orientation in an EXIF segment (a TIFF header, then entries of 12 bytes). */
function orientationIn(segment: Buffer): number | null {
  if (segment.toString("latin1", 0, 6) !== "Exif\0\0") return null;
  const tiff = segment.subarray(6);
  const isLittle = tiff.toString("latin1", 0, 2) === "II";
  const two = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const four = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  try {
    const first = four(4);
    const entries = Math.min(two(first), 100);
    for (let entry = 0; entry < entries; entry++) {
      const at = first + 2 + entry * 12;
      if (two(at) !== ORIENTATION) continue;
      const value = two(at + 8);
      return value >= 1 && value <= 8 ? value : null;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return null;
}
