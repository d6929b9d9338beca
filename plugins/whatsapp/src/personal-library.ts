import { createRequire } from "node:module";
import { HermesError } from "@hermes/core";

/**
 * The library for linked devices. Users install it themselves: a part of it, libsignal, is under the GPL-3.0, and this
 * plugin is under the MIT licence.
 */
export const PERSONAL_LIBRARY = "@whiskeysockets/baileys@7.0.0-rc14";

const [LIBRARY_NAME = ""] = PERSONAL_LIBRARY.split(/(?<=.)@/);

/** Whether the library is installed where this plugin finds it. Loads nothing of it. */
export function hasPersonalLibrary(): boolean {
  try {
    createRequire(import.meta.url).resolve(LIBRARY_NAME);
    return true;
  } catch (error) {
    // A package without an entry for `require` is installed too.
    return (error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND";
  }
}

/** Imports a module that needs the library. Throws PLUGIN_NEEDS_PACKAGE if the library is not installed. */
export async function withPersonalLibrary<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isLibraryMissing(error)) throw error;
    const fields = {
      package: "@hermes/plugin-whatsapp",
      needed: PERSONAL_LIBRARY,
      purpose: 'linked devices (`transport: "personal"`)',
    };
    throw new HermesError("PLUGIN_NEEDS_PACKAGE", fields, { cause: error });
  }
}

function isLibraryMissing(error: unknown): boolean {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && String(message).includes(LIBRARY_NAME);
}
