import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changesIn, trustFolder } from "../../config/trusted-folders.ts";
import { runCli } from "../program.ts";
import { createTestTerminal } from "../test-terminal.ts";

const PAGER = "hermes-plugin-pager";

/** A plugin that wants a token; the part of core that it needs written out. */
const plugin = (platform: string, name = `hermes-plugin-${platform}`) => `
const brand = (name) => Symbol.for("hermes:brand:" + name);
const schema = { shape: { token: {} }, "~standard": { version: 1, vendor: "test", validate: (value) =>
  typeof value.token === "string" ? { value }
    : { issues: [{ code: "invalid_type", expected: "string", path: ["token"], message: "no" }] } } };
const configure = (options = {}) => Object.defineProperty(
  { package: "${name}", platform: "${platform}", apiVersion: 2, schema, options, create: async () => {} },
  brand("PluginDescriptor"), { value: true });
export const ${platform} = Object.defineProperty(configure, brand("PluginFunction"), { value: true });
`;

/** A package manager that installs from a folder and writes package.json, as npm does. */
const NPM = `#!${process.execPath}
const { cpSync, readFileSync, rmSync, writeFileSync, existsSync, appendFileSync } = require("node:fs");
const registry = process.env.FAKE_REGISTRY;
const [act, ...words] = process.argv.slice(2);
const names = words.slice(words.indexOf("--") + 1);
appendFileSync(registry + "/told", act + " " + names.join(" ") + "\\n");
const json = JSON.parse(readFileSync("package.json", "utf8"));
json.dependencies ??= {};
for (const spec of names) {
  const [, name, version = "latest"] = /^(@?[^@]+)(?:@(.*))?$/.exec(spec);
  if (act === "uninstall") {
    delete json.dependencies[name];
    rmSync("node_modules/" + name, { recursive: true, force: true });
    continue;
  }
  const from = name.startsWith("/") ? name : registry + "/" + name + "/" + version;
  if (!existsSync(from)) {
    console.error("npm error code E404\\nnpm error 404 Not Found - " + name);
    process.exit(1);
  }
  const found = JSON.parse(readFileSync(from + "/package.json", "utf8"));
  rmSync("node_modules/" + found.name, { recursive: true, force: true });
  cpSync(from, "node_modules/" + found.name, { recursive: true });
  json.dependencies[found.name] = name.startsWith("/") ? "file:" + name : "^" + found.version;
}
writeFileSync("package.json", JSON.stringify(json, null, 2) + "\\n");
writeFileSync("package-lock.json", JSON.stringify(json.dependencies));
`;

let root: string;
let home: string;
let project: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hermes-plugins-"));
  home = join(root, "home");
  project = join(root, "project");
  write("bin/npm", NPM);
  write("project/package.json", '{\n  "private": true\n}\n');
  publish(PAGER, "latest");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, name), text, { mode: 0o700 });
}

interface Published {
  readonly version?: string;
  readonly manifest?: object | null;
  readonly code?: string;
}

function publish(name: string, tag: string, { version = "1.0.0", manifest = {}, code }: Published = {}): void {
  const platform = name.replace("hermes-plugin-", "");
  const hermes = manifest === null ? undefined : { apiVersion: 2, kind: "platform", platform, ...manifest };
  const json = { name, version, type: "module", exports: "./index.js", keywords: ["hermes-plugin"], hermes };
  write(`registry/${name}/${tag}/package.json`, JSON.stringify(json));
  write(`registry/${name}/${tag}/index.js`, code ?? plugin(platform));
}

function config(text: string, name = "hermes.config.json"): string {
  write(`project/${name}`, text);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  trustFolder(home, project);
  return join(project, name);
}

async function hermes(argv: readonly string[], { answer, from = project }: { answer?: string; from?: string } = {}) {
  const terminal = createTestTerminal({ home, workingDirectory: from, interactive: answer !== undefined });
  const { environment } = terminal.io;
  environment.PATH = `${join(root, "bin")}${delimiter}${process.env.PATH}`;
  environment.HOME = root;
  environment.FAKE_REGISTRY = join(root, "registry");
  const ended = runCli(argv, { io: terminal.io });
  if (answer !== undefined) void terminal.printed("(y/n)").then(() => terminal.type(answer));
  const code = await ended;
  return { code, stdout: terminal.stdout(), stderr: terminal.stderr(), json: () => JSON.parse(terminal.stdout()) };
}

const read = (name: string) => readFileSync(join(root, name), "utf8");
const told = () => read("registry/told").trimEnd().split("\n");

it("`plugins add` installs a plugin, puts it into the config, and says what it needs", async () => {
  const file = config('{\n  "model": "ollama/qwen3"\n}\n');
  const { code, stdout } = await hermes(["plugins", "add", PAGER]);
  expect({ code, text: read("project/hermes.config.json") }).toEqual({
    code: 0,
    text: `{\n  "model": "ollama/qwen3",\n  "plugins": ["${PAGER}"]\n}\n`,
  });
  expect(stdout).toContain(`pager is in ${file} now.  ${PAGER}@1.0.0`);
  expect(stdout).toContain("To do: ");
  expect(stdout).toContain("plugins[0].token is missing");
  expect(stdout).toContain("`hermes init --platform pager`");
  expect(stdout).toContain("`hermes gateway restart`");
  expect(JSON.parse(read("project/package.json"))).toEqual({ private: true, dependencies: { [PAGER]: "^1.0.0" } });
});

it("a trusted config that `plugins add` edited stays trusted", async () => {
  config("{}");
  await hermes(["plugins", "add", PAGER]);
  expect(changesIn(home, project)).toBeNull();
});

it("`plugins add` puts the import and the call into a config that is code", async () => {
  config("// mine\nexport default {\n  plugins: [], // none yet\n};\n", "hermes.config.mjs");
  expect((await hermes(["plugins", "add", PAGER])).code).toBe(0);
  expect(read("project/hermes.config.mjs")).toBe(
    `// mine\nimport { pager } from "${PAGER}";\n\nexport default {\n  plugins: [\n    pager(),\n  ], // none yet\n};\n`,
  );
});

it("a plugin that only a comment names is added", async () => {
  const text = `// import { pager } from "${PAGER}";\nexport default { model: process.env.NO_SUCH_VARIABLE, plugins: [] };\n`;
  config(text, "hermes.config.mjs");
  expect((await hermes(["plugins", "add", PAGER, "--json"])).json()).toMatchObject({ isChanged: true });
});

it("`plugins add` gives the lines to paste where a config cannot be edited", async () => {
  const text = "const plugins = [];\nexport default { plugins };\n";
  config(text, "hermes.config.mjs");
  const { code, json } = await hermes(["plugins", "add", PAGER, "--json"]);
  expect(code).toBe(0);
  expect(json()).toMatchObject({
    isChanged: false,
    installed: true,
    paste: `import { pager } from "${PAGER}";\nplugins: [pager()],`,
  });
  expect(read("project/hermes.config.mjs")).toBe(text);
});

it("`plugins add` refuses a config that cannot be read, and leaves all as it was", async () => {
  config('{ "plugins": [ }');
  const { code, stderr } = await hermes(["plugins", "add", PAGER]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/hermes\.config\.json.* could not be read: /);
  expect(stderr).toContain("Nothing was added");
  expect(read("project/hermes.config.json")).toBe('{ "plugins": [ }');
});

it("`plugins add` of what is configured already changes and installs nothing", async () => {
  config("{}");
  await hermes(["plugins", "add", PAGER]);
  const { json } = await hermes(["plugins", "add", "pager", "--json"]);
  expect(json()).toMatchObject({
    isChanged: false,
    installed: false,
    plugins: [{ package: PAGER, platform: "pager" }],
  });
  expect(told()).toEqual([`install ${PAGER}`]);
});

it("the name of a platform means the official plugin", async () => {
  config("{}");
  const { code, stderr } = await hermes(["plugins", "add", "carrier"]);
  expect(code).toBe(1);
  expect(stderr).toContain("The registry has no @hermes/plugin-carrier.");
});

it("a folder can be added, and what its package is called is found out", async () => {
  config("{}");
  const { json } = await hermes(["plugins", "add", `../registry/${PAGER}/latest`, "--json"]);
  expect(json()).toMatchObject({ isChanged: true, plugins: [{ package: PAGER }] });
});

it.each([
  ["is no plugin", { manifest: null }, "PLUGIN_NO_MANIFEST"],
  ["needs another plugin API", { manifest: { apiVersion: 99 } }, "PLUGIN_API_TOO_NEW"],
  ["cannot be imported", { code: "throw new Error('broken');" }, "PLUGIN_INVALID"],
])("a package that %s is taken out again, and all is as before", async (_, published, code) => {
  config("{}\n");
  const before = read("project/package.json");
  publish("hermes-plugin-broken", "latest", published);
  const added = await hermes(["plugins", "add", "hermes-plugin-broken", "--json"]);
  expect([added.code, added.json().error.code]).toEqual([1, code]);
  expect([read("project/hermes.config.json"), read("project/package.json")]).toEqual(["{}\n", before]);
  expect(existsSync(join(project, "node_modules/hermes-plugin-broken"))).toBe(false);
  expect(existsSync(join(project, "package-lock.json"))).toBe(false);
});

it("a package that is installed and no plugin is not installed again", async () => {
  config("{}");
  write("project/node_modules/hermes-plugin-none/package.json", "{}");
  const { code, json } = await hermes(["plugins", "add", "hermes-plugin-none", "--json"]);
  expect([code, json().error.code]).toEqual([1, "PLUGIN_NO_MANIFEST"]);
  expect(existsSync(join(root, "registry/told"))).toBe(false);
});

it("a config that does not load with the plugin is put back, and stays trusted", async () => {
  const text = `{"plugins":[["${PAGER}",{"token":"x"}]]}`;
  config(text);
  await hermes(["plugins", "add", PAGER]);
  const before = read("project/package.json");
  const rival = plugin("pager", "hermes-plugin-rival").replace('typeof value.token === "string"', "true");
  publish("hermes-plugin-rival", "latest", { manifest: { platform: "pager" }, code: rival });
  const { code, json } = await hermes(["plugins", "add", "hermes-plugin-rival", "--json"]);
  expect([code, json().error.code]).toEqual([1, "PLUGIN_DUPLICATE"]);
  expect([read("project/hermes.config.json"), read("project/package.json")]).toEqual([text, before]);
  expect(changesIn(home, project)).toBeNull();
});

it("a config of a folder that is not trusted is not edited", async () => {
  write("project/hermes.config.json", "{}");
  const { code, json } = await hermes(["plugins", "add", PAGER, "--json"]);
  expect([code, json().error.code]).toEqual([1, "CONFIG_NOT_TRUSTED"]);
  expect(existsSync(join(root, "registry/told"))).toBe(false);
});

it.each(["--registry=http://example.invalid", ";rm -rf", "$(id)", "a b", "@", "pager@--x", "../nowhere.tgz"])(
  "the name %s reaches no package manager",
  async (name) => {
    config("{}");
    expect((await hermes(["plugins", "add", "--", name])).code).toBe(2);
    expect(existsSync(join(root, "registry/told"))).toBe(false);
  },
);

it("a folder without package.json gets one only when a person agrees", async () => {
  rmSync(join(project, "package.json"));
  config("{}");
  const refused = await hermes(["plugins", "add", PAGER, "--json"]);
  expect([refused.code, refused.json().error.code]).toEqual([1, "PROJECT_MISSING"]);
  expect((await hermes(["plugins", "add", PAGER], { answer: "n" })).code).toBe(1);
  expect(existsSync(join(project, "package.json"))).toBe(false);
  expect((await hermes(["plugins", "add", PAGER], { answer: "y" })).code).toBe(0);
  expect(JSON.parse(read("project/package.json"))).toMatchObject({ private: true });
});

it("plugins are installed and found in Hermes' home where there is no project", async () => {
  const elsewhere = join(root, "elsewhere");
  mkdirSync(elsewhere);
  const { json } = await hermes(["plugins", "add", PAGER, "--json"], { from: elsewhere });
  expect(json()).toMatchObject({ config: join(home, "hermes.config.json"), isChanged: true });
  expect(existsSync(join(home, "node_modules", PAGER))).toBe(true);
  const checked = await hermes(["config", "check", "--json"], { from: elsewhere });
  expect(checked.json().problems).toMatchObject([{ message: expect.stringContaining("plugins[0].token is missing") }]);
});

it("a second run at the same time says that another one is running", async () => {
  config("{}");
  const both = [hermes(["plugins", "add", PAGER, "--json"]), hermes(["plugins", "add", PAGER, "--json"])];
  const [first, second] = await Promise.all(both);
  expect([first?.code, second?.code]).toEqual([0, 1]);
  expect(second?.json().error.code).toBe("PLUGINS_BUSY");
});

it("`plugins remove` takes a plugin out of config and project, and deletes no data", async () => {
  const file = config(`{\n  "plugins": [\n    ["${PAGER}", { "token": "x" }]\n  ]\n}\n`);
  await hermes(["plugins", "add", PAGER]);
  expect((await hermes(["plugins", "remove", PAGER])).code).toBe(2);
  expect((await hermes(["plugins", "remove", "pager"], { answer: "n" })).stdout).toContain("Nothing was removed.");
  const { stdout } = await hermes(["plugins", "remove", "pager"], { answer: "y" });
  expect(stdout).toContain(`${PAGER} is out of ${file}.`);
  expect(stdout).toContain("No data was deleted");
  expect(JSON.parse(read("project/hermes.config.json"))).toEqual({ plugins: [] });
  expect(JSON.parse(read("project/package.json")).dependencies).toEqual({});
  expect(changesIn(home, project)).toBeNull();
  expect((await hermes(["plugins", "remove", PAGER, "--yes", "--json"])).json().error.code).toBe("PLUGIN_NOT_THERE");
});

it("`plugins remove` leaves a package installed that another account uses", async () => {
  config(`{"plugins": ["${PAGER}", ["${PAGER}", {"account": "b"}]]}`);
  await hermes(["plugins", "add", `${PAGER}@latest`]);
  const { json } = await hermes(["plugins", "remove", PAGER, "--account", "b", "--yes", "--json"]);
  expect(json()).toMatchObject({ isChanged: true, isUninstalled: false });
  expect(JSON.parse(read("project/hermes.config.json"))).toEqual({ plugins: [PAGER] });
});

it("`plugins remove` asks for the account, and leaves alone what it cannot edit", async () => {
  config(`{"plugins": [["${PAGER}", {"account": "b"}]]}`);
  const added = await hermes(["plugins", "add", `${PAGER}@latest`, "--json"]);
  expect(added.json()).toMatchObject({ installed: true, isChanged: false });
  const other = await hermes(["plugins", "remove", PAGER, "--yes"]);
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("name its account with --account")]);
  rmSync(join(project, "hermes.config.json"));
  config(
    `import { pager } from "${PAGER}";\nconst plugins = [pager()];\nexport default { plugins };\n`,
    "hermes.config.mjs",
  );
  const byHand = await hermes(["plugins", "remove", PAGER, "--yes", "--json"]);
  expect([byHand.code, byHand.json().error.code]).toEqual([1, "CONFIG_BY_HAND"]);
  expect(told()).toEqual([`install ${PAGER}@latest`]);
});

it("`plugins update` installs the newest version", async () => {
  config("{}");
  await hermes(["plugins", "add", PAGER]);
  publish(PAGER, "latest", { version: "1.1.0" });
  const { json } = await hermes(["plugins", "update", "--json"]);
  expect(json()).toMatchObject({ plugins: [{ package: PAGER, from: "1.0.0", to: "1.1.0" }] });
});

it("`plugins update` leaves a package of the workspace itself alone", async () => {
  config("{}");
  write("project/package.json", JSON.stringify({ workspaces: ["pager"], dependencies: { [PAGER]: "*" } }));
  cpSync(join(root, "registry", PAGER, "latest"), join(project, "pager"), { recursive: true });
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(project, "pager"), join(project, "node_modules", PAGER));
  publish(PAGER, "latest", { version: "9.0.0" });
  expect((await hermes(["plugins", "update", "--json"])).json()).toMatchObject({ plugins: [] });
  const named = await hermes(["plugins", "update", PAGER]);
  expect([named.code, named.stderr]).toEqual([2, expect.stringContaining(`${PAGER} comes from ${project}/pager`)]);
  expect(existsSync(join(root, "registry/told"))).toBe(false);
});

it("`plugins update` puts the former version back where the newest does not load", async () => {
  config("{}");
  await hermes(["plugins", "add", PAGER]);
  const before = read("project/package.json");
  publish(PAGER, "1.0.0");
  publish(PAGER, "latest", { version: "2.0.0", manifest: { apiVersion: 99 } });
  const { code, stderr } = await hermes(["plugins", "update", "pager"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("The former versions are back.")]);
  expect(JSON.parse(read(`project/node_modules/${PAGER}/package.json`)).version).toBe("1.0.0");
  expect(read("project/package.json")).toBe(before);
});
