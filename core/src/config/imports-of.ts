import { existsSync } from "node:fs";
import { dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readPlainFile } from "../base/plain-file.ts";
import { CODE_ENDINGS, codeFilesIn, foldersIn } from "./content.ts";

/** What `./a.js` means where only the TypeScript that it is made of is there. */
const WRITTEN_AS: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx"],
  ".mjs": [".mts"],
  ".cjs": [".cts"],
  ".jsx": [".tsx"],
};

/** Every text in quotes that begins as a path does: imports of all forms, and plugins that are named by their file. */
const QUOTED = /(["'`])(\.{1,2}(?:\/(?:(?!\1)[^\n])*)?|(?:\/|file:|#)(?:(?!\1)[^\n])*)\1/g;

/** The same in YAML, where quotes can be left out. */
const UNQUOTED = /(?:^|[\s,[])(\.{1,2}\/[^\s,\]#]+)/gm;

/** An import of what is worked out only when it runs: `import(join(folder, name))`, `require("./p/" + name)`. */
const WORKED_OUT = /\b(?:import|require)\s*\(\s*(?:[^\s"'`)]|(["'`])(?:(?!\1)[^\n])*\1\s*[^\s,)])/;

/** How many folders are looked through for what such an import may mean. */
const MOST_FOLDERS = 500;

/**
 * What a file may import, see {@link contentOf}: also files that are not there, which would be taken before others if they
 * were. It is found by the texts in the file rather than by running it, and names too much rather than too little.
 * Packages are left out: what lies in `node_modules`, and links there to elsewhere.
 */
export function importsOf(file: string, text: string): string[] {
  const named = [...text.matchAll(QUOTED)].map(([, , path]) => path ?? "");
  if (/\.ya?ml$/.test(file)) named.push(...[...text.matchAll(UNQUOTED)].map(([, path]) => path ?? ""));
  const found = [...named.flatMap((path) => filesFor(path, file)), ...ownExports(text, file)];
  if (WORKED_OUT.test(text) && extname(file) !== ".json") found.push(...filesBelow(dirname(file)));
  return [...new Set(found)].filter((path) => !path.includes(`${sep}node_modules${sep}`));
}

function filesFor(named: string, from: string): string[] {
  if (named.startsWith("#")) return ownImports(named, from);
  // A path that is put together from parts may mean any file of its folder.
  const variable = named.search(/\$\{/);
  if (variable >= 0) return filesIn(resolve(dirname(from), named.slice(0, variable).replace(/[^/]*$/, "")));
  const path = pathOf(named, from);
  if (path === null) return [];
  if (named.endsWith("/")) return [...filesIn(path), ...withEndings(join(path, "index"))];
  const ending = extname(path);
  const written = (WRITTEN_AS[ending] ?? []).map((other) => path.slice(0, -ending.length) + other);
  if (CODE_ENDINGS.includes(ending)) return [path, ...written];
  return [...withEndings(path), ...withEndings(join(path, "index"))];
}

function pathOf(named: string, from: string): string | null {
  const [path = ""] = named.split(/[?]/, 1);
  try {
    return path.startsWith("file:") ? fileURLToPath(path) : resolve(dirname(from), path);
  } catch {
    return null;
  }
}

function withEndings(path: string): string[] {
  return CODE_ENDINGS.map((ending) => path + ending);
}

/** The files of a folder, and which there are. */
function filesIn(folder: string): string[] {
  const names = codeFilesIn(folder);
  return names === null ? [] : [`${folder}/`, ...names.map((name) => join(folder, name))];
}

/** The same of the folders in it, too. */
function filesBelow(folder: string): string[] {
  const folders = [folder];
  for (const at of folders) {
    if (folders.length > MOST_FOLDERS) break;
    folders.push(...foldersIn(at).map((name) => join(at, name)));
  }
  return folders.slice(0, MOST_FOLDERS).flatMap(filesIn);
}

/** A package that imports itself by its name, and by whatever of its files its `exports` say. */
function ownExports(text: string, from: string): string[] {
  const packageFile = nearestPackage(dirname(from));
  const { name, exports } = packageFile === null ? {} : packageIn(packageFile);
  if (packageFile === null || typeof name !== "string" || exports === undefined) return [];
  const isNamed = ['"', "'", "`"].some((quote) => text.includes(quote + name));
  if (!isNamed) return [];
  const files = textsIn(exports).flatMap((path) =>
    path.includes("*")
      ? filesBelow(resolve(dirname(packageFile), path.slice(0, path.indexOf("*")).replace(/[^/]*$/, "")))
      : filesFor(path, packageFile),
  );
  return [`${packageFile}#exports`, ...files];
}

/** `#name`, by the `imports` of the nearest package.json: every file that it may stand for. */
function ownImports(named: string, from: string): string[] {
  const packageFile = nearestPackage(dirname(from));
  if (packageFile === null) return [];
  const { imports } = packageIn(packageFile);
  const targets = Object.entries(imports ?? {}).flatMap(([name, target]) => {
    const [before = "", after] = name.split("*");
    const fits = after === undefined ? named === name : named.startsWith(before) && named.endsWith(after);
    if (!fits) return [];
    const part = after === undefined ? "" : named.slice(before.length, named.length - after.length);
    return textsIn(target)
      .filter((path) => path.startsWith("./"))
      .flatMap((path) => filesFor(path.replaceAll("*", part), packageFile));
  });
  return targets.length === 0 ? [] : [`${packageFile}#imports`, ...targets];
}

interface OwnPackage {
  readonly name?: unknown;
  readonly imports?: Record<string, unknown>;
  readonly exports?: unknown;
}

function packageIn(packageFile: string): OwnPackage {
  try {
    return Object(JSON.parse(readPlainFile(packageFile))) as OwnPackage;
  } catch {
    return {};
  }
}

function nearestPackage(folder: string): string | null {
  const file = join(folder, "package.json");
  if (existsSync(file)) return file;
  return dirname(folder) === folder ? null : nearestPackage(dirname(folder));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
