import { expect, it } from "vitest";
import { shapeFaults } from "./shape.ts";

const RECORDED = { ok: true, result: [{ id: 1, name: "Ada", tags: ["a"] }, { gone: true }] };

it("finds nothing wrong with other values of the same shape", () => {
  expect(shapeFaults({ ok: false, result: [{ gone: false }, { id: 7, name: "Bob", tags: [] }] }, RECORDED)).toEqual([]);
  expect(shapeFaults({ ok: true, result: [] }, RECORDED)).toEqual([]);
});

it("names fields that are missing, of another type, or not recorded", () => {
  expect(shapeFaults({ ok: true, result: [{ id: "1", tags: [2], nick: "A" }] }, RECORDED)).toEqual([
    "result[].name is missing",
    "result[].nick was not recorded",
    "result[].id is a string; recorded was a number",
    "result[].tags[] is a number; recorded was a string",
  ]);
  expect(shapeFaults(null, RECORDED)).toEqual(["the answer is null; recorded was an object"]);
});

it("allows a field to be missing that is said to be optional", () => {
  const found = { ok: true, result: [{ id: 1, tags: [] }] };
  expect(shapeFaults(found, RECORDED, new Set(["result[].name"]))).toEqual([]);
});
