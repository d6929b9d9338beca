import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
// By its place: it is of no entry that others import.
import { systemdUnit } from "../../core/src/cli/service/systemd-unit.ts";

const NAMES = ["plain", "with blanks", "50% off %h", `"quoted" 'twice'`, "Zoë 日本", "$HOME $$ %%", "a;b&c|d#e"];

it.each(NAMES)("systemd takes the unit of a gateway in a folder called %s", async (name) => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-unit-"));
  try {
    const place = join(folder, name);
    mkdirSync(place);
    // A program that is there: systemd says so where it reads another path.
    copyFileSync("/bin/true", join(place, "node"));
    const file = join(folder, "hermes.service");
    const unit = (program: string) =>
      systemdUnit(
        {
          command: [join(place, program), join(place, "hermes.js"), "gateway"],
          workingDirectory: place,
          environment: { HERMES_HOME: place },
        },
        252,
      );
    writeFileSync(file, unit("node"));
    expect(await verify(file, folder)).toBe("");
    // By way of `env`, which systemd knows nothing more of.
    if (/["']/.test(name)) return;
    writeFileSync(file, unit("missing"));
    expect(await verify(file, folder)).toContain(`${join(place, "missing")} is not executable`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What systemd says against a unit. */
async function verify(file: string, runtime: string): Promise<string> {
  const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: runtime, HOME: runtime };
  const run = promisify(execFile)("systemd-analyze", ["--user", "--man=no", "verify", file], { env });
  const { stdout, stderr } = await run.catch((error: { code?: unknown; stdout: string; stderr: string }) => {
    if (typeof error.code !== "number") throw error;
    return error;
  });
  return `${stdout}${stderr}`;
}
