import { readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Adds a folder to those whose config may be loaded. Returns its real path. */
export function trustFolder(home: string, folder: string): string {
  const real = realpathSync(folder);
  const trusted = trustedFolders(home);
  if (trusted.includes(real)) return real;
  const file = listOf(home);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify([...trusted, real], null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return real;
}

export function isTrustedFolder(home: string, folder: string): boolean {
  try {
    return trustedFolders(home).includes(realpathSync(folder));
  } catch {
    return false;
  }
}

function trustedFolders(home: string): string[] {
  try {
    const list: unknown = JSON.parse(readFileSync(listOf(home), "utf8"));
    return Array.isArray(list) ? list.filter((entry) => typeof entry === "string") : [];
  } catch {
    // No list, or one that cannot be read: nothing is trusted.
    return [];
  }
}

function listOf(home: string): string {
  return join(home, "trusted-folders.json");
}
