import { dirname, resolve } from "node:path";

/** A folder, and those that it lies in. */
export function* upwardsFrom(folder: string): Generator<string, void> {
  for (let current = resolve(folder); ; current = dirname(current)) {
    yield current;
    if (current === dirname(current)) return;
  }
}
