import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, statfsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { HermesError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { STORE_FOLDER, swapHomes } from "../../host/finish-restore.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import { openStore, snapshots } from "../../host/open-store.ts";
import type { Output } from "../../terminal/output.ts";
import { requireConfirmed } from "../confirm.ts";
import type { CliContext } from "../context.ts";
import { readArchive, unpackArchive } from "./archive.ts";
import { timeName } from "./back-up.ts";
import { freePath } from "./free-path.ts";
import { type Manifest, STORE_FILE, unfit } from "./manifest.ts";
import { fillHome, isMounted } from "./mounted-home.ts";

interface RestoreOptions {
  readonly withPlugins?: boolean;
  readonly yes?: boolean;
}

/** Of the present home, what does not come along: it is put aside with the rest. */
const LEFT_BEHIND = ["store", "files", "cache", "backups"];

/** `hermes restore <file>`: sessions as they were; the present home is put aside. */
export async function restore(context: CliContext, name: string, options: RestoreOptions): Promise<number> {
  const { io, output } = context;
  prepareHome(hermesHome(io.environment));
  const home = realpathSync(hermesHome(io.environment));
  const file = resolve(io.workingDirectory, name);
  if (!existsSync(file)) throw new HermesError("FILE_FAILED", { file, reason: "there is no such file" });
  const manifest = readArchive(file);
  // A home that cannot be renamed, such as a container's volume, stays, and only its store is replaced.
  const stays = isMounted(home);
  if (stays && options.withPlugins) throw staysWithPlugins(home);
  const replaced = stays ? join(home, STORE_FOLDER) : home;
  requireRoom(file, dirname(replaced), manifest);

  const store = join(home, STORE_FILE);
  const { lockAlone } = await snapshots();
  using lock = existsSync(store) ? lockAlone(store) : { [Symbol.dispose]: () => {} };
  if (lock === null) throw new HermesError("HOME_IN_USE", { home });
  if (!options.yes && !(await isMeant(output, replaced, manifest))) {
    output.line("Nothing was restored.");
    return 1;
  }
  const now = systemClock.now();
  const staged = stays ? join(home, ".restoring") : `${home}.restoring`;
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { mode: 0o700 });
  try {
    unpackArchive(file, staged, manifest);
    const held = await makeHomeOf(staged, file, manifest, now);
    // What may run on this machine is decided on it, and by no file from elsewhere.
    rmSync(join(staged, "trusted-folders.json"), { force: true });
    const aside = freePath(`${replaced}.before-${timeName(now)}`);
    if (stays) fillHome(home, staged, aside);
    else {
      keepOfPresent(home, staged, options);
      swapHomes(home, staged, aside);
    }
    output.document({ home, aside, createdAt: manifest.createdAt, ...held });
    output.line(`Restored from ${file}, as it was on ${new Date(manifest.createdAt).toLocaleString()}.`);
    output.line(
      `The former ${stays ? "store" : "home"} is ${aside}; delete it once you are sure that nothing is missing.`,
    );
    if (held.unsent > 0) {
      const messages = count(held.unsent, "message");
      output.line(`${messages} waited to be sent and may have been since: held back in \`hermes deliveries\`.`);
    }
    if (held.unanswered > 0) {
      output.line(`${count(held.unanswered, "message")} waited for an answer and may have got it: not answered again.`);
    }
    if (held.handoffs > 0) output.line(`${count(held.handoffs, "handoff")} under way: ended; hand off again.`);
    return 0;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Checks the unpacked files, and makes a usable home of them. */
async function makeHomeOf(staged: string, file: string, manifest: Manifest, now: number) {
  const { checkDatabase, isDatabase, settleRestored } = await snapshots();
  for (const { path } of manifest.files) {
    if (isDatabase(join(staged, path))) checkDatabase(join(staged, path));
    else if (path === STORE_FILE) throw unfit(file, "its store is none");
  }
  // Throws STORE_TOO_NEW, and brings an earlier one up to date.
  await (await openStore(staged)).close();
  if (existsSync(join(staged, "config"))) renameSync(join(staged, "config"), join(staged, "restored-config"));
  return settleRestored(join(staged, STORE_FILE), manifest.createdAt, now);
}

/**
 * The present home keeps what it has but the store. Platforms have gone on since the backup: keys and places in their
 * histories of then would not fit them any more, unless those of now are lost or damaged.
 */
function keepOfPresent(home: string, staged: string, { withPlugins = false }: RestoreOptions): void {
  for (const name of readdirSync(home)) {
    if (LEFT_BEHIND.includes(name)) continue;
    if (name !== "plugins") copyInto(join(home, name), join(staged, name));
    else {
      for (const plugin of readdirSync(join(home, "plugins"))) {
        const there = join(staged, "plugins", plugin);
        if (!withPlugins || !existsSync(there)) copyInto(join(home, "plugins", plugin), there);
      }
    }
  }
}

function copyInto(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

function requireRoom(file: string, folder: string, { files }: Manifest): void {
  const needed = files.reduce((sum, { size }) => sum + size, 0);
  const { bavail, bsize } = statfsSync(folder);
  if (needed > bavail * bsize) throw new HermesError("DISK_FULL", { file: `the ${needed} bytes of ${file}` });
}

function staysWithPlugins(home: string): HermesError {
  const reason = `--with-plugins replaces all of ${home}, which cannot be renamed: it is mounted, or in a folder of others`;
  return new HermesError("USAGE", { reason, command: "hermes restore" });
}

function isMeant(output: Output, replaced: string, { createdAt }: Manifest): Promise<boolean> {
  const when = new Date(createdAt).toLocaleString();
  return requireConfirmed(output, `Put ${replaced} aside, and continue with the sessions of ${when}?`, {
    reason: "Moving the present home aside needs your confirmation: pass --yes",
    command: "hermes restore",
  });
}
