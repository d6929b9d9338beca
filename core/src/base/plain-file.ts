import { readFileSync, statSync } from "node:fs";

/**
 * The text of a file that anybody may have put there. Throws where it is none: a named pipe would be waited for, and a link
 * to a device be read for ever.
 */
export function readPlainFile(path: string): string {
  if (!statSync(path).isFile()) throw new Error(`${path} is no ordinary file`);
  return readFileSync(path, "utf8");
}
