import { expect, it } from "vitest";
import { excerptParts } from "./excerpt.ts";

const marked = (snippet: string, words: string) =>
  excerptParts(snippet, words)
    .map(({ text, isFound }) => (isFound ? `<${text}>` : text))
    .join("");

it("marks what was found in an excerpt, and leaves no brackets around it", () => {
  expect(marked("…Does the [north] gate open? The [Northern] one does…", "north")).toBe(
    "…Does the <north> gate open? The <Northern> one does…",
  );
  expect(marked("[Größe] and [cafés]", "grosse größe cafe")).toBe("<Größe> and <cafés>");
  expect(marked("the [foo-bar] flag", "foo-bar")).toBe("the <foo-bar> flag");
});

it("brackets of the text itself stay, with what was found in them marked", () => {
  expect(marked("items[0] of the [array][1]", "array")).toBe("items[0] of the <array>[1]");
  expect(marked("[[array]] and [an empty one] []", "array")).toBe("[<array>] and [an empty one] []");
  expect(marked("[ab] [a]", "a")).toBe("[ab] <a>");
});

it("a part of what is written together is marked in scripts without spaces", () => {
  expect(marked("私は[東京]に住む", "東京")).toBe("私は<東京>に住む");
});

it("an excerpt is one line, with the marks of who spoke made readable", () => {
  expect(marked("one\n\n[two]\tthree", "two")).toBe("one <two> three");
  expect(marked('⟦from "Ada" #790269⟧ [two]', "two")).not.toContain("⟦");
});
