import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { HERMES_BIN, HermesMachine } from "../support/hermes-process.ts";

/** Runs commands with the machine's home on a disk of 6 MiB that only they see; `hermes` and `fill` are commands there. */
async function onSmallDisk({ home, environment }: HermesMachine, script: string): Promise<string> {
  const start = `mkdir -p "${home}" && mount -t tmpfs -o size=6m,mode=0700 small "${home}" && cd "${home}"
    hermes() { "${process.execPath}" "${HERMES_BIN}" "$@" 2>&1; echo "code $?"; }
    fill() { cat /dev/zero > "$1" 2> /dev/null; }`;
  const words = ["--map-root-user", "--mount", "sh", "-c", `${start}\n${script}`];
  const { stdout } = await promisify(execFile)("unshare", words, { env: environment });
  return stdout;
}

const canMount = spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "x", "/mnt"]).status === 0;

it.skipIf(!canMount)("a full disk is told in a sentence, and no part of a file is left", async () => {
  await using machine = new HermesMachine();
  const room = "Free some space, then try again.\ncode 1\n";
  const backup = await onSmallDisk(
    machine,
    "hermes chat -q Hello > /dev/null; fill zero; hermes backup b.tar.gz; hermes sessions export 1 -o e.md; ls -A",
  );
  expect(backup).toContain(`There is no room left on the disk for ${machine.home}/b.tar.gz.\n${room}`);
  expect(backup).toContain(`There is no room left for the store ${machine.home}/store/hermes.db.\n${room}`);
  expect(backup).not.toMatch(/ENOSPC|I\/O|SQLITE|\.hermes-backup|b\.tar\.gz$/m);

  const before = await onSmallDisk(machine, "fill zero; hermes sessions");
  expect(before).toBe(`There is no room left for the store ${machine.home}/store/hermes.db.\n${room}`);
});
