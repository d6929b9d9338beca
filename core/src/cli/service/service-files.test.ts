import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "fast-plist";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestTerminal } from "../test-terminal.ts";
import { Launchd } from "./launchd.ts";
import type { ServiceProgram } from "./service-manager.ts";
import { systemdUnit } from "./systemd-unit.ts";

const PLACE = `/srv/Zoë's "50%" $HOME & <b>`;
const program: ServiceProgram = {
  command: ["/usr/bin/node", `${PLACE}/hermes.js`, "gateway"],
  workingDirectory: PLACE,
  environment: { HERMES_HOME: `${PLACE}/home` },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-service-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a unit of systemd quotes paths, and keeps dollars and percent signs", () => {
  const unit = systemdUnit(program, 252);
  expect(unit).toContain(String.raw`ExecStart=:"/usr/bin/node" "/srv/Zoë's \"50%%\" $HOME & <b>/hermes.js" "gateway"`);
  expect(unit).toContain(`WorkingDirectory=/srv/Zoë's "50%%" $HOME & <b>\n`);
  expect(unit).toContain(String.raw`Environment="HERMES_HOME=/srv/Zoë's \"50%%\" $HOME & <b>/home"`);
  expect(unit).not.toContain("RestartSteps");
  expect(systemdUnit(program, 254)).toContain("RestartSteps");
});

test.each(["/a\nb", "/ends with a blank ", "/ends with a backslash\\"])("a service refuses the path %j", (path) => {
  const unfit = { ...program, workingDirectory: path };
  expect(() => systemdUnit(unfit, 252)).toThrow(expect.objectContaining({ code: "SERVICE_PATH_UNFIT" }));
});

/** launchd as macOS has it, as far as it is asked: what was bootstrapped is loaded until it is booted out. */
function fakeLaunchd() {
  const calls = join(folder, "calls");
  const script = `#!/bin/sh
echo "$*" >> '${calls}'
case "$1" in
  bootstrap) touch '${folder}/loaded' ;;
  bootout) rm '${folder}/loaded' ;;
  print) case "$2" in gui/*/*) test -e '${folder}/loaded' && printf '\\tstate = running\\n\\tpid = 42\\n' ;; esac ;;
esac
`;
  writeFileSync(join(folder, "launchctl"), script);
  chmodSync(join(folder, "launchctl"), 0o755);
  const { io } = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  const environment = { ...io.environment, HOME: folder, PATH: `${folder}:${process.env.PATH}` };
  return { launchd: new Launchd({ environment }), calls: () => readFileSync(calls, "utf8").trim().split("\n") };
}

test("a property list of launchd reads back as what it was made of", () => {
  const { launchd } = fakeLaunchd();
  expect(parse(launchd.describe(program))).toMatchObject({
    Label: "hermes.gateway",
    ProgramArguments: program.command,
    WorkingDirectory: PLACE,
    EnvironmentVariables: program.environment,
    KeepAlive: { SuccessfulExit: false },
    ExitTimeOut: 75,
  });
});

test("a service of launchd is loaded, replaced once what runs has ended, and unloaded", async () => {
  const { launchd, calls } = fakeLaunchd();
  const domain = `gui/${process.getuid?.()}`;
  await launchd.check();
  await launchd.activate();
  expect(await launchd.state()).toEqual({ isActive: true, pid: 42, detail: "running" });
  await launchd.restart();
  await launchd.deactivate();
  expect(await launchd.state()).toMatchObject({ isActive: false, pid: null });
  expect(calls().filter((call) => !call.startsWith("print"))).toEqual([
    `bootstrap ${domain} ${launchd.file}`,
    `bootout ${domain}/hermes.gateway`,
    `bootstrap ${domain} ${launchd.file}`,
    `bootout ${domain}/hermes.gateway`,
  ]);
  expect(launchd.file).toBe(join(folder, "Library/LaunchAgents/hermes.gateway.plist"));
});
