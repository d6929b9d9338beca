import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { ConfigEdit, EditedConfig } from "../../config/edit-config.ts";
import { CORE_FOLDER } from "../../config/own-project.ts";
import { besideHermes } from "../../plugin/manifest.ts";
import { optionsInConfig } from "./ask-options.ts";
import { type Init, isEmpty } from "./draft.ts";
import { withEnvIgnored } from "./env-lines.ts";
import type { Format } from "./flags.ts";
import { isPluginInstalled, nameIn } from "./obtain-plugin.ts";

/** What is going to be done when the last question is answered with yes. */
export interface Plan {
  /** The config's file, which may not be there yet. */
  readonly file: string;
  readonly edits: readonly ConfigEdit[];
  /** The lines for a person to paste, where the config cannot be edited; null where it can. */
  readonly paste: string | null;
  /** Names of variables that the `.env` gets. */
  readonly variables: readonly string[];
  readonly isEnvIgnored: boolean;
  /** Packages to install, as `name@range`. */
  readonly packages: readonly string[];
}

/** Works the answers out. Writes nothing. */
export async function planOf(init: Init): Promise<Plan> {
  const { target, flags, draft } = init;
  const file = target.file ?? join(target.folder, `hermes.config.${flags.format}`);
  const edits = editsOf(init);
  const edited = edits.length === 0 ? null : await editedConfig(target.file, flags.format, edits);
  return {
    file,
    edits,
    paste: edited !== null && "paste" in edited ? edited.paste : null,
    variables: [...draft.variables.keys()],
    isEnvIgnored: target.isHome || withEnvIgnored(textOf(join(target.folder, ".gitignore"))) === null,
    packages: missingPackages(init),
  };
}

/** The text of the config as it is going to be. */
export async function editedConfig(
  file: string | null,
  format: Format,
  edits: readonly ConfigEdit[],
): Promise<EditedConfig> {
  const { editConfig, newConfig } = await import("../../config/edit-config.ts");
  return file === null
    ? { text: await newConfig(format, edits) }
    : editConfig({ path: file, text: readFileSync(file, "utf8") }, edits);
}

function editsOf(init: Init): ConfigEdit[] {
  const { draft } = init;
  if (isEmpty(draft)) return [];
  const platforms = [...draft.platforms.values()].map(({ plugin, options }): ConfigEdit => {
    const account = options.account ?? optionsInConfig(init, plugin.platform)?.account;
    const ofAccount = typeof account === "string" ? { account } : {};
    return { kind: "plugin", package: plugin.package, exportName: plugin.exportName, options, ...ofAccount };
  });
  return [
    ...(draft.model === undefined ? [] : [{ kind: "set", key: "model", value: draft.model } as const]),
    ...platforms,
  ];
}

/** Those that a config in the folder would not find; also those that an earlier run was cut off from. */
function missingPackages({ target, flags, draft, config }: Init): string[] {
  const { folder } = target;
  const wanted = [...draft.platforms.values()].flatMap(({ plugin, packages }) => {
    const { package: name, version } = plugin.manifest;
    const own = isPluginInstalled(name, folder) ? [] : [version === null ? name : `${name}@^${version}`];
    return [...own, ...packages.filter((spec) => !isFound(nameIn(spec), folder))];
  });
  const core = target.file === null && flags.format === "ts" ? missingCore(folder) : [];
  const broken = config.brokenPlugins.filter(({ error }) => error.code === "PLUGIN_NOT_FOUND");
  const named = broken.map((plugin) => plugin.package).filter((name) => !name.startsWith("."));
  return [...new Set([...core, ...wanted, ...named.filter((name) => !wanted.some((spec) => nameIn(spec) === name))])];
}

/** A config that is code imports core itself. */
function missingCore(folder: string): string[] {
  const { name, version } = JSON.parse(textOf(join(CORE_FOLDER, "package.json"))) as { name: string; version: string };
  return isFound(name, folder) || besideHermes().includes(name) ? [] : [`${name}@^${version}`];
}

function isFound(name: string, folder: string): boolean {
  try {
    createRequire(join(folder, "hermes.js")).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}

export function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
