import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENTRIES, type Entry, type ExtractedApi, extractApi } from "./support/api-extractor.ts";
import { anchorsIn, linksIn } from "./support/markdown-page.ts";
import { referencePage, undocumented } from "./support/reference-page.ts";

const docs = resolve(import.meta.dirname, "../docs");

/** What authors of adapters and tools import, by what they write for it. */
const REFERENCE: Partial<Record<Entry, string>> = {
  core: "@hermes/core",
  "core-markdown": "@hermes/core/markdown",
  testing: "@hermes/testing",
  emulator: "@hermes/emulator",
};

let folder: string;
const apis = new Map<Entry, ExtractedApi>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-api-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function apiOf(name: Entry): ExtractedApi {
  const known = apis.get(name) ?? extractApi(name, folder);
  apis.set(name, known);
  return known;
}

/** Compares a page with what it was made of, or writes it anew. */
function expectPage(path: string, made: string): void {
  if (process.env.UPDATE_DOCS) writeFileSync(path, made);
  expect(made, "UPDATE_DOCS=1 writes it anew").toBe(readFileSync(path, "utf8"));
}

it.each(Object.keys(ENTRIES) as Entry[])("the public API of %s is the one in docs/api", (name) => {
  expectPage(join(docs, "api", `${name}.api.md`), apiOf(name).report);
});

describe.each(Object.entries(REFERENCE) as [Entry, string][])("the reference of %s", (name, importedAs) => {
  it("the page is made of the doc comments, and leads nowhere that is not there", () => {
    const page = referencePage(importedAs, apiOf(name).items);
    expectPage(join(docs, "reference", `${name}.md`), page);
    const anchors = anchorsIn(page);
    expect(linksIn(page).filter((link) => !anchors.has(link.replace(/^#/, "")))).toEqual([]);
  });

  it("each name that is exported says what it is for", () => {
    expect(undocumented(apiOf(name).items)).toEqual([]);
  });
});
