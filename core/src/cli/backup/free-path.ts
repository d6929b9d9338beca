import { existsSync } from "node:fs";

/** The path, or one like it where something lies there: another restore of the same second. */
export function freePath(path: string): string {
  for (let count = 1; ; count++) {
    const free = count === 1 ? path : `${path}-${count}`;
    if (!existsSync(free)) return free;
  }
}
