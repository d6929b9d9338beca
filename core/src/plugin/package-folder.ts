import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folder of the package that an import from `folder` would find; null where it would find none. */
export function packageFolder(name: string, folder: string): string | null {
  try {
    return dirname(createRequire(join(folder, "hermes.js")).resolve(`${name}/package.json`));
  } catch {
    return null;
  }
}
