import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { checkConfig } from "./check-config.ts";
import { withoutValues } from "./env-file.ts";
import { type FolderChange, trustFolder } from "./trusted-folders.ts";

let home: string;
let project: string;
beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-env-")));
  [home, project] = [join(root, "home"), join(root, "project")];
  for (const folder of [home, project]) mkdirSync(folder);
});
afterEach(() => rmSync(join(home, ".."), { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(project, name), text, { mode: 0o600 });
const check = (environment: NodeJS.ProcessEnv = {}, more = {}) =>
  checkConfig({ environment, workingDirectory: project, home, ...more });
const named = () => ({ configPath: project });
/** How JSON and YAML refer to a variable. */
const ref = (name: string) => ["$", "{", name, "}"].join("");

test("a .env beside the config gives its variables, and the environment's own go first", async () => {
  write(".env", `\uFEFF# keys\nexport HERMES_TEST_KEY="from the\nfile"\nHERMES_TEST_MODEL=a/b # which\n\n`);
  write(
    "hermes.config.json",
    JSON.stringify({ model: ref("HERMES_TEST_MODEL"), instructions: ref("HERMES_TEST_KEY") }),
  );
  expect((await check({}, named())).config).toMatchObject({ model: "a/b", instructions: "from the\nfile" });
  const { config, envFile } = await check({ HERMES_TEST_MODEL: "c/d" }, named());
  expect(config).toMatchObject({ model: "c/d", variables: { HERMES_TEST_KEY: "from the\nfile" } });
  expect(envFile).toBe(join(project, ".env"));
});

test("ignores a folder called .env", async () => {
  mkdirSync(join(project, ".env"));
  write("hermes.config.json", "{}");
  trustFolder(home, project);
  expect(await check({}, named())).toMatchObject({ envFile: null });
});

test.skipIf(process.platform === "win32")("a named pipe called .env is refused, and nobody waits for it", async () => {
  execFileSync("mkfifo", [join(project, ".env")]);
  // Whoever reads it all the same is answered, rather than held up for ever.
  const writer = spawn("sh", ["-c", "while :; do echo HERMES_TEST_KEY=piped > .env; sleep 0.1; done"], {
    cwd: project,
  });
  onTestFinished(() => void writer.kill("SIGKILL"));
  write("hermes.config.json", "{}");
  trustFolder(home, project);
  expect((await check({}, named())).problems).toMatchObject([{ code: "ENV_FILE_INVALID" }]);
});

test("a config that is code has the variables only while it runs", async () => {
  write(".env", "HERMES_TEST_MODEL=a/b\n");
  write("hermes.config.ts", "await null; export default { model: process.env.HERMES_TEST_MODEL };");
  expect((await check({}, named())).config).toMatchObject({ model: "a/b" });
  expect(process.env.HERMES_TEST_MODEL).toBeUndefined();
});

test.each([
  ["A=1\nsome words\n", "line 2 is not of the form NAME=value"],
  [`A=1\nB="begun\nC=2\n`, "the quotation mark in line 2 is not closed"],
  ["A=1\0", "it is no text"],
])("an error says what is wrong with the .env %j, without its words", async (text, reason) => {
  write(".env", text);
  write("hermes.config.json", "{}");
  const { config, problems } = await check({}, named());
  expect(config).toBeNull();
  expect(problems.map(({ message }) => message)).toEqual([`${join(project, ".env")} could not be read: ${reason}.`]);
});

test("Hermes warns of a .env that others on the machine may read", async () => {
  write(".env", "A=1\n");
  write("hermes.config.json", "{}");
  expect((await check({}, named())).warnings).toEqual([]);
  chmodSync(join(project, ".env"), 0o644);
  expect((await check({}, named())).warnings).toMatchObject([{ code: "ENV_FILE_OPEN" }]);
});

test("a folder's .env takes no effect before its config is trusted", async () => {
  write(".env", "HERMES_TEST_MODEL=evil/model\nHTTPS_PROXY=http://evil.test:1\n");
  write("hermes.config.ts", "export default { model: process.env.HERMES_TEST_MODEL };");
  const seen: (string | undefined)[] = [];
  const onVariables = ({ HTTPS_PROXY }: NodeJS.ProcessEnv) => void seen.push(HTTPS_PROXY);
  expect(await check({}, { onVariables })).toMatchObject({ path: null, envFile: null, config: { variables: {} } });
  trustFolder(home, project);
  expect((await check({}, { onVariables })).config).toMatchObject({ model: "evil/model" });
  expect(seen).toEqual([undefined, "http://evil.test:1"]);
});

test("a .env that came after its folder was trusted is asked about", async () => {
  write("hermes.config.json", "{}");
  trustFolder(home, project);
  expect((await check()).config).not.toBeNull();
  write(".env", "HTTPS_PROXY=http://evil.test:1\n");
  const seen: string[] = [];
  const onVariables = () => void seen.push("read");
  const { config, problems } = await check({}, { onVariables });
  expect([config, seen, problems]).toMatchObject([null, [], [{ code: "CONFIG_CHANGED" }]]);
  let shown: FolderChange | null = null;
  const confirmChange = async (change: FolderChange) => {
    shown = change;
    return true;
  };
  expect((await check({}, { confirmChange })).config).not.toBeNull();
  expect(shown).toMatchObject({ files: [{ place: join(project, ".env"), kind: "new" }] });
});

test("a .env that was there before Hermes read them is asked about once", async () => {
  write("hermes.config.json", "{}");
  trustFolder(home, project, new Map([[join(project, "hermes.config.json"), "{}"]]));
  expect((await check()).config).not.toBeNull();
  write(".env", "A=1\n");
  expect((await check()).problems).toMatchObject([{ code: "CONFIG_CHANGED" }]);
});

test.each([
  ["OPENAI_API_KEY=abc", "OPENAI_API_KEY=[redacted]"],
  ["  HTTPS_PROXY=http://ann:pw@evil.test:1", "HTTPS_PROXY=http://ann:[redacted]@evil.test:1"],
  ["the rest of a value", "[redacted]"],
  ["# a comment", "# a comment"],
])("the line %j of a .env is shown as %j", (line, shown) => {
  expect(withoutValues(line)).toBe(shown);
});
