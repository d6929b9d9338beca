import { renameSync, writeFileSync } from "node:fs";

/**
 * Replaces a file that only its owner reads (mode 0600). Whoever reads it, also after this process was killed at any
 * moment, finds the old content or the new one, and never a part. It is not waited for until the disk has it.
 */
export function replaceFile(path: string, content: string): void {
  const draft = `${path}.new`;
  writeFileSync(draft, content, { mode: 0o600 });
  renameSync(draft, path);
}
