import { basename } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { readManifest } from "../../plugin/manifest.ts";
import { dependenciesIn } from "../../plugin/package-json.ts";
import type { CliContext } from "../context.ts";
import { inNewProcess } from "./in-new-process.ts";
import { type LoadedPackage, loadPackage } from "./loaded-plugin.ts";
import { PackageChange } from "./package-change.ts";
import { install } from "./package-manager.ts";
import { installedFor, type PackageSpec, parseSpec } from "./package-spec.ts";
import { PluginProject } from "./plugin-project.ts";
import { lockPlugins } from "./plugins-lock.ts";
import { printAdded } from "./print-added.ts";

export interface AddOptions {
  readonly yes?: boolean;
  /** What is named was installed by the process that started this one. */
  readonly installed?: boolean;
}

/**
 * `hermes plugins add`: installs plugins, adds them to the config, and checks that they load. When one does not, all is as
 * it was before.
 */
export async function addPlugins(
  context: CliContext,
  words: readonly string[],
  { yes = false, installed: isInstalled = false }: AddOptions,
): Promise<number> {
  const given = words.map((word) => parseSpec(word, context.io.workingDirectory, "hermes plugins add"));
  const project = await PluginProject.find(context);
  const specs = given.map((spec, at) => installedSpec(words[at] ?? "", project.folder) ?? spec);
  using lock = lockPlugins(project.home);
  const missing = isInstalled ? [] : specs.filter((spec) => isMissing(spec, project.folder));
  const { names, undo } =
    missing.length === 0 ? nothingInstalled(specs) : await installMissing(context, project, { specs, missing, yes });
  try {
    // What is found in a project that uses Plug'n'Play is settled when a process starts.
    if (missing.length > 0 && process.versions.pnp !== undefined) {
      lock[Symbol.dispose]();
      const code = await inNewProcess(context, ["plugins", "add", "--installed", ...names]);
      if (code !== 0) await undo();
      return code;
    }
    await addToConfig(context, project, { names, installed: missing.length > 0 });
    return 0;
  } catch (error) {
    project.undoEdit();
    await undo();
    throw error;
  }
}

/** The plugin that is installed for a platform, whoever made it; null where there is none. */
function installedSpec(platform: string, folder: string): PackageSpec | null {
  const name = installedFor(platform, folder);
  return name === null ? null : { spec: name, name, isExact: false };
}

/** Installs what is missing; undoes that where it fails. Returns the names of all, and what undoes it later. */
async function installMissing(
  { output }: CliContext,
  project: PluginProject,
  { specs, missing, yes }: Readonly<Record<"specs" | "missing", readonly PackageSpec[]>> & { readonly yes: boolean },
) {
  const hadFolder = project.packagesFolder !== null;
  const folder = await project.needPackagesFolder(yes);
  const change = new PackageChange(folder, output, { isNew: !hadFolder });
  const undo = async () => {
    await change.undo();
    output.note(`Nothing was added: ${folder} is as it was before.`);
  };
  try {
    const wanted = missing.map(({ spec }) => spec);
    await install(folder, wanted, output);
  } catch (error) {
    await undo();
    throw error;
  }
  const changed = change.changed();
  return { names: specs.flatMap((spec) => nameOf(spec, changed, folder)), undo };
}

/** Loads plugins that are installed, and adds to the config those that it lacks. Throws what makes them unusable. */
async function addToConfig(
  context: CliContext,
  project: PluginProject,
  { names, installed }: { readonly names: readonly string[]; readonly installed: boolean },
): Promise<void> {
  const plugins: LoadedPackage[] = [];
  for (const name of names) plugins.push(await loadPackage(name, project.folder));
  const newOnes: LoadedPackage[] = [];
  for (const plugin of plugins) if (!(await project.has(plugin.package))) newOnes.push(plugin);
  const outcome = await project.edit(
    newOnes.map(({ package: name, exportName }) => ({ kind: "plugin", package: name, exportName, options: {} })),
  );
  const problems = "paste" in outcome ? [] : await problemsWith(project, names);
  const unusable = problems.find((problem) => makesUnusable(problem, names));
  if (unusable !== undefined) throw unusable;
  printAdded(context, { config: project.file, plugins, installed, outcome, problems });
}

function nothingInstalled(specs: readonly PackageSpec[]) {
  return { names: specs.flatMap(({ name }) => name ?? []), undo: () => Promise.resolve() };
}

function isMissing({ name, isExact }: PackageSpec, folder: string): boolean {
  if (isExact || name === null) return true;
  try {
    readManifest(name, folder);
    return false;
  } catch (error) {
    // Report a package that is installed but is no plugin.
    return error instanceof HermesError && error.code === "PLUGIN_NOT_FOUND";
  }
}

/** The name that a package of a folder or a tarball turned out to have. */
function nameOf({ name, spec }: PackageSpec, changed: readonly string[], folder: string): string[] {
  if (name !== null) return [name];
  const from = Object.entries(dependenciesIn(folder)).filter(([, wanted]) => wanted.endsWith(basename(spec)));
  const found = from.map(([one]) => one);
  const [only = changed.at(-1)] = found.some((one) => changed.includes(one))
    ? found.filter((one) => changed.includes(one))
    : found;
  return only === undefined ? [] : [only];
}

/** What is wrong with the config, as far as it may be the new plugins' doing. */
async function problemsWith(project: PluginProject, names: readonly string[]): Promise<readonly HermesError[]> {
  const { problems } = await project.check();
  return problems.filter((problem) => !problem.code.startsWith("PLUGIN_") || makesUnusable(problem, names));
}

function makesUnusable({ code, fields }: HermesError, names: readonly string[]): boolean {
  if (code === "CONFIG_UNREADABLE" || code === "CONFIG_NO_EXPORT") return true;
  return (
    code.startsWith("PLUGIN_") &&
    [fields.package, fields.first, fields.second].some((one) => names.includes(String(one)))
  );
}
