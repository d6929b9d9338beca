import { existsSync } from "node:fs";
import { join } from "node:path";
import { KeptJson } from "@hermes/core";

/** Names the folder with the credentials of the linked device. */
export const POINTER = "linked.json";

/** In the folder of a linked device: who it is. */
export const IDENTITY = "creds.json";

/** The name of the folder with the credentials of the linked device; null when none is linked. */
export function linkedFolder(pluginFolder: string): string | null {
  const { folder } = pointerIn(pluginFolder).read();
  return typeof folder === "string" && existsSync(join(pluginFolder, folder, IDENTITY)) ? folder : null;
}

/** The file that names that folder. */
export function pointerIn(pluginFolder: string): KeptJson<{ readonly folder?: unknown }> {
  return new KeptJson(join(pluginFolder, POINTER), { empty: {}, parse: Object, isDurable: true });
}
