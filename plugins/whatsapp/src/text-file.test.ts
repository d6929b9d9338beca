import { expect, it } from "vitest";
import { withText } from "./text-file.ts";

it("what calls itself a text and is none is only named", () => {
  const file = { name: "a.txt", mediaType: "text/plain", size: 0 };
  expect(withText(file, Buffer.from("Grüße"))).toEqual({ ...file, size: 7, text: "Grüße" });
  expect(withText(file, Buffer.from([0xff, 0xfe]))).toEqual({ ...file, size: 2 });
  expect(withText(file, Buffer.from("a\0b"))).toEqual({ ...file, size: 3 });
});
