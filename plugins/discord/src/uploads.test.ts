import { expect, it } from "vitest";
import { namesOf } from "./uploads.ts";

it.each([
  ["report.pdf", { filename: "report.pdf" }],
  ["Übersicht für 2026.pdf", { filename: "Ubersicht_fur_2026.pdf", title: "Übersicht für 2026" }],
  ["画像.png", { filename: "file.png", title: "画像" }],
  ["__init__.py", { filename: "init.py", title: "__init__" }],
  ["a\n\u202egnp.exe", { filename: "a_gnp.exe", title: "a gnp" }],
  ['../"quoted".tar.gz', { filename: "quoted_.tar.gz", title: "_quoted_.tar" }],
  ["Makefile", { filename: "Makefile" }],
  ["", { filename: "file" }],
])("%j goes out under a name that Discord keeps as it is", (name, names) => {
  expect(namesOf(name)).toEqual(names);
});

it("a very long name keeps its ending", () => {
  const { filename } = namesOf(`${"long ".repeat(100)}.pdf`);
  expect(filename).toMatch(/^long_.*\.pdf$/);
  expect(filename.length).toBeLessThan(130);
});
