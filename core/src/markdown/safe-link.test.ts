import { expect, test } from "vitest";
import { safeLink } from "./safe-link.ts";

test.each([
  "http://example.org",
  "https://example.org/?a=1&b=2#c",
  "HTTPS://Example.org/Käse",
  "mailto:ada@example.org",
])("%s is a link and keeps its spelling", (url) => {
  expect(safeLink(url)).toBe(url);
});

test.each([
  ["https://example.org/a b", "https://example.org/a%20b"],
  ["ht\ntps://example.org/", "https://example.org/"],
  [" https://example.org/", "https://example.org/"],
  ["https:\\\\example.org\\x", "https://example.org/x"],
  ["https://example.org/\u202egpj.exe", "https://example.org/%E2%80%AEgpj.exe"],
  ["https:example.org", "https://example.org/"],
])("%j is a link, normalised as a browser does", (url, href) => {
  expect(safeLink(url)).toBe(href);
});

test.each([
  "javascript:alert(1)",
  "JavaScript:alert(1)",
  "java\nscript:alert(1)",
  "\u0001javascript:alert(1)",
  "data:text/html,x",
  "vbscript:x",
  "file:///etc/passwd",
  "blob:https://example.org/1",
  "tg://resolve?domain=x",
  "tel:+1234",
  "ftp://example.org",
  "magnet:?xt=1",
  "slack://open",
  "ms-settings:x",
  "//example.org",
  "/path",
  "example.org",
  "https://",
  "",
])("%j is not a link", (url) => {
  expect(safeLink(url)).toBeNull();
});
