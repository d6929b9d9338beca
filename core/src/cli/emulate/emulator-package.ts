import { createRequire } from "node:module";
import type { ChatKind } from "../../adapter/conversation.ts";
import { HermesError } from "../../base/errors.ts";
import type { ImportModule } from "../../plugin/load-part.ts";

const PACKAGE = "@hermes/emulator";

/** The part of an emulator that is printed; the whole contract is in the package. */
export interface RunningEmulator {
  readonly platform: string;
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly chats: readonly EmulatedChat[];
  readonly people: readonly { readonly id: string; readonly name: string }[];
}

export interface EmulatedChat {
  readonly id: string;
  readonly name: string;
  readonly kind: ChatKind;
  readonly hasThreads: boolean;
  readonly label: string;
}

/** An emulator with its console, on one port. */
export interface ServedEmulator extends AsyncDisposable {
  readonly emulator: RunningEmulator;
  /** The page on which one writes as a person. */
  readonly consoleUrl: string;
}

/** What a plugin's `./emulator` exports. */
export interface EmulatorModule {
  startEmulator(options?: object): Promise<RunningEmulator>;
}

export interface EmulatorPackage {
  serveEmulator(module: EmulatorModule, options: { readonly port: number }): Promise<ServedEmulator>;
}

/**
 * The package that serves emulators: the one beside the plugin, else the one beside Hermes. It is not installed with
 * Hermes, whose users need none. Throws PLUGIN_NEEDS_PACKAGE.
 */
export async function importEmulatorPackage(
  pluginModule: string,
  plugin: string,
  importModule: ImportModule,
): Promise<EmulatorPackage> {
  for (const from of [pluginModule, import.meta.url]) {
    const path = resolveFrom(from);
    if (path !== null) return (await importModule(path)) as EmulatorPackage;
  }
  throw new HermesError("PLUGIN_NEEDS_PACKAGE", { package: plugin, needed: PACKAGE, purpose: "its emulator" });
}

function resolveFrom(file: string): string | null {
  try {
    return createRequire(file).resolve(PACKAGE);
  } catch {
    return null;
  }
}
