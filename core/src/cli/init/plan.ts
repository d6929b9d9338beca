import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigEdit, ConfigForm, EditedConfig } from "../../config/edit-config.ts";
import { CORE_FOLDER } from "../../config/own-project.ts";
import { besideHermes, manifestOrNull } from "../../plugin/manifest.ts";
import { packageFolder } from "../../plugin/package-json.ts";
import { nameIn } from "../plugins/package-spec.ts";
import { optionsInConfig } from "./ask-options.ts";
import { type Init, isEmpty } from "./draft.ts";
import { withEnvIgnored } from "./env-lines.ts";

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
  format: ConfigForm,
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
    const there = draft.accounts.has(plugin.platform) ? null : optionsInConfig(init, plugin.platform);
    const account = options.account ?? there?.account;
    const ofAccount = typeof account === "string" ? { account } : {};
    return { kind: "plugin", package: plugin.package, exportName: plugin.exportName, options, ...ofAccount };
  });
  return [
    ...(draft.model === undefined ? [] : [{ kind: "set", key: "model", value: draft.model } as const]),
    ...[...draft.providers].map(([key, value]) => ({ kind: "set", under: "providers", key, value }) as const),
    ...platforms,
  ];
}

/**
 * Those that a config in the folder would not find; also those that an earlier run was cut off from. Beside a Hermes that
 * belongs to no project, its own plugins are found. As soon as one is installed in the folder, so is core, which is what
 * runs there from then on, and all others have to be beside that.
 */
function missingPackages(init: Init): string[] {
  const { target, flags, draft, config } = init;
  const { folder } = target;
  const isHere = (spec: string) => packageFolder(nameIn(spec), folder) !== null;
  const drafted = [...draft.platforms.values()];
  const manifests = drafted.map(({ plugin }) => plugin.manifest);
  const plugins = [
    ...manifests.map(({ package: name, version }) => (version === null ? name : `${name}@^${version}`)),
    ...config.plugins.map(({ descriptor }) => descriptor.package),
    ...config.brokenPlugins.flatMap((one) => (one.error.code === "PLUGIN_NOT_FOUND" ? one.package : [])),
  ].filter((spec) => !spec.startsWith("."));
  const more = drafted.flatMap(({ packages }) => packages);
  const core = coreSpec();
  const isCode = target.file === null && flags.format === "ts";
  const isEnough =
    !isHere(core) &&
    plugins.every((spec) => manifestOrNull(nameIn(spec), folder) !== null) &&
    more.every(isHere) &&
    (!isCode || besideHermes().has(nameIn(core)));
  if (isEnough) return [];
  const byName = new Map([...plugins, ...more].reverse().map((spec) => [nameIn(spec), spec]));
  const missing = [...byName.values()].reverse().filter((spec) => !isHere(spec));
  return isHere(core) || (missing.length === 0 && !isCode) ? missing : [core, ...missing];
}

function coreSpec(): string {
  const { name, version } = JSON.parse(textOf(join(CORE_FOLDER, "package.json"))) as { name: string; version: string };
  return `${name}@^${version}`;
}

export function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}
