import { existsSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { asHermesError, HermesError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { findConfig } from "../../config/find-config.ts";
import { hermesHome, prepareHome } from "../../host/home.ts";
import type { CliContext } from "../context.ts";
import { version } from "../version.ts";
import { writeArchive } from "./archive.ts";
import { STORE_FILE } from "./manifest.ts";
import { stageHome } from "./stage-home.ts";

/** `hermes backup [file]`: sessions and what plugins keep, in one file; also while a gateway runs. */
export async function backUp(
  { io, output, configPath }: CliContext,
  name: string | undefined,
  { withConfig = false }: { readonly withConfig?: boolean },
): Promise<number> {
  const { environment, workingDirectory } = io;
  const home = hermesHome(environment);
  prepareHome(home);
  const now = systemClock.now();
  const file = resolve(workingDirectory, name ?? `hermes-${timeName(now)}.tar.gz`);
  if (existsSync(file)) throw new HermesError("FILE_FAILED", { file, reason: "it is there already" });
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory()) {
    throw new HermesError("FILE_FAILED", { file, reason: `there is no folder ${dirname(file)}` });
  }
  if (!existsSync(join(home, STORE_FILE))) {
    throw new HermesError("FILE_FAILED", { file: join(home, STORE_FILE), reason: "there is no store to back up" });
  }
  const found = withConfig ? findConfig({ configPath, environment, workingDirectory, home }).file : null;
  // Beside the archive: it holds the same, and is on the same disk.
  const stage = mkdtempSync(join(dirname(file), ".hermes-backup-"));
  try {
    const { manifest, unsteady } = await stageHome(home, stage, { config: found, hermes: version(), now });
    const part = join(stage, "archive.part");
    await writeArchive(part, stage, manifest);
    renameSync(part, file);
    const { size } = statSync(file);
    output.document({ file, size, files: manifest.files.length, withConfig: found !== null, unsteady });
    output.line(
      `${file}: ${count(manifest.files.length, "file")}, ${Math.ceil(size / 1024)} KB. Restore it with \`hermes restore\`.`,
    );
    output.line("It holds what was said, and keys of platforms that are linked: keep it where only you can read it.");
    if (found !== null) output.line(`It holds the config ${found} and its \`.env\` too, with the secrets in them.`);
    for (const folder of unsteady) {
      output.note(`${folder} kept changing; stop the gateway to get a consistent backup.`);
    }
    return 0;
  } catch (error) {
    // What is staged is gone in a moment: the backup is what the person asked for.
    throw asHermesError(error).code === "DISK_FULL" ? new HermesError("DISK_FULL", { file }, { cause: error }) : error;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** A time as a part of a file's name, in UTC. */
export function timeName(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
