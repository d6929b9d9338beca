import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { readIfThere } from "../../base/kept-json.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { isUserFolder } from "../../host/home.ts";
import { packageJsonIn } from "../../plugin/package-json.ts";
import type { Output } from "../../terminal/output.ts";
import { runManager } from "./run-manager.ts";

type ManagerName = "npm" | "pnpm" | "yarn" | "bun";

/** What installs the packages of a project. */
export interface PackageManager {
  readonly name: ManagerName;
  /** Yarn 2 or newer. */
  readonly isBerry: boolean;
  /** The project is the root of a workspace: some want to be told that it is meant itself. */
  readonly isWorkspaceRoot: boolean;
  /** The files in which it keeps what is installed, where there are such. */
  readonly lockFiles: readonly string[];
}

const LOCKS: readonly (readonly [file: string, name: ManagerName])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/**
 * The package manager of the project in `folder`, by `packageManager` in package.json or the lock file there or at the
 * root of the workspace; else npm.
 */
export function packageManagerOf(folder: string): PackageManager {
  const root = workspaceRoot(folder);
  const places = root === null || root === folder ? [folder] : [folder, root];
  const lockFiles = places
    .flatMap((place) => LOCKS.map(([file]) => join(place, file)))
    .filter((file) => existsSync(file));
  const found = places.map(managerIn).find((one) => one !== null) ?? { name: "npm", version: null };
  const isBerry = found.name === "yarn" && isModernYarn(places, found.version);
  return { name: found.name, isBerry, isWorkspaceRoot: root === folder, lockFiles };
}

/** The nearest folder with a package.json, from `folder` upwards; null where that is the user's own, or there is none. */
export function projectFolder(folder: string, environment: NodeJS.ProcessEnv): string | null {
  const found = [...upwardsFrom(folder)].find((at) => existsSync(join(at, "package.json"))) ?? null;
  return found === null || isUserFolder(found, environment) ? null : found;
}

/** Creates a minimal package.json if there is none. Returns a function that undoes that. */
export function makeProject(folder: string): () => void {
  const file = join(folder, "package.json");
  if (existsSync(file)) return () => {};
  const least = `${JSON.stringify({ private: true }, null, 2)}\n`;
  replaceFile(file, least);
  return () => {
    if (readIfThere(file) === least) rmSync(file);
  };
}

/**
 * Installs packages into the project in `folder` and writes them into its package.json: names, `name@version`, or
 * absolute paths. Says how far it is. Throws PACKAGE_MANAGER_MISSING, PACKAGE_MANAGER_FAILED, PACKAGE_UNKNOWN,
 * REGISTRY_UNREACHABLE, PROJECT_MISSING, FILE_FAILED.
 */
export async function install(folder: string, packages: readonly string[], output: Output): Promise<void> {
  const manager = managerFor(folder);
  await runManager(manager, { folder, args: installing(manager, packages), doing: "installs", packages, output });
}

/** Takes packages out of the project in `folder`. Throws as `install` does. */
export async function uninstall(folder: string, packages: readonly string[], output: Output): Promise<void> {
  const manager = managerFor(folder);
  await runManager(manager, { folder, args: uninstalling(manager, packages), doing: "takes out", packages, output });
}

/** Installs the newest versions of packages. Throws as `install` does. */
export async function update(folder: string, packages: readonly string[], output: Output): Promise<void> {
  const manager = managerFor(folder);
  const newest = packages.map((name) => `${name}@latest`);
  await runManager(manager, { folder, args: installing(manager, newest), doing: "updates", packages, output });
}

function managerFor(folder: string): PackageManager {
  if (!existsSync(join(folder, "package.json"))) throw new HermesError("PROJECT_MISSING", { folder });
  return packageManagerOf(folder);
}

/** For npm, what is left out is only said for people. */
const QUIETLY = ["--no-audit", "--no-fund"];

function installing({ name, isBerry, isWorkspaceRoot }: PackageManager, packages: readonly string[]): string[] {
  if (name === "npm") return ["install", ...QUIETLY, "--", ...packages];
  if (name === "pnpm") return ["add", ...(isWorkspaceRoot ? ["--workspace-root"] : []), "--", ...packages];
  if (name === "bun" || isBerry) return ["add", ...packages];
  return ["add", "--non-interactive", ...(isWorkspaceRoot ? ["--ignore-workspace-root-check"] : []), ...packages];
}

function uninstalling({ name, isBerry, isWorkspaceRoot }: PackageManager, packages: readonly string[]): string[] {
  if (name === "npm") return ["uninstall", ...QUIETLY, "--", ...packages];
  if (name === "pnpm") return ["remove", ...(isWorkspaceRoot ? ["--workspace-root"] : []), "--", ...packages];
  if (name === "bun" || isBerry) return ["remove", ...packages];
  return ["remove", "--non-interactive", ...(isWorkspaceRoot ? ["--ignore-workspace-root-check"] : []), ...packages];
}

function managerIn(folder: string): { readonly name: ManagerName; readonly version: string | null } | null {
  const [, named, version = null] =
    /^(npm|pnpm|yarn|bun)@(\S+)/.exec(String(packageJsonIn(folder)?.packageManager)) ?? [];
  if (named !== undefined) return { name: named as ManagerName, version };
  const lock = LOCKS.find(([file]) => existsSync(join(folder, file)));
  return lock === undefined ? null : { name: lock[1], version: null };
}

function isModernYarn(places: readonly string[], version: string | null): boolean {
  if (version !== null) return !/^[01]\./.test(version);
  return places.some((place) => {
    if (existsSync(join(place, ".yarnrc.yml"))) return true;
    return readIfThere(join(place, "yarn.lock"))?.includes("__metadata:") ?? false;
  });
}

/** The root of the workspace that a folder belongs to; null if it belongs to none. */
function workspaceRoot(folder: string): string | null {
  for (const at of upwardsFrom(folder)) {
    if (existsSync(join(at, "pnpm-workspace.yaml")) || packageJsonIn(at)?.workspaces !== undefined) return at;
    if (at !== folder && existsSync(join(at, ".git"))) return null;
    if (dirname(at) === at) return null;
  }
  return null;
}
