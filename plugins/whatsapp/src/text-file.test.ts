import { expect, it } from "vitest";
import { isTextFile, readBody, withText } from "./text-file.ts";

it("a file is read up to its bound, whatever its server says of its length", async () => {
  const bytes = (length: number) => new Uint8Array(length).fill(97);
  const streamed = (length: number) => new Response(new Blob([bytes(length)]).stream());
  expect(await readBody(streamed(1_000), 1_000)).toEqual(Buffer.from(bytes(1_000)));
  expect(await readBody(streamed(1_001), 1_000)).toBeNull();
  expect(await readBody(new Response(null), 1_000)).toHaveLength(0);
});

it.each([
  ["notes.md", "application/octet-stream", 10, true],
  ["data", "application/json", 10, true],
  ["data", "application/vnd.api+json", 10, true],
  ["photo.jpg", "image/jpeg", 10, false],
  ["long.txt", "text/plain", 256 * 1024 + 1, false],
])("%s (%s, %i bytes) is downloaded for its text: %s", (name, mediaType, size, isText) => {
  expect(isTextFile({ name, mediaType, size })).toBe(isText);
});

it("what calls itself a text and is none is only named", () => {
  const file = { name: "a.txt", mediaType: "text/plain", size: 0 };
  expect(withText(file, Buffer.from("Grüße"))).toEqual({ ...file, size: 7, text: "Grüße" });
  expect(withText(file, Buffer.from([0xff, 0xfe]))).toEqual({ ...file, size: 2 });
  expect(withText(file, Buffer.from("a\0b"))).toEqual({ ...file, size: 3 });
});
