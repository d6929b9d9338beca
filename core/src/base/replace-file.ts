import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Replaces a file atomically, with mode 0600 or the one that is given. A reader finds the old content or the new one, never
 * a part, even if this process is killed meanwhile; of two concurrent writers, one wins. A write that fails leaves nothing
 * behind. Does not fsync unless `isDurable`.
 */
export function replaceFile(
  path: string,
  content: string,
  { isDurable = false, mode = 0o600 }: { readonly isDurable?: boolean | undefined; readonly mode?: number } = {},
): void {
  const draft = `${path}.${process.pid}.new`;
  // What lies there already, such as a link, would lead the content elsewhere, or keep it open to others.
  rmSync(draft, { force: true });
  const file = openSync(draft, "wx", mode);
  try {
    // Not `writeSync`: on a full disk, that writes a part without an error.
    writeFileSync(file, content);
    if (isDurable) fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    // A write does not say which file it was for.
    throw Object.assign(error as Error, { path });
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
