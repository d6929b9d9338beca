import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import type { FileRef } from "../../base/file-ref.ts";
import { safeFileName } from "../../files/file-name.ts";
import type { Files } from "../../files/files.ts";
import type { TranscriptMessage } from "../../model/transcript.ts";

/** What came of the files of a session that was exported. */
export interface ExportedFiles {
  /** The paths of the files that were written, from the folder of the export, by hash. */
  readonly paths: ReadonlyMap<string, string>;
  /** Files whose content is gone or damaged. */
  readonly missing: readonly FileRef[];
}

/** The folder beside an export for the files of its session: `plan-files` for `plan.md`. */
export function filesFolder(path: string): string {
  return join(dirname(path), `${basename(path, extname(path))}-files`);
}

/** Writes the files of a transcript beside its export: into `plan-files` for `plan.md`, each content once. */
export async function exportFiles(
  path: string,
  messages: readonly TranscriptMessage[],
  files: Files,
): Promise<ExportedFiles> {
  const all = messages.flatMap((message) => message.files ?? []);
  const folder = basename(filesFolder(path));
  const paths = new Map<string, string>();
  const missing: FileRef[] = [];
  const taken = new Set<string>();
  for (const file of new Map(all.map((one) => [one.hash, one])).values()) {
    const content = await files.read(file);
    if (content === null) {
      missing.push(file);
      continue;
    }
    const name = untaken(safeFileName(file.name), taken);
    await mkdir(join(dirname(path), folder), { recursive: true, mode: 0o700 });
    await writeFile(join(dirname(path), folder, name), content, { mode: 0o600 });
    paths.set(file.hash, `${folder}/${name}`);
  }
  return { paths, missing };
}

/** A name that no other file has: two may be called alike, and some file systems know no capitals. */
function untaken(name: string, taken: Set<string>): string {
  const ending = extname(name);
  for (let number = 1; ; number++) {
    const own = number === 1 ? name : `${name.slice(0, name.length - ending.length)}-${number}${ending}`;
    if (taken.has(own.toLowerCase())) continue;
    taken.add(own.toLowerCase());
    return own;
  }
}
