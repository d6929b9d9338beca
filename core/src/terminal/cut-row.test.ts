import { expect, it } from "vitest";
import { cutRow } from "./cut-row.ts";

it("a row that fits is not cut", () => {
  expect(cutRow("y once · n no", 13)).toBe("y once · n no");
});

it("a row that is too long ends with an ellipsis in the last column", () => {
  expect(cutRow("shell(ls -la), shell(npm test)", 20)).toBe("shell(ls -la), shel…");
});

it("a row that is cut keeps its styles, and ends them", () => {
  expect(cutRow("\u001b[33mplan\u001b[39m\u001b[2m · only reads\u001b[22m", 10)).toBe(
    "\u001b[33mplan\u001b[39m\u001b[2m · on…\u001b[22m",
  );
});

it("a character of two columns is not cut in half", () => {
  expect(cutRow("中文中文", 4)).toBe("中…");
});
