import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { type InstalledPlugin, installedPlugins } from "../../plugin/installed-plugins.ts";
import { isPlatformName } from "../../plugin/manifest.ts";

/** A package as a person names it. */
export interface PackageSpec {
  /** The argument for the package manager. */
  readonly spec: string;
  /** Null where it is known only once it is installed: of a folder or a tarball. */
  readonly name: string | null;
  /** Whether exactly this is meant, whatever is installed already. */
  readonly isExact: boolean;
}

/** The packages of Hermes' own plugins begin so. */
const OFFICIAL = "@hermes/plugin-";

const NAME = /^(?:@[a-z0-9~][a-z0-9-._~]*\/)?[a-z0-9~][a-z0-9-._~]*$/;
const VERSION = /^[\w^~][\w.+-]*$/;

/**
 * Reads what is behind `hermes plugins add`: the name of a platform, whose official plugin is meant, a package,
 * `package@version`, or the path of a folder or a tarball. Throws USAGE for anything else.
 */
export function parseSpec(word: string, workingDirectory: string, command: string): PackageSpec {
  if (/^(?:\.{1,2}(?:[/\\]|$)|\/|[A-Za-z]:[\\/])/.test(word) || /\.(?:tgz|tar\.gz)$/.test(word)) {
    const path = resolve(workingDirectory, word);
    if (!existsSync(path)) throw usage(`There is no ${path}`, command);
    return { spec: path, name: null, isExact: true };
  }
  const [, name = "", version] = /^(@?[^@]*)(?:@(.*))?$/s.exec(word) ?? [];
  if (!NAME.test(name) || (version !== undefined && !VERSION.test(version))) {
    throw usage(`${JSON.stringify(word)} names no package`, command);
  }
  const isPlatform = isPlatformName(name) && !name.startsWith("hermes-plugin-");
  const full = isPlatform ? `${OFFICIAL}${name}` : name;
  return { spec: version === undefined ? full : `${full}@${version}`, name: full, isExact: version !== undefined };
}

/** The installed plugin for a platform, whoever made it; null where there is none. */
export function installedFor(platform: string, folder: string): string | null {
  const isFor = ({ manifest }: InstalledPlugin) => manifest?.platform === platform;
  return installedPlugins(folder).find(isFor)?.package ?? null;
}

/** `package@version` without the version. */
export function nameIn(spec: string): string {
  return /^(@?[^@]+)/.exec(spec)?.[1] ?? spec;
}

function usage(reason: string, command: string): HermesError {
  return new HermesError("USAGE", { reason, command });
}
