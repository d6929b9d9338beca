import { CORE_FOLDER } from "../../../config/own-project.ts";
import { coreOf } from "../../../host/project-copy.ts";
import { manifestOrNull } from "../../../plugin/manifest.ts";
import { packageJsonIn } from "../../../plugin/package-json.ts";
import { installationOf } from "../../update/installation.ts";
import { type Check, type DoctorContext, type DoctorFinding, ok, problem, warning } from "../check.ts";

export const versionsCheck: Check = {
  name: "versions",
  title: "Versions",
  async run(context) {
    const own = versionIn(CORE_FOLDER);
    const found = [...copies(context), ...unmetPeers(context, own)];
    return found.length > 0 ? found : [ok(`Hermes ${own} (${CORE_FOLDER}) is the only copy.`)];
  },
};

interface CopyFinder {
  /** What finds a copy there. */
  readonly who: string;
  readonly folder: string;
}

/** Plugins, and what the config imports, share no classes with a core that is not the one that runs. */
function copies({ checked, workingDirectory }: DoctorContext): DoctorFinding[] {
  const own = versionIn(CORE_FOLDER);
  const others = new Map<string, string[]>();
  for (const { who, folder } of placesOf(checked?.config ?? null, workingDirectory)) {
    const core = coreOf(folder);
    if (core !== null && core !== CORE_FOLDER) others.set(core, [...(others.get(core) ?? []), who]);
  }
  return [...others].map(([core, who]) => {
    const version = versionIn(core);
    const message = `There are two copies of Hermes: ${CORE_FOLDER} (${own}) runs, and ${who.join(", ")} has ${core} (${version}).`;
    const hint = hintForCopy(CORE_FOLDER, core);
    return version === own ? warning(message, hint) : problem(message, hint);
  });
}

/** How one copy of two is got: by what installed the other one, and whether that can merge them. */
export function hintForCopy(ownFolder: string, otherFolder: string): string {
  const [own, other] = [installationOf(ownFolder), installationOf(otherFolder)];
  if (other.how === "global") {
    return "Packages that were installed for the whole machine keep copies of their own: uninstall the plugin there (`npm uninstall -g`), and run `hermes plugins add` with its name where the config is.";
  }
  if (own.root === other.root) return `Run \`npm ls @hermes/core\` and \`npm dedupe\` in ${other.root}.`;
  return `Start the copy of ${other.root}, with \`npx hermes\` in it; \`hermes trust\` there lets every Hermes do so.`;
}

function placesOf(
  config: {
    readonly folder: string;
    readonly path: string | null;
    readonly plugins: readonly { readonly descriptor: { readonly package: string } }[];
  } | null,
  workingDirectory: string,
): CopyFinder[] {
  if (config === null) return [{ who: "the project here", folder: workingDirectory }];
  const plugins = config.plugins.flatMap(({ descriptor }): CopyFinder[] => {
    const manifest = manifestOrNull(descriptor.package, config.folder);
    return manifest === null ? [] : [{ who: manifest.package, folder: manifest.folder }];
  });
  return [{ who: "the project of the config", folder: config.folder }, ...plugins];
}

function unmetPeers({ checked }: DoctorContext, own: string): DoctorFinding[] {
  const config = checked?.config ?? null;
  return (config?.plugins ?? []).flatMap(({ descriptor }) => {
    const manifest = manifestOrNull(descriptor.package, config?.folder ?? "");
    const peers = manifest && Object(packageJsonIn(manifest.folder)?.peerDependencies);
    const wanted: unknown = peers?.["@hermes/core"];
    if (typeof wanted !== "string" || isMet(wanted, own)) return [];
    const message = `${descriptor.package} is made for Hermes ${wanted}; this is ${own}.`;
    return [warning(message, `Run \`npm install ${descriptor.package}@latest\`, or a Hermes that fits.`)];
  });
}

/** Of the ranges, the forms that npm writes by itself; any other is left to npm, which judges it when it installs. */
export function isMet(range: string, version: string): boolean {
  const [, sign, ...wanted] = /^([\^~]?)(\d+)\.(\d+)\.(\d+)$/.exec(range) ?? [];
  if (sign === undefined) return true;
  const have = version.split(/[.-]/, 3).map(Number);
  const want = wanted.map(Number);
  const firstThatCounts = Math.max(
    0,
    want.findIndex((part) => part > 0),
  );
  const fixed = sign === "" ? 3 : sign === "~" ? 2 : firstThatCounts + 1;
  const isSame = want.slice(0, fixed).every((part, at) => part === have[at]);
  const rest = want.findIndex((part, at) => part !== have[at]);
  return isSame && (rest < 0 || (have[rest] ?? 0) > (want[rest] ?? 0));
}

function versionIn(folder: string): string {
  return String(packageJsonIn(folder)?.version ?? "unknown");
}
