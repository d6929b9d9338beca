import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("runs for half an hour with a seed of its own unless told otherwise", () => {
  const { seed, ...options } = parseOptions([]);
  expect(options).toEqual({ minutes: 30, compactions: null, part: null, json: false, record: false, keep: null });
  expect(seed).toBeGreaterThanOrEqual(0);
});

it("the options accept minutes, a seed and a part", () => {
  const options = parseOptions(["--minutes", "2.5", "--seed", "7", "--part", "2/6"]);
  expect(options).toMatchObject({ minutes: 2.5, seed: 7, part: { number: 2, of: 6 } });
});

it.each([
  ["--minutes", "0"],
  ["--minutes", "soon"],
  ["--compactions", "0"],
  ["--seed", "1.5"],
  ["--part", "7/6"],
  ["--part", "one"],
])("refuses %s %s and says what it takes", (flag, value) => {
  expect(() => parseOptions([flag, value])).toThrow(`${flag} takes`);
});
