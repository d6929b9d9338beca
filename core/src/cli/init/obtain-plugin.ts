import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { packageFolder } from "../../plugin/package-json.ts";
import type { Output } from "../../terminal/output.ts";
import { install, makeProject } from "../plugins/package-manager.ts";
import { nameIn } from "../plugins/package-spec.ts";
import { type KnownPlatform, type LoadedPlugin, loadPlugin } from "./catalogue.ts";

/**
 * Loads plugins for their questions. One that is not installed yet is fetched into a temporary folder, which is gone at the
 * end: the project gets it with everything else, after the last question.
 */
export class PluginShelf implements Disposable {
  readonly #folder: string;
  readonly #output: Output;
  #temporary: string | null = null;

  /** `folder`: where the config is, or will be. */
  constructor(folder: string, output: Output) {
    this.#folder = folder;
    this.#output = output;
  }

  /** Throws what the package manager says, and PLUGIN_INVALID. */
  async take(known: KnownPlatform): Promise<LoadedPlugin> {
    return (await loadPlugin(known, this.#folder)) ?? (await this.#fetched(known, []));
  }

  /** The same with packages beside it, which it has to find. */
  async takeWith(plugin: LoadedPlugin, packages: readonly string[]): Promise<LoadedPlugin> {
    const isThere = packages.every((spec) => packageFolder(nameIn(spec), plugin.manifest.folder) !== null);
    return isThere ? plugin : this.#fetched(plugin, packages);
  }

  async #fetched(known: KnownPlatform, packages: readonly string[]): Promise<LoadedPlugin> {
    this.#temporary ??= mkdtempSync(join(tmpdir(), "hermes-init-"));
    this.#output.line(`Fetching ${[known.package, ...packages].join(" and ")} to see what it asks for.`);
    makeProject(this.#temporary);
    await install(this.#temporary, [known.package, ...packages], this.#output);
    const plugin = await loadPlugin(known, this.#temporary);
    if (plugin !== null) return plugin;
    throw new HermesError("PLUGIN_NOT_FOUND", { package: known.package, tried: this.#temporary });
  }

  [Symbol.dispose](): void {
    if (this.#temporary !== null) rmSync(this.#temporary, { recursive: true, force: true });
  }
}
