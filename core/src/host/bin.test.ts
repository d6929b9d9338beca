import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test.each(["--version", "-v"])("hermes %s answers without loading the rest of Hermes", async (option) => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-bin-"));
  try {
    // A copy of only the launcher: anything else that it loaded would be missing.
    cpSync(join(import.meta.dirname, "../../bin"), join(folder, "bin"), { recursive: true });
    writeFileSync(join(folder, "package.json"), `{ "version": "7.8.9", "type": "module" }`);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "bin/hermes.js"), option]);
    expect(stdout).toBe("7.8.9\n");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
