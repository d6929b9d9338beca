import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord } from "../../base/shell-word.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";

/** How this Hermes came to this machine, and what brings a newer one. */
export interface Installation {
  readonly how: "checkout" | "npx" | "global" | "project";
  /** For a person to run. */
  readonly command: string;
  /** The folder that has the outermost `node_modules`; of a checkout, that of core's package. */
  readonly root: string;
}

type Manager = "npm" | "pnpm" | "yarn" | "bun";

/** What people install who write no project of their own. */
export const FRONT = "hermes-handoff";

const CORE = "@hermes/core";

const LOCK_FILES: readonly (readonly [file: string, manager: Manager])[] = [
  ["package-lock.json", "npm"],
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** Parts of the paths below which package managers install for all projects. */
const GLOBAL: readonly (readonly [path: RegExp, manager: Manager])[] = [
  [/[/\\]pnpm[/\\]global[/\\]/, "pnpm"],
  [/[/\\]\.?yarn[/\\](?:data[/\\])?global[/\\]/i, "yarn"],
  [/[/\\]\.bun[/\\]install[/\\]global[/\\]/, "bun"],
  [/[/\\]lib[/\\]node_modules[/\\]/, "npm"],
  [/[/\\](?:npm|nodejs)[/\\]node_modules[/\\]/, "npm"],
];

/** Tells by where the folder of core lies. */
export function installationOf(coreFolder: string): Installation {
  const [root, inside] = splitAtModules(coreFolder);
  if (inside === null) return { how: "checkout", root, command: "git pull && npm ci && npm run build" };
  if (/[/\\]_npx[/\\]/.test(coreFolder)) return { how: "npx", root, command: `npx ${FRONT}@latest` };
  const global = GLOBAL.find(([path]) => path.test(coreFolder));
  if (global) {
    const name = /^(@[^/\\]+[/\\][^/\\]+|[^/\\@.][^/\\]*)/.exec(inside)?.[0].replace("\\", "/") ?? FRONT;
    return { how: "global", root, command: `${globalAdd(global[1])} ${name}@latest` };
  }
  const packages = hermesPackagesOf(root).map((name) => `${name}@latest`);
  return {
    how: "project",
    root,
    command: `cd ${shellWord(root)} && ${projectAdd(managerOf(root))} ${packages.join(" ")}`,
  };
}

/** The folder with the outermost `node_modules`, and its contents; null if there is none. */
function splitAtModules(folder: string): readonly [root: string, inside: string | null] {
  const match = /^(.*?)[/\\]node_modules[/\\](.*)$/s.exec(folder);
  return match ? [match[1] || "/", match[2] ?? ""] : [dirname(folder), null];
}

/** By the nearest lock file: that of a workspace lies above. */
function managerOf(root: string): Manager {
  for (const folder of upwardsFrom(root)) {
    const found = LOCK_FILES.find(([file]) => existsSync(join(folder, file)));
    if (found) return found[1];
  }
  return "npm";
}

/** The packages of Hermes that a project names. */
function hermesPackagesOf(root: string): string[] {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const named = Object.keys({ ...Object(dependencies), ...Object(devDependencies) });
    const own = named.filter((name) => name === FRONT || dirname(name) === dirname(CORE));
    return own.length > 0 ? own : [CORE];
  } catch {
    return [CORE];
  }
}

function globalAdd(manager: Manager): string {
  return { npm: "npm install -g", pnpm: "pnpm add -g", yarn: "yarn global add", bun: "bun add -g" }[manager];
}

function projectAdd(manager: Manager): string {
  return manager === "npm" ? "npm install" : `${manager} add`;
}
