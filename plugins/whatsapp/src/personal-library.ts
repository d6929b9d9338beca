import { HermesError } from "@hermes/core";

/**
 * What speaks to WhatsApp as a linked device. Whoever wants that installs it: a part of it, libsignal, is under the
 * GPL-3.0, and does not come along with a plugin that is under the MIT licence.
 */
export const PERSONAL_LIBRARY = "@whiskeysockets/baileys@7.0.0-rc14";

/** Imports something that needs the library. Throws PLUGIN_NEEDS_PACKAGE where that is not installed. */
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
  const [name = ""] = PERSONAL_LIBRARY.split(/(?<=.)@/);
  return code === "ERR_MODULE_NOT_FOUND" && String(message).includes(name);
}
