import { createRequire } from "node:module";
import { PDF_FILE, PNG_FILE, pdfFile } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { fitForModel } from "./fit-for-model.ts";
import { readPictureHeader } from "./picture-header.ts";
import { pictureIn } from "./picture-in.ts";

const LIMITS = {
  picture: { side: 64, bytes: 20_000, types: ["image/png", "image/jpeg"] },
  pdf: { pages: 2, bytes: 100_000 },
} as const;

interface Drawn {
  get_bytes(): Uint8Array;
  get_bytes_jpeg(quality: number): Uint8Array;
}
const require = createRequire(import.meta.url);
const { PhotonImage } = require("@silvia-odwyer/photon-node") as {
  PhotonImage: new (pixels: Uint8Array, width: number, height: number) => Drawn;
};

/** A picture whose upper half is white. */
function drawn(width: number, height: number): Drawn {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let at = (pixels.length / 8) * 4; at < pixels.length; at += 4) pixels.fill(0, at, at + 3);
  return new PhotonImage(pixels, width, height);
}

/** A photo that was taken with the camera on its side: it is to be turned by 90°. */
function turnedPhoto(width: number, height: number): Buffer {
  const tiff = Buffer.from("45786966000049492a00080000000100120103000100000006000000" + "00000000", "hex");
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, tiff.length + 2]), tiff]);
  const jpeg = Buffer.from(drawn(width, height).get_bytes_jpeg(80));
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

describe("a picture", () => {
  it("a picture that a model takes is given as it is", async () => {
    expect(await fitForModel(PNG_FILE, "image/png", LIMITS)).toEqual({
      ...{ content: new Uint8Array(PNG_FILE), mediaType: "image/png" },
    });
  });

  it("a photo that is too large is scaled, and turned as its camera was held", async () => {
    const photo = turnedPhoto(200, 100);
    expect(readPictureHeader(photo, "image/jpeg")).toEqual({ width: 200, height: 100, orientation: 6 });
    const fit = await fitForModel(photo, "image/jpeg", LIMITS);
    if ("broken" in fit) throw new Error(fit.broken);
    expect(fit.mediaType).toBe("image/jpeg");
    expect(readPictureHeader(fit.content, "image/jpeg")).toEqual({ width: 32, height: 64, orientation: 1 });
  });

  it("a picture is as wide and high as people see it, and a PDF is none", () => {
    expect(pictureIn(turnedPhoto(200, 100))).toEqual({ mediaType: "image/jpeg", width: 100, height: 200 });
    expect(pictureIn(PNG_FILE)).toEqual({ mediaType: "image/png", width: 1, height: 1 });
    for (const content of [PDF_FILE, PNG_FILE.subarray(0, 12), Buffer.from("<svg/>")]) {
      expect(pictureIn(content)).toBeNull();
    }
  });

  it("a picture of a kind that the model does not take becomes one that it takes", async () => {
    const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
    expect(await fitForModel(gif, "image/gif", LIMITS)).toMatchObject({ mediaType: "image/png" });
  });

  it.each([
    ["a header with a billion pixels", 30_000, "30000 × 30000 pixels are too many"],
    ["a header that lies", 2, "it is broken"],
  ])("a picture with %s is refused", async (_, side, broken) => {
    const bomb = Buffer.from(PNG_FILE);
    bomb.writeUInt32BE(side, 16);
    bomb.writeUInt32BE(side, 20);
    expect(await fitForModel(bomb, "image/png", LIMITS)).toEqual({ broken });
  });

  it("a picture that is cut off is refused, and the next one is scaled all the same", async () => {
    expect(await fitForModel(PNG_FILE.subarray(0, 20), "image/png", LIMITS)).toEqual({ broken: "it is broken" });
    expect(await fitForModel(PNG_FILE.subarray(0, 50), "image/png", LIMITS)).toEqual({ broken: "it is broken" });
    expect(await fitForModel(Buffer.from(drawn(65, 65).get_bytes()), "image/png", LIMITS)).toMatchObject({
      mediaType: "image/png",
    });
  });

  it("a picture is scaled while others go on", async () => {
    const large = Buffer.from(drawn(3_000, 2_000).get_bytes_jpeg(80));
    let turns = 0;
    const others = setInterval(() => turns++, 5);
    await fitForModel(large, "image/jpeg", LIMITS);
    clearInterval(others);
    expect(turns).toBeGreaterThan(10);
  });

  it.each([
    ["VP8X", "0a000000100000006300004f0000", 100, 80],
    ["VP8L", "0a0000002f63c0130000000000000000", 100, 80],
    ["VP8 ", "0a0000003001009d012a64005000000000", 100, 80],
  ])("a WebP says its size in a chunk %s", (chunk, hex, width, height) => {
    const head = Buffer.concat([
      Buffer.from("RIFF\0\0\0\0WEBP", "latin1"),
      Buffer.from(chunk),
      Buffer.from(hex, "hex"),
    ]);
    expect(readPictureHeader(head, "image/webp")).toEqual({ width, height, orientation: 1 });
  });
});

describe("a PDF", () => {
  it("a PDF with few pages is given as it is", async () => {
    expect(await fitForModel(PDF_FILE, "application/pdf", LIMITS)).toMatchObject({
      pages: 1,
      content: new Uint8Array(PDF_FILE),
    });
  });

  it("a PDF with more pages than the model takes is cut behind them", async () => {
    const fit = await fitForModel(pdfFile(5), "application/pdf", LIMITS);
    if ("broken" in fit) throw new Error(fit.broken);
    expect(fit.pages).toBe(5);
    expect(await fitForModel(fit.content, "application/pdf", LIMITS)).toMatchObject({ pages: 2 });
  });

  it("a PDF that is broken or too large is refused", async () => {
    expect(await fitForModel(Buffer.from("%PDF-1.4 nonsense"), "application/pdf", LIMITS)).toEqual({
      broken: "it is broken",
    });
    const limits = { ...LIMITS, pdf: { pages: 2, bytes: 10 } };
    expect(await fitForModel(PDF_FILE, "application/pdf", limits)).toEqual({
      broken: "it is too large for this model",
    });
  });
});
