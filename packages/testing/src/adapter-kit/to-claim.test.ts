import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { proofsOf } from "./all-proofs.ts";
import type { AdapterUnderTest } from "./subject.ts";
import { toClaim } from "./to-claim.ts";

const guide = readFileSync(resolve(import.meta.dirname, "../../../../docs/writing-an-adapter.md"), "utf8");
const sections = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-"),
);
const ids = proofsOf({ name: "acme" } as AdapterUnderTest).map(({ id }) => id);

describe("the sentence that says what to write for a proof", () => {
  it.each(ids)("leads from %s to a section of the guide, and leaves no part unnamed", (id) => {
    const [, sentence, section] = /^(.*) See docs\/writing-an-adapter\.md#(.+)\.$/.exec(toClaim(id)) ?? [];
    expect(sentence).toMatch(/^[A-Z].*\.$/);
    expect(sentence).not.toMatch(/\{\w+\}/);
    expect(sections).toContain(section);
  });

  it("names the file where the subject does", () => {
    expect(toClaim("claims/typing", { adapter: "src/adapter.ts" })).toMatch(
      /^Write `typing` in src\/adapter\.ts\. See/,
    );
    expect(toClaim("claims/typing")).toMatch(/^Write `typing` in the adapter\. See/);
  });
});
