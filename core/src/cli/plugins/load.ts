import type { CliContext } from "../context.ts";
import { loadPackage } from "./loaded-plugin.ts";
import { PluginProject } from "./plugin-project.ts";

/** What `hermes plugins load` prints with `--json`. */
export interface LoadedDocument {
  readonly plugins?: readonly { readonly package: string; readonly version: string | null }[];
  readonly error?: { readonly message: string };
}

/** `hermes plugins load`, for Hermes itself: loads plugins as they are installed now, and changes nothing. */
export async function loadPlugins(context: CliContext, names: readonly string[]): Promise<number> {
  const project = await PluginProject.find(context);
  const plugins: { package: string; version: string | null }[] = [];
  for (const name of names) {
    const { version } = await loadPackage(name, project.folder);
    plugins.push({ package: name, version });
  }
  context.output.document({ plugins } satisfies LoadedDocument);
  return 0;
}
