import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/**
 * The scope under which the packages are published. `@hermes`, the one in the sources, is not known to be ours: with
 * another one here, what is packed names that one throughout, its documentation included.
 */
export const SCOPE = "@hermes";

/** The one in the sources. */
const SOURCE_SCOPE = "@hermes";

/** `text` of a packed file, in the name of the scope that is published. */
export function inScope(text: string, scope = SCOPE): string {
  return scope === SOURCE_SCOPE ? text : text.replaceAll(/@hermes(?=\/[a-z])/g, scope);
}

/** The package that people install and `npx` runs. */
export const FRONT = "hermes-handoff";

/** The folders of what is published, those that others depend on first. */
export const PUBLISHED = [
  "core",
  "packages/emulator",
  "packages/testing",
  ...["web", "telegram", "discord", "slack", "signal", "imessage", "matrix", "whatsapp"].map(
    (name) => `plugins/${name}`,
  ),
  "packages/create-hermes-plugin",
  "packages/front",
];

/** The `repository` of a packed manifest: the address, and the folder in which the package's sources are. */
export function repositoryOf(name: string, address: string, scope = SCOPE) {
  const nameIn = (folder: string) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).name;
  const directory = PUBLISHED.find((folder) => inScope(nameIn(folder), scope) === name);
  return { type: "git", url: `git+${address}.git`, directory };
}
