import { expect, test } from "vitest";
import { renderForTerminal } from "../terminal/render-markdown.ts";
import { parseMarkdown } from "./parse-markdown.ts";

const shown = (markdown: string) => renderForTerminal(markdown, { width: 200, color: false });

test.each([
  ["[click](javascript:alert)", "click (`javascript:alert`)"],
  ["[**click** me](tg://x)", "**click** me (`tg://x`)"],
  ["![a cat](file:///x)", "a cat (`file:///x`)"],
  ["<tg://x>", "`tg://x`"],
  ["[](tel:1)", "`tel:1`"],
  ["[click][1]\n\n[1]: data:x", "click (`data:x`)"],
  ["see ssh://host/x, or (tg://x)", "see `ssh://host/x`, or (`tg://x`)"],
  ["[here](/path)", "here (`/path`)"],
])("%j is shown as text: %j", (markdown, text) => {
  expect(shown(markdown)).toBe(text);
});

test("links to pages and mail keep their spelling, and code is not changed", () => {
  const markdown = "[a](https://example.org/Käse) https://b.example <mailto:c@d.example> `tg://x` e@f.example";
  expect(shown(markdown)).toBe(
    "a (https://example.org/Käse) https://b.example mailto:c@d.example `tg://x` mailto:e@f.example",
  );
});

test("an address that browsers normalise is normalised", () => {
  const [paragraph] = parseMarkdown("[a](<https:\\\\evil.example>)").children;
  expect(paragraph).toMatchObject({ children: [{ type: "link", url: "https://evil.example/" }] });
});
