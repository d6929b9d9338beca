import { existsSync } from "node:fs";
import { join } from "node:path";
import { contentOf } from "./content.ts";

/** The names under which a folder may have its config; the first that is there counts. */
export const CONFIG_NAMES = ["ts", "mts", "js", "mjs", "cjs", "json", "yaml", "yml"].map(
  (ending) => `hermes.config.${ending}`,
);

/** The config of a folder, or null. */
export function configIn(folder: string): string | null {
  const file = CONFIG_NAMES.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file !== undefined) return file;
  const packageFile = join(folder, "package.json");
  return configInPackage(packageFile) === null ? null : packageFile;
}

/** The config that a package.json holds, or null. In the one of a plugin, the same key holds its manifest. */
function configInPackage(packageFile: string): object | null {
  const hermes: unknown = JSON.parse(contentOf(`${packageFile}#hermes`) ?? "null");
  return typeof hermes === "object" && hermes !== null && !("apiVersion" in hermes) ? hermes : null;
}
