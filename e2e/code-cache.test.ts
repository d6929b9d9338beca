import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { HERMES_BIN, HermesMachine } from "./support/hermes-process.ts";

const folderOf = (machine: HermesMachine) => join(machine.home, "cache", "compiled");

/** What lies in a folder, with the rights of others on it. */
const contentOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => ({
    name,
    rights: statSync(join(folder, name)).mode & 0o077,
  }));

it("Node keeps what it compiled in the home, closed to others whatever the umask", async () => {
  await using machine = new HermesMachine();
  mkdirSync(machine.home, { mode: 0o700 });
  const command = `umask 000; '${process.execPath}' '${HERMES_BIN}' sessions`;
  execFileSync("sh", ["-c", command], { env: machine.environment, cwd: machine.folder });
  const kept = contentOf(folderOf(machine));
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.filter(({ rights }) => rights !== 0)).toEqual([]);
  expect(await machine.run("sessions")).toMatchObject({ code: 0, stderr: "" });
});

it("a folder to which others may write gets and gives no code", async () => {
  await using machine = new HermesMachine();
  const folder = folderOf(machine);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o777);
  expect(await machine.run("--help")).toMatchObject({ code: 0, stderr: "" });
  expect(readdirSync(folder)).toEqual([]);
});

it("a command that needs no home makes none for its code", async () => {
  await using machine = new HermesMachine();
  expect(await machine.run("--help")).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(machine.home)).toBe(false);
});
