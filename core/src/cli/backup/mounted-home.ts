import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { STORE_FOLDER, swapHomes } from "../../host/finish-restore.ts";
import { freePath } from "./free-path.ts";

/** Whether a home cannot be renamed: it is where something is mounted, or only root may write to the folder it is in. */
export function isMounted(home: string): boolean {
  const parent = dirname(home);
  if (statSync(home).dev !== statSync(parent).dev) return true;
  try {
    accessSync(parent, constants.W_OK);
    // A folder that is mounted from the same disk.
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
    return mounts.some((mount) => mount.split(" ")[4] === home.replaceAll(" ", "\\040"));
  } catch (error) {
    return (error as NodeJS.ErrnoException).path === parent;
  }
}

/**
 * Moves what was staged into a home that stays in its place. Its store is replaced in one step and put aside; what plugins
 * keep comes along where the home has nothing of theirs, and so does each file of a session.
 */
export function fillHome(home: string, staged: string, aside: string): void {
  const own = readdirSync(staged, { withFileTypes: true }).flatMap(({ name }) =>
    ["plugins", "files"].includes(name) ? readdirSync(join(staged, name)).map((one) => join(name, one)) : name,
  );
  for (const path of own.filter((one) => one !== STORE_FOLDER)) {
    const place = path === "restored-config" ? freePath(join(home, path)) : join(home, path);
    if (existsSync(place)) continue;
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    renameSync(join(staged, path), place);
  }
  swapHomes(join(home, STORE_FOLDER), join(staged, STORE_FOLDER), aside);
}
