import { existsSync } from "node:fs";
import { join } from "node:path";
import { KeptJson } from "@hermes/core";

/** The file that names the folder with the credentials of the linked device. */
export const POINTER = "linked.json";

/** The file with a linked device's identity, in its folder. */
export const IDENTITY = "creds.json";

/** Reads the name of the folder with the credentials of the linked device; null if none is linked. */
export function linkedFolder(pluginFolder: string): string | null {
  const { folder } = pointerIn(pluginFolder).read();
  return typeof folder === "string" && existsSync(join(pluginFolder, folder, IDENTITY)) ? folder : null;
}

/** The path of the file that names that folder. */
export function pointerIn(pluginFolder: string): KeptJson<{ readonly folder?: unknown }> {
  return new KeptJson(join(pluginFolder, POINTER), { empty: {}, parse: Object, isDurable: true });
}
