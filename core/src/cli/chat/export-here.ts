import { lstat, mkdir, open, rm, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileError, HermesError, reasonOf } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { exportName } from "../../command/export-name.ts";
import { codeSpan } from "../../markdown/escape-markdown.ts";
import type { Session } from "../../model/session.ts";
import { transcriptAsMarkdown } from "../../model/transcript-as-markdown.ts";
import type { TerminalHost } from "../context.ts";
import { exportFiles, filesFolder } from "../sessions/exported-files.ts";

/**
 * Writes a session into a new file, its files beside it, and returns where it is. `file` is its path from `folder`, or a
 * folder that is there; null for `folder` itself. Throws EXPORT_THERE.
 */
export async function exportHere(
  folder: string,
  host: TerminalHost,
  session: Session,
  file: string | null,
): Promise<string> {
  const messages = await host.store.transcripts.read(session.id, {});
  const { path, handle } = await placeFor(folder, session, file).catch((error: unknown) => {
    if (file === null || error instanceof HermesError) throw fileError(error) ?? error;
    throw fileError(error) ?? new HermesError("FILE_FAILED", { file, reason: reasonOf(error) });
  });
  try {
    const { paths, missing } = await exportFiles(path, messages, host.files);
    await handle.writeFile(transcriptAsMarkdown(session, messages, paths));
    const beside = paths.size === 0 ? "" : ` and ${count(paths.size, "file")} beside it`;
    const gone =
      missing.length === 0 ? "" : ` Not there any more: ${missing.map(({ name }) => codeSpan(name)).join(", ")}.`;
    return `Wrote ${codeSpan(path)} (${count(messages.length, "message")})${beside}.${gone}`;
  } catch (error) {
    await rm(path, { force: true });
    throw fileError(error, undefined, path) ?? error;
  } finally {
    await handle.close();
  }
}

async function placeFor(workingDirectory: string, session: Session, file: string | null) {
  if (file === null) return newFile(workingDirectory, session);
  const named = file.replaceAll(/^["']|["']$/g, "");
  const path = resolve(workingDirectory, named.replace(/^~(?=\/)/, homedir()));
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => named.endsWith("/"),
  );
  await mkdir(isFolder ? path : dirname(path), { recursive: true });
  if (isFolder) return newFile(path, session);
  if (await isThere(filesFolder(path))) throw new HermesError("EXPORT_THERE", { path: filesFolder(path) });
  try {
    return { path, handle: await open(path, "wx", 0o600) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new HermesError("EXPORT_THERE", { path });
  }
}

/** A file that was not there, nor a folder for what goes beside it: `plan.md`, else `plan-2.md`. */
async function newFile(folder: string, session: Session) {
  for (let number = 1; ; number++) {
    const path = join(folder, exportName(session, number));
    if (await isThere(filesFolder(path))) continue;
    try {
      return { path, handle: await open(path, "wx", 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
