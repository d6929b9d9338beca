import { expect, test } from "vitest";
import { layOut, offsetAt, placeOf } from "./layout.ts";

test("a row has as many columns as the screen, wide characters counted twice", () => {
  const text = "漢字漢字ab\ne\u0301👩‍👩‍👧x";
  expect(layOut(text, 5).map(({ shown }) => shown)).toEqual(["漢字", "漢字a", "b", "e\u0301👩‍👩‍👧x"]);
  expect(placeOf(layOut(text, 5), text, 4)).toEqual({ row: 1, column: 4 });
  expect(placeOf(layOut(text, 5), text, text.length)).toEqual({ row: 3, column: 4 });
});

test("a character that would steer the terminal is shown as a sign, as wide as that", () => {
  const text = "a\x1b[2J\u202eb";
  const rows = layOut(text, 20);
  expect(rows.map(({ shown }) => shown)).toEqual(["a␛[2Jb"]);
  expect(placeOf(rows, text, text.length)).toEqual({ row: 0, column: 6 });
});

test("each place on the screen leads back to its character", () => {
  const text = "one two three\n\n漢字漢字 end";
  for (const width of [2, 3, 5, 8, 40]) {
    const rows = layOut(text, width);
    for (let offset = 0; offset <= text.length; offset++) {
      const { row, column } = placeOf(rows, text, offset);
      expect(offsetAt(rows, text, row, column)).toBe(offset);
      expect(column).toBeLessThanOrEqual(width);
    }
  }
});
