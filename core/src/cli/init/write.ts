import { existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { HermesError } from "../../base/errors.ts";
import { replaceFile } from "../../base/replace-file.ts";
import { placeOfConfig } from "../../config/content.ts";
import { envFileIn } from "../../config/env-file.ts";
import { isOwnProject } from "../../config/own-project.ts";
import { trustFolder, trustOwnEdit } from "../../config/trusted-folders.ts";
import { prepareHome } from "../../host/home.ts";
import { install, makeProject, projectFolder } from "../plugins/package-manager.ts";
import type { Init } from "./draft.ts";
import { withEnvIgnored, withVariablesSet } from "./env-lines.ts";
import { editedConfig, type Plan, textOf } from "./plan.ts";

const IGNORED = ".gitignore";

/**
 * Writes what was planned, each file whole or not at all. The config comes last, when all that it names is there: whoever
 * is killed on the way has the config of before. Returns the files that were written.
 */
export async function write(init: Init, plan: Plan): Promise<string[]> {
  const { target, home, flags, draft } = init;
  const { folder } = target;
  prepareHome(home);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const written: string[] = [];
  const put = (file: string, text: string, mode: number) => {
    const place = join(realpathSync(folder), basename(file));
    replaceFile(existsSync(place) ? realpathSync(place) : place, text, { mode, isDurable: true });
    written.push(place);
  };

  if (plan.variables.length > 0) {
    if (!plan.isEnvIgnored) putIgnored(join(folder, IGNORED), put);
    put(envFileIn(folder), withVariablesSet(textOf(envFileIn(folder)), draft.variables), 0o600);
  }
  if (plan.packages.length > 0) await installAll(init, plan.packages);
  if ((plan.edits.length > 0 || target.file === null) && plan.paste === null) {
    const edited = await editedConfig(target.file, flags.format, plan.edits);
    if ("paste" in edited) throw new HermesError("INIT_CONFIG_BY_HAND", { file: plan.file });
    put(plan.file, edited.text, modeOf(plan.file));
  }
  trustOwn(init, written);
  return written;
}

/** What was written here is trusted, and nothing else anew. In a folder that had no config, all of that is new. */
function trustOwn(init: Init, written: readonly string[]): void {
  const { target, home } = init;
  const { folder, file, isHome } = target;
  if (isHome || isOwnProject(folder) || written.length === 0) return;
  if (file === null) trustFolder(home, folder);
  const edited = file === null ? [] : written.filter((one) => basename(one) !== IGNORED);
  for (const one of edited) trustOwnEdit(home, folder, placeOfConfig(one));
}

function putIgnored(file: string, put: (file: string, text: string, mode: number) => void): void {
  const text = withEnvIgnored(textOf(file));
  if (text !== null) put(file, text, modeOf(file));
}

function modeOf(file: string): number {
  return existsSync(file) ? statSync(file).mode & 0o777 : 0o644;
}

/** Installs into the project that the config's folder lies in, else into that folder itself. */
async function installAll({ target, context }: Init, packages: readonly string[]): Promise<void> {
  const { io, output } = context;
  const found = projectFolder(target.folder, io.environment);
  if (found !== null) return install(found, packages, output);
  const undo = makeProject(target.folder);
  try {
    await install(target.folder, packages, output);
  } catch (error) {
    undo();
    throw error;
  }
}
