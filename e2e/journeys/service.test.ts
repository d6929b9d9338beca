import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HERMES_BIN, HermesMachine } from "../support/hermes-process.ts";

let machine: HermesMachine;
beforeEach(() => {
  machine = new HermesMachine();
  machine.environment.PATH = `${join(machine.folder, "bin")}:${machine.environment.PATH}`;
});
afterEach(() => machine[Symbol.asyncDispose]());

const unitFile = () => join(machine.folder, ".config/systemd/user/hermes.service");
const calls = () => readFileSync(join(machine.folder, "calls"), "utf8").trim().split("\n");

/** A user manager of systemd, as far as it is asked: what was started is active until it is stopped. */
function fakeSystemd(): void {
  const { folder } = machine;
  mkdirSync(join(folder, "bin"));
  program("loginctl", "echo no");
  program("journalctl", "printf 'one\\n\\033[2Jtwo\\n'");
  program(
    "systemctl",
    `case "$*" in
  *Version*) echo 252.38-1 ;;
  *ActiveState*) if test -e '${folder}/active'; then printf 'ActiveState=active\\nSubState=running\\nMainPID=7\\n'
                 else printf 'ActiveState=inactive\\nSubState=dead\\nMainPID=0\\n'; fi ;;
  *) echo "$*" >> '${folder}/calls' ;;
esac
case "$*" in *" restart "*) touch '${folder}/active' ;; *" disable "*) rm '${folder}/active' ;; esac`,
  );
}

function program(name: string, script: string): void {
  const file = join(machine.folder, "bin", name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

it("installs a service once, says how it is, and removes what it wrote", async () => {
  fakeSystemd();
  expect((await machine.run("service")).stdout).toContain("not installed: `hermes service install`");
  const nothing = { code: 1, stdout: "", stderr: expect.stringContaining("`hermes service install`") };
  expect(await machine.run("service", "logs")).toMatchObject(nothing);
  const unasked = await machine.run("service", "install");
  expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining("pass --yes") });
  expect(existsSync(unitFile())).toBe(false);

  const installed = await machine.run("service", "install", "--yes");
  expect(installed).toMatchObject({ code: 0, stderr: expect.stringContaining("loginctl enable-linger") });
  const unit = readFileSync(unitFile(), "utf8");
  expect(installed.stdout).toContain(unit);
  expect(unit).toContain(
    `ExecStart=:"${process.execPath}" "${HERMES_BIN}" "gateway" "--config" "${machine.configPath}"`,
  );
  expect(unit).toContain(`WorkingDirectory=${machine.folder}\n`);
  expect(unit).toContain(`Environment="HERMES_HOME=${machine.home}"`);
  expect(calls()).toEqual(["--user daemon-reload", "--user enable hermes.service", "--user restart hermes.service"]);

  const again = await machine.json("service", "install");
  expect(again).toEqual({ file: unitFile(), installed: true, changed: false });
  expect(calls()).toHaveLength(3);
  expect(await machine.json("service", "status")).toMatchObject({ installed: true, active: true, pid: 7 });
  expect((await machine.run("service", "logs")).stdout).toBe("one\n␛[2Jtwo\n");
  expect(await machine.json("service", "logs")).toEqual({ lines: ["one", "\u001b[2Jtwo"] });

  expect((await machine.run("service", "uninstall")).stdout).toContain(`Removed ${unitFile()}`);
  expect(existsSync(unitFile())).toBe(false);
  expect(calls().slice(3)).toEqual(["--user disable --now hermes.service", "--user daemon-reload"]);
  expect((await machine.run("service", "uninstall")).stdout).toBe("The service is not installed.\n");
});

it("installs no service for a broken config, nor in the place of a file of another's", async () => {
  fakeSystemd();
  const config = readFileSync(machine.configPath, "utf8");
  // What this terminal knows is not what the service knows.
  writeFileSync(machine.configPath, JSON.stringify({ model: "anthropic/claude-sonnet-4-5", ...JSON.parse(config) }));
  machine.environment.ANTHROPIC_API_KEY = "sk-ant-not-a-real-key-000000";
  const keyless = await machine.run("service", "install", "--yes");
  expect(keyless).toMatchObject({ code: 1, stderr: expect.stringContaining("ANTHROPIC_API_KEY") });
  writeFileSync(join(machine.folder, ".env"), "ANTHROPIC_API_KEY=sk-ant-not-a-real-key-000000\n", { mode: 0o600 });
  mkdirSync(join(unitFile(), ".."), { recursive: true });
  writeFileSync(unitFile(), "[Service]\nExecStart=/bin/true\n");
  for (const command of ["install", "uninstall"]) {
    const foreign = await machine.run("service", command, ...(command === "install" ? ["--yes"] : []));
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining("was not written by") });
  }
  expect(readFileSync(unitFile(), "utf8")).toBe("[Service]\nExecStart=/bin/true\n");
  rmSync(unitFile());
  const { stdout } = await machine.run("service", "install", "--yes");
  expect(stdout).toContain("ExecStart");
  expect(readFileSync(unitFile(), "utf8")).not.toContain("sk-ant");
});

it("service install says what to do where there is no service manager", async () => {
  mkdirSync(join(machine.folder, "bin"));
  program("systemctl", "echo 'Failed to connect to bus: No medium found' >&2; exit 1");
  const { code, stderr } = await machine.run("service", "install");
  expect(code).toBe(1);
  expect(stderr).toMatch(/Failed to connect to bus: No medium found\.\n.*`hermes gateway --detach`.*@reboot/);
});

it("gateway restart starts a gateway again by the service that it runs under", async () => {
  fakeSystemd();
  await machine.run("gateway", "--detach");
  const [before] = await (await machine.store()).gateways.alive();
  mkdirSync(join(unitFile(), ".."), { recursive: true });
  writeFileSync(unitFile(), "# Written by `hermes service install`; `hermes service uninstall` removes it.\n");
  const pidFile = join(machine.folder, "pid");
  writeFileSync(pidFile, String(before?.holder.pid));
  program(
    "systemctl",
    `case "$*" in
  *ActiveState*) printf 'ActiveState=active\\nSubState=running\\nMainPID=%s\\n' "$(cat '${pidFile}')" ;;
  *" restart "*) '${process.execPath}' '${HERMES_BIN}' gateway >/dev/null 2>&1 & echo $! > '${pidFile}' ;;
esac`,
  );
  try {
    const { code, stdout } = await machine.run("gateway", "restart");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/Starting it again\.\nThe gateway runs/),
    });
    expect((await (await machine.store()).gateways.alive()).map(({ holder }) => String(holder.pid))).toEqual([
      readFileSync(pidFile, "utf8").trim(),
    ]);
  } finally {
    await machine.run("gateway", "stop");
  }
});
