import { expect, it } from "vitest";
import { mediaFormOf } from "./media-types.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02", "hex");
const GIF = Buffer.from("47494638396101000100800000", "hex");
const ZIP = Buffer.from("504b03040a00000000008700ff00fe", "hex");

function formOf(name: string, mediaType: string, content: Uint8Array) {
  return mediaFormOf({ name, mediaType, size: content.length, hash: "" }, content);
}

it.each([
  ["chart.png", "image/png", PNG, { kind: "image", mediaType: "image/png" }],
  ["chart", "application/octet-stream", PNG, { kind: "image", mediaType: "image/png" }],
  ["data.csv", "text/csv", Buffer.from("a,b\nä,ö\n"), { kind: "document", mediaType: "text/plain" }],
  ["page.html", "text/html", Buffer.from("<p>"), { kind: "document", mediaType: "text/plain" }],
  ["plan.pdf", "application/pdf", Buffer.from("%PDF-1.7\0\xff", "latin1"), { mediaType: "application/pdf" }],
  ["plan.docx", "application/zip", ZIP, { mediaType: expect.stringContaining("wordprocessingml") }],
  ["song", "audio/mpeg", Buffer.from("fffb9000", "hex"), { kind: "document", mediaType: "audio/mpeg" }],
])("%s (%s) goes out in a form that Meta takes", (name, mediaType, content, form) => {
  expect(formOf(name, mediaType, content)).toMatchObject(form);
});

it.each([
  ["a.zip", "application/zip", ZIP, /cannot send \.zip files/],
  ["a.gif", "image/gif", GIF, /cannot send \.gif files/],
  ["data", "application/octet-stream", ZIP, /cannot send application\/octet-stream files/],
  ["a.png", "image/png", Buffer.concat([PNG, Buffer.alloc(5 * 1024 ** 2)]), /pictures of up to 5 MB/],
  ["a.mp4", "video/mp4", Buffer.alloc(16 * 1024 ** 2 + 1), /recordings of up to 16 MB/],
])("%s is refused with what a business number takes", (name, mediaType, content, told) => {
  expect(() => formOf(name, mediaType, content)).toThrow(told);
});
