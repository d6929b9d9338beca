import { expect, it } from "vitest";
import { decodeText, isTextFile, LARGEST_TEXT_FILE, readResponseBody } from "./attachments.ts";

it.each([
  ["notes.md", "application/octet-stream", 10, true],
  // What browsers and platforms take TypeScript for.
  ["index.ts", "video/mp2t", 10, true],
  ["data", "application/json", 10, true],
  ["data", "application/vnd.api+json; charset=utf-8", 10, true],
  ["notes.txt", "", 0, true],
  ["photo.jpg", "image/jpeg", 10, false],
  ["book.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", 10, false],
  ["long.txt", "text/plain", LARGEST_TEXT_FILE, true],
  ["longer.txt", "text/plain", LARGEST_TEXT_FILE + 1, false],
])("%s (%s, %i bytes) is downloaded for its text: %s", (name, mediaType, size, isText) => {
  expect(isTextFile({ name, mediaType, size })).toBe(isText);
});

it.each([
  ["text in UTF-8", Buffer.from("Grüße"), "Grüße"],
  ["an empty file", new Uint8Array(), ""],
  ["bytes of another kind", Buffer.from([0xff, 0xfe]), null],
  ["text with the end of a C string in it", Buffer.from("a\0b"), null],
  ["more than its name said", new Uint8Array(LARGEST_TEXT_FILE + 1).fill(97), null],
])("%s reads as it should", (_, content, text) => {
  expect(decodeText(content)).toBe(text);
});

it("a body is read up to its bound, whatever its server says of its length", async () => {
  const streamed = (length: number) => new Response(new Blob([new Uint8Array(length).fill(97)]).stream());
  expect(await readResponseBody(streamed(1_000), 1_000)).toEqual(Buffer.alloc(1_000, "a"));
  expect(await readResponseBody(streamed(1_001), 1_000)).toBeNull();
  expect(await readResponseBody(new Response(null), 1_000)).toHaveLength(0);
});
