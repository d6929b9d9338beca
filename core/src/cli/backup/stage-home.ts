import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isFileHash } from "../../base/file-ref.ts";
import { envFileIn } from "../../config/env-file.ts";
import { filesFolder } from "../../files/file-store.ts";
import { snapshots } from "../../host/open-store.ts";
import { sha256Of } from "./archive.ts";
import { MANIFEST, type Manifest, STORE_FILE } from "./manifest.ts";

/** How often a folder is copied anew because a plugin wrote to it meanwhile. */
const MOST_ATTEMPTS = 5;

export interface StagedHome {
  readonly manifest: Manifest;
  /** Folders of plugins that changed during every attempt: what is in their files may not fit together. */
  readonly unsteady: readonly string[];
}

/** Copies what a backup holds of a home into `stage`, each part as it stands at one moment, and writes its manifest. */
export async function stageHome(
  home: string,
  stage: string,
  { config, hermes, now }: { readonly config: string | null; readonly hermes: string; readonly now: number },
): Promise<StagedHome> {
  const unsteady: string[] = [];
  const plugins = join(home, "plugins");
  // Before the store: what a plugin has taken in is in the store then.
  for (const name of existsSync(plugins) ? readdirSync(plugins) : []) {
    const folder = join(plugins, name);
    if (!lstatSync(folder).isDirectory()) continue;
    if (!(await copySteadily(folder, join(stage, "plugins", name)))) unsteady.push(folder);
  }
  copyFiles(home, stage);
  mkdirSync(dirname(join(stage, STORE_FILE)), { recursive: true, mode: 0o700 });
  const { copyDatabase } = await snapshots();
  await copyDatabase(join(home, STORE_FILE), join(stage, STORE_FILE));
  // Again: those that rows of the copy name may have been kept since, and others removed.
  copyFiles(home, stage);
  for (const name of ["trusted-folders.json", "chat-history"]) copyIfThere(join(home, name), join(stage, name));
  if (config !== null) {
    mkdirSync(join(stage, "config"), { mode: 0o700 });
    copyIfThere(config, join(stage, "config", basename(config)));
    copyIfThere(envFileIn(dirname(config)), join(stage, "config", ".env"));
  }
  const files = filesIn(stage).map(({ path, size }) => ({ path, size, sha256: sha256Of(join(stage, path)) }));
  const manifest: Manifest = { format: 1, hermes, createdAt: now, files };
  writeFileSync(join(stage, MANIFEST), JSON.stringify(manifest), { mode: 0o600 });
  return { manifest, unsteady };
}

/** False when something was written there during each attempt. */
async function copySteadily(from: string, to: string): Promise<boolean> {
  const { copyDatabase, isDatabase } = await snapshots();
  for (let attempt = 1; ; attempt++) {
    const before = fingerprint(from);
    try {
      for (const { path } of filesIn(from)) {
        if (/-(wal|shm|journal)$/.test(path)) continue;
        const [source, target] = [join(from, path), join(to, path)];
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
        if (isDatabase(source)) await copyDatabase(source, target);
        else copyFileSync(source, target);
      }
      if (fingerprint(from) === before) return true;
    } catch (error) {
      // A file was replaced by another just now.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || attempt === MOST_ATTEMPTS) throw error;
    }
    if (attempt === MOST_ATTEMPTS) return false;
    rmSync(to, { recursive: true, force: true });
  }
}

/** Changes when a file other than a database does: those are copied as of one moment anyway. */
function fingerprint(folder: string): string {
  const files = filesIn(folder).filter(({ path }) => !/\.db(-wal|-shm|-journal)?$/.test(path));
  return JSON.stringify(files);
}

/** The plain files in a folder; links and sockets are left out. */
function filesIn(
  folder: string,
  at = "",
): { readonly path: string; readonly size: number; readonly changed: number }[] {
  return readdirSync(join(folder, at), { withFileTypes: true }).flatMap((entry) => {
    const path = at === "" ? entry.name : `${at}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(folder, path);
    const stat = entry.isFile() ? lstatSync(join(folder, path), { throwIfNoEntry: false }) : undefined;
    return stat === undefined ? [] : [{ path, size: stat.size, changed: stat.mtimeMs }];
  });
}

/** Copies the files that sessions name, those that are not there yet. Their content never changes. */
function copyFiles(home: string, stage: string): void {
  const [from, to] = [filesFolder(home), filesFolder(stage)];
  const names = existsSync(from) ? readdirSync(from).filter(isFileHash) : [];
  if (names.length > 0) mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of names) {
    try {
      if (!existsSync(join(to, name))) copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
    } catch (error) {
      // Its last session was deleted just now.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
}

function copyIfThere(from: string, to: string): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isFile()) copyFileSync(from, to);
}
