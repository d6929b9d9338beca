import { existsSync, realpathSync, rmSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { readIfThere } from "../../base/kept-json.ts";
import { upwardsFrom } from "../../base/upwards-from.ts";
import { type CheckedConfig, checkConfig } from "../../config/check-config.ts";
import { type ConfigEdit, editConfig, newConfig } from "../../config/edit-config.ts";
import { type ConfigRequest, findConfig } from "../../config/find-config.ts";
import { CORE_FOLDER, isOwnProject } from "../../config/own-project.ts";
import { throwUnlessReadable } from "../../config/read-config.ts";
import { settleChange } from "../../config/settle-change.ts";
import { isTrustedFolder } from "../../config/trusted-folders.ts";
import { writeConfig } from "../../config/write-config.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import { canAsk, confirm } from "../confirm.ts";
import { confirmChangeOn } from "../confirm-change.ts";
import type { CliContext } from "../context.ts";
import { makeProject, projectFolder } from "./package-manager.ts";

/** The result of an edit: the written config, or the lines for a person to paste. */
export type ConfigOutcome = { readonly isChanged: boolean } | { readonly paste: string };

/** The config that plugins are added to, and the project that they are installed in. */
export class PluginProject {
  readonly home: string;
  /** The config; it may not be there yet. */
  readonly file: string;
  readonly #trustedFolder: string | null;
  readonly #context: CliContext;
  readonly #request: ConfigRequest;
  /** What stood in the config before it was edited; null where there was none, undefined where it was not edited. */
  #before: string | null | undefined;

  private constructor(
    context: CliContext,
    found: { readonly file: string; readonly trustedFolder: string | null; readonly request: ConfigRequest },
  ) {
    this.home = found.request.home;
    this.file = found.file;
    this.#trustedFolder = found.trustedFolder;
    this.#request = found.request;
    this.#context = context;
  }

  /**
   * The config that is used here, as it was trusted; without one, a new one for the project that Hermes is installed in, or
   * in Hermes' home. `asks`: a person at the terminal is asked about a config that has changed. Throws
   * CONFIG_NOT_TRUSTED, CONFIG_CHANGED.
   */
  static async find(context: CliContext, { asks = true } = {}): Promise<PluginProject> {
    const { environment, workingDirectory } = context.io;
    const home = hermesHome(environment);
    prepareHome(home);
    const request = { configPath: context.configPath, environment, workingDirectory, home };
    const found = findConfig(request);
    const [untrusted] = found.untrusted;
    // It is the one that was meant, rather than the one in the home.
    if (untrusted !== undefined) throw new HermesError("CONFIG_NOT_TRUSTED", { file: untrusted });
    await settleChange(found, { home, confirmChange: asks ? confirmChangeOn(context.output) : undefined });
    const file = found.file ?? join(folderForNew(workingDirectory, home), "hermes.config.json");
    const isTrusted = found.file === null && dirname(file) !== home && isTrustedFolder(home, dirname(file));
    const trustedFolder = isTrusted ? dirname(file) : found.trustedFolder;
    return new PluginProject(context, { file, trustedFolder, request });
  }

  /** Where plugins are looked for from. */
  get folder(): string {
    return dirname(this.file);
  }

  /** Where packages are installed; null where there is no project yet. */
  get packagesFolder(): string | null {
    if (this.folder === this.home) return existsSync(join(this.home, "package.json")) ? this.home : null;
    return projectFolder(this.folder, this.#context.io.environment);
  }

  /**
   * The same, made where it is missing: in Hermes' home, or where a person agrees. Throws PROJECT_MISSING.
   */
  async needPackagesFolder(isAgreed: boolean): Promise<string> {
    const { output } = this.#context;
    const found = this.packagesFolder;
    if (found !== null) return found;
    const isMeant =
      isAgreed ||
      this.folder === this.home ||
      (canAsk(output) &&
        (await confirm(output, `${this.folder} has no package.json. Make one to install packages with?`)));
    if (!isMeant) throw new HermesError("PROJECT_MISSING", { folder: this.folder });
    makeProject(this.folder);
    return this.folder;
  }

  /** Whether a package's name stands anywhere in the config, but on a line that is a comment. */
  names(name: string): boolean {
    return this.#text
      .replaceAll(/^\s*(?:\/\/|#|\/?\*).*$/gm, "")
      .split(/[^\w@/.~-]+/)
      .includes(name);
  }

  /** Whether the config has a plugin of a package, under whichever account. */
  async has(name: string): Promise<boolean> {
    if (!this.names(name)) return false;
    const { config } = await this.check();
    // Of one that cannot be used yet nobody can tell.
    if (config === null) return true;
    const { plugins, brokenPlugins } = config;
    return [...plugins.map(({ descriptor }) => descriptor), ...brokenPlugins].some((one) => one.package === name);
  }

  get #text(): string {
    return readIfThere(this.file) ?? "";
  }

  /** Edits the config, and keeps it trusted where it was. Throws CONFIG_UNREADABLE for JSON or YAML that is none. */
  async edit(edits: readonly ConfigEdit[]): Promise<ConfigOutcome> {
    const before = readIfThere(this.file);
    if (before !== null) await throwUnlessReadable(this.file, before);
    const edited = before === null ? { text: await newConfig("json", edits) } : await this.#edited(before, edits);
    if ("paste" in edited) return edited;
    if (edited.text === before) return { isChanged: false };
    this.#write(before, edited.text);
    this.#before ??= before;
    return { isChanged: true };
  }

  /** Puts the config back as it was before it was edited. */
  undoEdit(): void {
    if (this.#before === undefined) return;
    if (this.#before === null) rmSync(this.file, { force: true });
    else this.#write(this.#text, this.#before);
    this.#before = undefined;
  }

  /** Loads the config as it stands now. */
  check(): Promise<CheckedConfig> {
    return checkConfig({ ...this.#request, configPath: this.#request.configPath ?? this.file });
  }

  #edited(text: string, edits: readonly ConfigEdit[]) {
    return editConfig({ path: this.file, text }, edits);
  }

  #write(before: string | null, text: string): void {
    const { file, home } = this;
    writeConfig({ file, before, text, home, trustedFolder: this.#trustedFolder });
  }
}

/** A project that Hermes is installed in, whose config it would load, or that is trusted; else Hermes' home. */
export function folderForNew(workingDirectory: string, home: string, coreFolder = CORE_FOLDER): string {
  for (const folder of upwardsFrom(workingDirectory)) {
    if (!existsSync(join(folder, "package.json"))) continue;
    const modules = join(realpathSync(folder), "node_modules") + sep;
    const isInstalledIn = coreFolder.startsWith(modules) && isOwnProject(folder, coreFolder);
    if (isInstalledIn || isTrustedFolder(home, folder)) return resolve(folder);
  }
  return home;
}
