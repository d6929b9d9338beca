import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** The folder that a plugin keeps its things in, made where it is not there (mode 0700); one for each account. */
export function pluginFolder(home: string, platform: string, account?: string): string {
  const name = account === undefined ? platform : `${platform}@${encodeURIComponent(account)}`;
  const folder = join(home, "plugins", name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
