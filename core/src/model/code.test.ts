import { expect, it } from "vitest";
import { codeIn, isShownAsCode, newCode, readCode, shownCode } from "./code.ts";

it("a code is read in any case, with or without its dash, and with look-alikes", () => {
  for (const text of ["K0QM-1XWD", "k0qm1xwd", " koqm-ixwd\n", "KOQM LXWD", "Ｋ0QM–1XWD"]) {
    expect([text, readCode(text)]).toEqual([text, null]);
  }
  for (const text of ["K7QM-1XWD", "k7qm1xwd", " k7qm-ixwd\n", "K7QM LXWD", "Ｋ7QM–1XWD", "`K7QM-1XWD`"]) {
    expect([text, readCode(text)]).toEqual([text, "K7QM1XWD"]);
  }
  expect(readCode("OU7A-LI2B")).toBe("0V7A112B");
});

it("words, numbers and texts around a code are none", () => {
  for (const text of ["continue", "Well-done", "20261129", "2026-1129", "my K7QM-2XWD", "K7QM-2XWD.", "K7QM--2XWD"]) {
    expect([text, readCode(text)]).toEqual([text, null]);
  }
  expect(isShownAsCode("k7qm-2xwd")).toBe(true);
  expect(isShownAsCode("`k7qm2xwd`")).toBe(false);
  expect(isShownAsCode("k7qm2xwd")).toBe(false);
});

it("the commands that take a code are looked through", () => {
  expect(codeIn("/continue K7QM-2XWD")).toBe("K7QM2XWD");
  expect(codeIn("/link@hermes_bot  k7qm2xwd")).toBe("K7QM2XWD");
  expect(codeIn("!continue K7QM-2XWD")).toBe("K7QM2XWD");
  expect(codeIn("/title K7QM-2XWD")).toBeNull();
});

it("each new code is another one, which is read as it is shown", () => {
  const codes = Array.from({ length: 1_000 }, newCode);
  expect(new Set(codes).size).toBe(1_000);
  expect(codes.every((code) => readCode(shownCode(code)) === code)).toBe(true);
});
