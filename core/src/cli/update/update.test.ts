import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";
import { installationOf } from "./installation.ts";
import { isNewer, latestVersion } from "./latest-version.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-update-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const asked = () => (existsSync(join(folder, "asked")) ? readFileSync(join(folder, "asked"), "utf8").trim() : "");

/** An npm that answers as `script` says, and writes down what it was asked. */
function fakeNpm(script: string): NodeJS.ProcessEnv {
  writeFileSync(join(folder, "npm"), `#!/bin/sh\necho "$*" >> '${folder}/asked'\n${script}\n`);
  chmodSync(join(folder, "npm"), 0o755);
  return { PATH: `${folder}:${process.env.PATH}`, HERMES_HOME: join(folder, "home") };
}

async function update(environment: NodeJS.ProcessEnv, ...words: string[]) {
  const terminal = createTestTerminal({ home: join(folder, "home"), workingDirectory: folder });
  const code = await runCli(["update", ...words], { io: { ...terminal.io, environment } });
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

test("update names a newer version and the command for it, and asks npm once a day", async () => {
  const environment = fakeNpm(`echo '"99.0.0"'`);
  expect((await update(environment)).stdout).toMatch(/^Hermes 99\.0\.0 is available; this is .*\n {2}git pull/);
  const { stdout } = await update(environment, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ latest: "99.0.0", isNewer: true, how: "checkout" });
  expect(asked()).toBe("view @hermes/core dist-tags.latest --json");
  const clock = createVirtualClock();
  const home = join(folder, "other");
  mkdirSync(home);
  await latestVersion(home, { clock, environment });
  await clock.advance(23 * 3_600_000);
  await latestVersion(home, { clock, environment });
  expect(asked().split("\n")).toHaveLength(2);
  await clock.advance(2 * 3_600_000);
  await latestVersion(home, { clock, environment });
  expect(asked().split("\n")).toHaveLength(3);
});

test("update says when this is the latest version", async () => {
  expect((await update(fakeNpm(`echo '"0.0.1"'`))).stdout).toMatch(/^Hermes .* is the latest version\.\n$/);
});

test.each([
  ["echo 'npm error network ENOTFOUND' >&2; exit 1", /newer version: npm error network ENOTFOUND/],
  [`echo '{"error":{"code":"E404"}}'; exit 1`, /newer version: the registry has no @hermes\/core\.\n/],
  [`echo '{"error":{"code":"EX","summary":"no way"}}'; echo see log >&2; exit 1`, /newer version: no way\.\n/],
  ["echo '<html>'", /npm names no version/],
])("update says that nobody knows when npm answers with %s", async (script, reason) => {
  const { code, stderr } = await update(fakeNpm(script));
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
});

test("compares versions by number, and takes a preview for older", () => {
  expect(isNewer("0.10.0", "0.9.9")).toBe(true);
  expect(isNewer("1.0.0", "1.0.0")).toBe(false);
  expect(isNewer("1.0.0", "1.0.0-rc.1")).toBe(true);
  expect(isNewer("1.0.0-rc.1", "1.0.0")).toBe(false);
});

test.each([
  ["/home/you/hermes/core", "git pull && npm ci && npm run build"],
  ["/root/.npm/_npx/0123/node_modules/@hermes/core", "npx hermes-handoff@latest"],
  ["/usr/lib/node_modules/hermes-handoff/node_modules/@hermes/core", "npm install -g hermes-handoff@latest"],
  ["/usr/local/lib/node_modules/@hermes/core", "npm install -g @hermes/core@latest"],
  ["/x/pnpm/global/5/.pnpm/@hermes+core@1/node_modules/@hermes/core", "pnpm add -g @hermes/core@latest"],
  ["/x/.bun/install/global/node_modules/hermes-handoff/node_modules/@hermes/core", "bun add -g hermes-handoff@latest"],
])("a Hermes in %s is updated by `%s`", (path, command) => {
  expect(installationOf(path).command).toBe(command);
});

test("a Hermes in a project is updated with the project's packages and manager", () => {
  const project = join(folder, "it's mine");
  mkdirSync(project);
  const dependencies = { "@hermes/core": "1", "@hermes/plugin-web": "1", other: "1" };
  writeFileSync(join(project, "package.json"), JSON.stringify({ dependencies }));
  const core = join(project, "node_modules/@hermes/core");
  const packages = "@hermes/core@latest @hermes/plugin-web@latest";
  expect(installationOf(core).command).toBe(`cd "${project}" && npm install ${packages}`);
  writeFileSync(join(project, "pnpm-lock.yaml"), "");
  expect(installationOf(core).command).toContain(`pnpm add ${packages}`);
});
