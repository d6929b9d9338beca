import { type ContentHashes, hashLines } from "./content-hashes.ts";
import type { Contents } from "./folder-contents.ts";

/** How one file differs from what was trusted. */
export interface ContentChange {
  readonly place: string;
  readonly kind: "new" | "changed" | "gone";
  /** In the order in which they stand; of lines that are gone only their number is known. */
  readonly lines: readonly ChangedLine[];
}

export type ChangedLine = { readonly at: number; readonly text: string } | { readonly gone: number };

/** The differences between what was trusted and what is there now. `before`: null where nothing was kept. */
export function changesBetween(before: ContentHashes | null, now: Contents): ContentChange[] {
  const salt = before?.salt ?? "";
  const places = new Set([...Object.keys(before?.places ?? {}), ...now.keys()]);
  return [...places].flatMap((place): ContentChange[] => {
    const old = before?.places[place] ?? null;
    const text = now.get(place) ?? null;
    if (old === null && text === null) return [];
    if (text === null) return [{ place, kind: "gone", lines: [] }];
    const lines = text.split("\n");
    const hashes = hashLines(text, salt);
    if (old === null) return [{ place, kind: "new", lines: lines.map((line, at) => ({ at: at + 1, text: line })) }];
    if (hashes.join() === old.join()) return [];
    return [{ place, kind: "changed", lines: changedLines(old, hashes, lines) }];
  });
}

/** More lines are not compared one by one: everything between the first and the last difference is shown then. */
const MOST_COMPARED = 2_000;

function changedLines(old: readonly string[], now: readonly string[], lines: readonly string[]): ChangedLine[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  const shorter = Math.min(old.length, now.length) - start;
  while (end < shorter && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const [before, after] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const kept = Math.max(before.length, after.length) > MOST_COMPARED ? [] : longestCommon(before, after);

  const changed: ChangedLine[] = [];
  let [atOld, atNow] = [0, 0];
  for (const [keptOld, keptNow] of [...kept, [before.length, after.length] as const]) {
    if (keptOld > atOld) changed.push({ gone: keptOld - atOld });
    for (; atNow < keptNow; atNow++) changed.push({ at: start + atNow + 1, text: lines[start + atNow] ?? "" });
    [atOld, atNow] = [keptOld + 1, keptNow + 1];
  }
  return changed;
}

/** Pairs of places at which the same lines stand in both, as many as there can be in order. */
function longestCommon(a: readonly string[], b: readonly string[]): (readonly [number, number])[] {
  const width = b.length + 1;
  const best = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => best[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
