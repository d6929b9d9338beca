import { diffLines, structuredPatch } from "diff";
import { withNumbers } from "../../base/hidden-text.ts";
import { seenLine } from "../seen-line.ts";

export interface DiffOf {
  /** `src/a.ts +3 −1` */
  readonly summary: string;
  /** A unified diff in plain text; control and hidden characters are escaped. */
  readonly text: string;
}

/** Beyond this a diff takes too long: everything counts as replaced. */
const MOST_EDITS = 5000;

/** Compares two texts of a file. */
export function diffOf(path: string, before: string, after: string): DiffOf {
  const name = seenLine(path);
  const patch = structuredPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_EDITS,
  });
  if (patch === undefined) {
    const [removed, added] = [linesOf(before), linesOf(after)];
    return { summary: `${name} +${added.length} −${removed.length}`, text: whole(name, removed, added) };
  }
  const lines = patch.hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines,
  ]);
  const count = (sign: string) =>
    patch.hunks.flatMap((hunk) => hunk.lines).filter((line) => line.startsWith(sign)).length;
  return { summary: `${name} +${count("+")} −${count("-")}`, text: [name, ...lines.map(withNumbers)].join("\n") };
}

function whole(name: string, removed: readonly string[], added: readonly string[]): string {
  return [name, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].map(withNumbers).join("\n");
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** How many lines an exact replacement adds and removes, without the file around it. */
export function changedLines(before: string, after: string): { readonly added: number; readonly removed: number } {
  const [old, changed] = [before, after].map((text) => (text === "" ? "" : `${text.replace(/\n$/, "")}\n`));
  const parts = diffLines(old ?? "", changed ?? "", { maxEditLength: MOST_EDITS });
  if (parts === undefined) return { added: linesOf(after).length, removed: linesOf(before).length };
  const sum = (kind: "added" | "removed") => parts.reduce((all, part) => all + (part[kind] ? part.count : 0), 0);
  return { added: sum("added"), removed: sum("removed") };
}
