import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/**
 * Replaces a file that only its owner reads (mode 0600). Whoever reads it, also after this process was killed at any
 * moment, finds the old content or the new one, and never a part; of two processes that write at once, one has its
 * way. Does not fsync unless `isDurable`.
 */
export function replaceFile(
  path: string,
  content: string,
  { isDurable = false }: { readonly isDurable?: boolean | undefined } = {},
): void {
  const draft = `${path}.${process.pid}.new`;
  const file = openSync(draft, "w", 0o600);
  try {
    // Unlike `writeSync`, all of it or an error: a disk that is full takes a part.
    writeFileSync(file, content);
    if (isDurable) fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}
