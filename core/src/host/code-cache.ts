import { lstatSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { hermesHome } from "./home.ts";
import { CODE_CACHE, openingsOf } from "./home-openings.ts";

/** Where earlier versions had them, some made of configs with the secrets in these. */
const FORMER_CODE_CACHE = join("cache", "code");

/**
 * Lets Node keep what it has compiled, so that the next start compiles less. Nothing is kept without a home, nor where
 * others could have put something in its place; Node's own variables say where it is kept otherwise, and that it is not.
 */
export function useCodeCache(environment: NodeJS.ProcessEnv): void {
  removeFormer(environment);
  const { enableCompileCache, registerHooks } = process.getBuiltinModule("node:module");
  // Without hooks, a config could not be kept from it.
  if (environment.NODE_COMPILE_CACHE || typeof registerHooks !== "function") return;
  const folder = join(hermesHome(environment), CODE_CACHE);
  // What Node writes is as open as this process leaves new files: one that others may write to would open the home.
  const mask = process.umask(0o077);
  try {
    if (!isClosedOwn(hermesHome(environment))) return;
    mkdirSync(folder, { recursive: true });
    if ((lstatSync(folder).mode & 0o077) !== 0 || openingsOf(folder).length > 0) return;
    enableCompileCache(folder);
    process.once("exit", () => process.umask(0o077));
  } catch {
    // It is compiled once more.
  } finally {
    process.umask(mask);
  }
}

function removeFormer(environment: NodeJS.ProcessEnv): void {
  try {
    rmSync(join(hermesHome(environment), FORMER_CODE_CACHE), { recursive: true, force: true });
  } catch {
    // It is somebody else's.
  }
}

/** Whether a home is there, belongs to whoever runs this process, and is closed to all others' writing. */
function isClosedOwn(home: string): boolean {
  const found = statSync(home, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & 0o022) !== 0) return false;
  return process.geteuid === undefined || found.uid === process.geteuid();
}
