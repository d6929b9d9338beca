import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Yields a folder and all its parents, up to the root. */
export function* upwardsFrom(folder: string): Generator<string, void> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    yield current;
    if (current === dirname(current)) return;
  }
}

/** Returns a path, or the nearest folder above it that exists. */
export function nearestExisting(path: string): string {
  return [...upwardsFrom(path)].find((folder) => existsSync(folder)) ?? resolve(path);
}
