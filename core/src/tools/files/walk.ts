import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { type CheckedPath, heldFolder } from "./checked-path.ts";
import type { HeldFolder } from "./held-folder.ts";
import { IgnoreRules } from "./ignore-rules.ts";

/** Something that a walk met. */
export interface Entry {
  /** The path from the root of the walk's place, with slashes. */
  readonly way: string;
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly isIgnored: boolean;
  /** The folder that has it, held until the walk goes on. */
  readonly folder: HeldFolder;
}

export interface WalkOptions {
  /** How many levels of folders are entered. */
  readonly depth: number;
  readonly signal: AbortSignal;
  /** What is left out as if it were not there. */
  readonly isSkipped: (way: string) => boolean;
}

/** How many entries of a folder are looked at before others get their turn. */
const BEFORE_OTHERS = 50;

/**
 * Walks a folder in the order of names, without following links. Names what is ignored and does not enter it; leaves out
 * `.git`. A folder that cannot be opened, or is gone meanwhile, is passed over.
 */
export async function* walk(place: CheckedPath, options: WalkOptions): AsyncGenerator<Entry> {
  let rules = IgnoreRules.above(place.root);
  for (let at = 0; at < place.way.length; at++) {
    const way = place.way.slice(0, at);
    using folder = heldFolder({ ...place, way });
    rules = rules.within(folder, way.join("/"));
  }
  const start = place.way.join("/");
  using folder = heldFolder(place);
  yield* enter(folder, start, rules.naming(start), options);
}

async function* enter(
  folder: HeldFolder,
  way: string,
  above: IgnoreRules,
  options: WalkOptions,
): AsyncGenerator<Entry> {
  const rules = above.within(folder, way);
  const found = readdirSync(folder.path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // Others have work to do while a large tree is walked.
  await setImmediate();
  options.signal.throwIfAborted();
  for (const [at, one] of found.entries()) {
    if (at % BEFORE_OTHERS === BEFORE_OTHERS - 1) {
      await setImmediate();
      options.signal.throwIfAborted();
    }
    const { name } = one;
    const path = way === "" ? name : `${way}/${name}`;
    if (name === ".git" || options.isSkipped(path)) continue;
    const kind = one.isDirectory() ? "folder" : one.isFile() ? "file" : one.isSymbolicLink() ? "link" : "other";
    const isIgnored = rules.ignores(path, kind === "folder");
    yield { way: path, name, kind, isIgnored, folder };
    if (kind !== "folder" || isIgnored || options.depth <= 1) continue;
    const inner = folderIn(folder, name);
    if (inner === null) continue;
    using held = inner;
    yield* enter(held, path, rules, { ...options, depth: options.depth - 1 });
  }
}

function folderIn(folder: HeldFolder, name: string): HeldFolder | null {
  try {
    return folder.folder(name);
  } catch {
    return null;
  }
}
