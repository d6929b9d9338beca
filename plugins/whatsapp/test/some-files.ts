import { deflateSync } from "node:zlib";
import type { OutboundFile } from "@hermes/core";

/** Every byte there is; no text, and no type that WhatsApp knows. */
export const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** A PNG with this many pixels, all black. */
export function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.alloc(height * (width + 1));
  const chunk = (type: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    // Nobody here compares the checksums of the chunks.
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const chunks = [chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...chunks]);
}

export function kept(name: string, mediaType: string, { length: size }: Uint8Array): OutboundFile {
  return { name, mediaType, size, hash: "0".repeat(64) };
}
