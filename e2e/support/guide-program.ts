import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { packageFiles } from "../../packages/create-hermes-plugin/src/package-files.ts";

/** The guide for authors of adapters. */
export const GUIDE = readFileSync(resolve(import.meta.dirname, "../../docs/writing-an-adapter.md"), "utf8");

/** What the scaffold writes for a platform with everything. */
export const filesFor = (receive: "polling" | "webhook" | "socket") =>
  packageFiles({ name: "acme", receive, threads: true, edits: true });

/** A change of a file, as the guide shows it: lines that go, and lines that come. */
interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** The changes of the guide, in its order. */
export function changesIn(guide: string): readonly Change[] {
  const found = guide.matchAll(/^<!-- a change of (\S+) -->\n```diff\n([\s\S]*?)^```$/gm);
  return [...found].map(([, file = "", diff = ""]) => {
    const lines = diff.trimEnd().split("\n");
    const side = (mark: string) =>
      lines.flatMap((line) => (line.startsWith(mark) || line.startsWith(" ") || line === "" ? line.slice(1) : []));
    return { file, from: side("-").join("\n"), to: side("+").join("\n") };
  });
}

/** The package that stands at the end of the guide: what the scaffold writes, with all that the guide adds and changes. */
export function guideProgram(): ReadonlyMap<string, string> {
  const files = new Map(filesFor("polling"));
  for (const [, file = "", code = ""] of GUIDE.matchAll(/^<!-- adds (\S+) -->\n```ts\n([\s\S]*?)^```$/gm)) {
    files.set(file, code);
  }
  for (const { file, from, to } of changesIn(GUIDE)) {
    const [before, after, ...more] = (files.get(file) ?? "").split(from);
    if (after === undefined || more.length > 0) {
      throw new Error(`${file} has this ${more.length === 0 ? "nowhere" : "more than once"}:\n${from}`);
    }
    files.set(file, before + to + after);
  }
  return files;
}
