import { mkdirSync } from "node:fs";
import { join } from "node:path";

/** The folder that a plugin keeps its things in; one for each account, or package of tools. It may not be there. */
export function pluginFolderPath(home: string, platform: string, account?: string): string {
  const name = account === undefined ? platform : `${platform}@${encodeURIComponent(account)}`;
  return join(home, "plugins", name);
}

/** The same, made where it is not there (mode 0700). */
export function pluginFolder(home: string, platform: string, account?: string): string {
  const folder = pluginFolderPath(home, platform, account);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
