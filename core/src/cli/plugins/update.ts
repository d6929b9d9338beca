import { sep } from "node:path";
import { HermesError, reasonOf } from "../../base/errors.ts";
import { installedPlugins } from "../../plugin/installed-plugins.ts";
import { manifestOrNull } from "../../plugin/manifest.ts";
import { dependenciesIn } from "../../plugin/package-json.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { documentOf } from "./in-new-process.ts";
import type { LoadedDocument } from "./load.ts";
import { loadPackage } from "./loaded-plugin.ts";
import { PackageChange } from "./package-change.ts";
import { update } from "./package-manager.ts";
import { installedFor, parseSpec } from "./package-spec.ts";
import { PluginProject } from "./plugin-project.ts";
import { lockPlugins } from "./plugins-lock.ts";

/** `hermes plugins update`: installs the newest versions; where one of them does not load, the former ones again. */
export async function updatePlugins(context: CliContext, words: readonly string[]): Promise<number> {
  const { output, io } = context;
  const project = await PluginProject.find(context);
  using _lock = lockPlugins(project.home);
  const folder = project.packagesFolder;
  const dependencies = folder === null ? {} : dependenciesIn(folder);
  const wanted = words.map((word) => {
    const { name } = parseSpec(word, io.workingDirectory, "hermes plugins update");
    return installedFor(word, project.folder) ?? name ?? word;
  });
  const absent = wanted.find((name) => dependencies[name] === undefined);
  if (absent !== undefined) {
    const fields = { package: absent, config: project.file, folder: folder ?? project.folder };
    throw new HermesError("PLUGIN_NOT_THERE", fields);
  }
  const elsewhere = (name: string) => notOfRegistry(dependencies[name]) ?? workspaceFolder(name, project.folder);
  const local = wanted.find((name) => elsewhere(name) !== null);
  if (local !== undefined) {
    const from = elsewhere(local);
    const reason = `${local} comes from ${from}, and not from a registry: add it again from there`;
    throw new HermesError("USAGE", { reason, command: "hermes plugins add" });
  }
  const all = installedPlugins(project.folder).map(({ package: name }) => name);
  const names =
    wanted.length > 0 ? wanted : all.filter((name) => dependencies[name] !== undefined && elsewhere(name) === null);
  const versionOf = (name: string) => manifestOrNull(name, project.folder)?.version ?? null;
  const former = new Map(names.map((name) => [name, versionOf(name)]));
  const newest = new Map<string, string | null>();
  if (names.length > 0 && folder !== null) await renew(folder);

  const plugins = names.map((name) => ({
    ...{ package: name, from: former.get(name) ?? null, to: newest.get(name) ?? null },
  }));
  output.document({ config: project.file, plugins });
  if (plugins.length === 0) output.line("No plugin is installed here that could be updated.");
  for (const { package: name, from, to } of plugins) {
    const change = from === to ? `is the newest already, ${to ?? "unknown"}` : `${from ?? "none"} → ${to ?? "none"}`;
    output.line(styled`${output.colors.bold(name)}  ${change}`);
  }
  if (plugins.some(({ from, to }) => from !== to)) {
    output.line("`hermes gateway restart` makes a running gateway use it.");
  }
  return 0;

  async function renew(folder: string): Promise<void> {
    const change = new PackageChange(folder, output, { isNew: false });
    try {
      await update(folder, names, output);
      if (process.versions.pnp === undefined) await loadHere();
      else await loadElsewhere();
    } catch (error) {
      await change.undo([...former].flatMap(([name, version]) => (version === null ? [] : `${name}@${version}`)));
      output.note("The former versions are back.");
      throw error;
    }
  }

  async function loadHere(): Promise<void> {
    for (const name of names) newest.set(name, (await loadPackage(name, project.folder)).version);
  }

  /** With Plug'n'Play, this process finds what was installed when it started. */
  async function loadElsewhere(): Promise<void> {
    const { plugins, error } = (await documentOf(context, ["plugins", "load", ...names])) as LoadedDocument;
    if (error) throw new HermesError("PLUGIN_INVALID", { package: names.join(", "), reason: reasonOf(error.message) });
    for (const { package: name, version } of plugins ?? []) newest.set(name, version);
  }
}

/** A folder, a tarball or a link that package.json names in the place of a version. */
function notOfRegistry(spec: string | undefined): string | null {
  return spec !== undefined && /^(?:file|link|portal|workspace|git|github|https?)[:+]/.test(spec) ? spec : null;
}

/** Where a package of the workspace itself lies: a registry may have somebody else's under its name. */
function workspaceFolder(name: string, folder: string): string | null {
  const found = manifestOrNull(name, folder)?.folder ?? null;
  return found?.split(sep).includes("node_modules") ? null : found;
}
