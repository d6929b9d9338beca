import { extname, join } from "node:path";
import { CONFIG_NAMES } from "./config-files.ts";
import { CODE_ENDINGS, contentOf } from "./content.ts";
import { envFileIn, isEnvFile } from "./env-file.ts";
import { importsOf } from "./imports-of.ts";

/** What stands at each place by which a folder's config runs; null where there is nothing yet. */
export type Contents = ReadonlyMap<string, string | null>;

/**
 * What the config of a folder consists of: itself under any of its names, what it imports, one from the other, and the
 * `.env` beside it.
 */
export function contentsOf(folder: string): Contents {
  const configs = [...CONFIG_NAMES.map((name) => join(folder, name)), join(folder, "package.json#hermes")];
  return contentsFrom([...configs, envFileIn(folder)]);
}

/** The same from places that are known: of a config that was named, say. */
export function contentsFrom(configs: readonly string[]): Contents {
  const contents = new Map<string, string | null>();
  const todo = [...configs];
  for (let place = todo.shift(); place !== undefined; place = todo.shift()) {
    if (contents.has(place)) continue;
    const text = contentOf(place);
    contents.set(place, text);
    // JSON that is imported is data, and imports nothing itself.
    const isRun =
      (configs.includes(place) && !isEnvFile(place)) ||
      (CODE_ENDINGS.includes(extname(place)) && extname(place) !== ".json");
    if (text !== null && isRun) todo.push(...importsOf(place, text));
  }
  return contents;
}
