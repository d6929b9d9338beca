import { dirname, resolve } from "node:path";

/** Yields a folder and all its parents, up to the root. */
export function* upwardsFrom(folder: string): Generator<string, void> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    yield current;
    if (current === dirname(current)) return;
  }
}
