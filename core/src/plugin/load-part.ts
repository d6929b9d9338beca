import { pathToFileURL } from "node:url";
import { HermesError, reasonOf } from "../base/errors.ts";
import { checkApiVersion, type PluginManifest } from "./manifest.ts";
import type { PluginCli } from "./plugin-cli.ts";
import type { PluginSetup } from "./plugin-setup.ts";

/** Imports a module by its path. Tests bring their own: a worker of theirs resolves imports in another way. */
export type ImportModule = (path: string) => Promise<unknown>;

export const importModule: ImportModule = (path) => import(pathToFileURL(path).href);

/** The modules of a plugin beside its main one, by their key in the manifest. */
interface Parts {
  readonly cli: PluginCli;
  readonly setup: PluginSetup;
}

/**
 * Imports a part of a plugin: its module's default export, the export that is named as the part, or the module itself. Null
 * when the manifest names no such part. Throws PLUGIN_API_TOO_NEW, PLUGIN_API_TOO_OLD, PLUGIN_INVALID.
 */
export async function loadPart<Part extends keyof Parts>(
  manifest: PluginManifest,
  part: Part,
  importPart: ImportModule = importModule,
): Promise<Parts[Part] | null> {
  const path = manifest[part];
  if (path === null) return null;
  checkApiVersion(manifest);
  const invalid = (reason: string, cause?: unknown) =>
    new HermesError("PLUGIN_INVALID", { package: manifest.package, reason }, { cause });
  const module = await importPart(path).catch((error: unknown) => {
    throw invalid(`importing its ${part} failed: ${reasonOf(error)}`, error);
  });
  const exports = Object(module) as Record<string, unknown>;
  const exported = exports.default ?? exports[part] ?? module;
  if (typeof exported !== "object" || exported === null) throw invalid(`the module of its ${part} exports none`);
  return exported as Parts[Part];
}
