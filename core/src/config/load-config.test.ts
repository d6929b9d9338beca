import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkConfig } from "./check-config.ts";
import type { LoadedConfig } from "./config.ts";
import { loadConfig } from "./load-config.ts";
import { CORE_FOLDER } from "./own-project.ts";
import { trustFolder } from "./trusted-folders.ts";

let root: string;
let home: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-config-")));
  home = join(root, "home");
  project = join(root, "project");
  mkdirSync(home);
  mkdirSync(project);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string | object): string {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof text === "string" ? text : JSON.stringify(text));
  return path;
}

const request = (more: { configPath?: string; environment?: NodeJS.ProcessEnv; workingDirectory?: string } = {}) => ({
  environment: {},
  workingDirectory: project,
  home,
  ...more,
});
const load = (more = {}) => loadConfig(request(more));
const problems = async (more = {}) => (await checkConfig(request(more))).problems.map((problem) => problem.message);

/** The files of configs that are kept compiled. */
const compiled = () => readdirSync(join(home, "cache", "config"));

/** How JSON and YAML refer to a variable. */
const ref = (name: string) => ["$", "{", name, "}"].join("");

/** A plugin as a package: what its code exports, with a schema that wants a text `token` and knows a number `port`. */
const PLUGIN = `
  const brand = (name) => Symbol.for("hermes:brand:" + name);
  const schema = {
    shape: { token: {}, port: {} },
    "~standard": { version: 1, vendor: "test", validate(value) {
      const issues = [];
      if (typeof value.token !== "string") issues.push({ code: "invalid_type", expected: "string", path: ["token"], message: "no" });
      if (value.port !== undefined && typeof value.port !== "number") issues.push({ code: "invalid_type", expected: "number", path: ["port"], message: "no" });
      return issues.length > 0 ? { issues } : { value: { port: 80, ...value } };
    } },
  };
  const configure = (options = {}) => Object.defineProperty(
    { package: "hermes-plugin-pigeon", platform: "pigeon", apiVersion: 2, schema, options, create: async () => {} },
    brand("PluginDescriptor"), { value: true });
  export const pigeon = Object.defineProperty(configure, brand("PluginFunction"), { value: true });
  export const unrelated = () => { throw new Error("is not to be called"); };
`;

function installPlugin(manifest: object = { apiVersion: 2, kind: "platform", platform: "pigeon" }, code = PLUGIN) {
  const folder = "project/node_modules/hermes-plugin-pigeon";
  write(`${folder}/package.json`, {
    name: "hermes-plugin-pigeon",
    version: "1.2.3",
    type: "module",
    exports: { ".": { types: "./index.d.ts", import: "./index.js" } },
    keywords: ["hermes-plugin"],
    hermes: manifest,
  });
  write(`${folder}/index.js`, code);
}

test("the defaults apply, without plugins, if there is no config", async () => {
  expect(await load()).toEqual({
    path: null,
    folder: home,
    model: null,
    models: { fallback: [], known: {} },
    modelTimeouts: { firstByteSeconds: 60, idleSeconds: 60 },
    providers: {},
    instructions: null,
    plugins: [],
    brokenPlugins: [],
    store: { durability: "normal" },
    overview: null,
    log: { level: "info" },
    permissions: { allow: [], ask: [], deny: [] },
    tools: { directory: null, answerWithinHours: 24 },
    limits: {},
    continuity: "offer",
    notify: "osc9",
    warnings: [],
    variables: {},
  } satisfies LoadedConfig);
});

test.each([
  ["ts", `const model: string = "a/b";\nexport default { model };`],
  ["mts", `export default { model: "a/b" as string };`],
  ["js", `module.exports = { model: "a/b" };`],
  ["mjs", `export const config = { model: "a/b" };`],
  ["cjs", `exports.__esModule = true; exports.default = { default: { model: "a/b" } };`],
  ["json", `{ "model": "a/b" }`],
  ["yaml", "model: a/b\n"],
])("a config is read from hermes.config.%s", async (ending, text) => {
  const path = write(`home/hermes.config.${ending}`, text);
  expect(await load()).toMatchObject({ path, folder: home, model: "a/b" });
});

test("reads a config from package.json, but not a plugin's manifest", async () => {
  write("home/package.json", { name: "x", hermes: { model: "a/b" } });
  expect((await load()).model).toBe("a/b");
  write("home/package.json", { name: "x", hermes: { apiVersion: 2, kind: "platform", platform: "pigeon" } });
  expect((await load()).path).toBeNull();
});

test("a TypeScript config imports its neighbours, and leaves nothing others can write", async () => {
  write("home/model.ts", `export const model: string = "a/b";`);
  write("home/hermes.config.ts", `import { model } from "./model.ts";\nexport const mine = { model };`);
  expect((await load()).model).toBe("a/b");
  expect(statSync(join(home, "cache", "config")).mode & 0o777).toBe(0o700);
});

test("a compiled config is private, and what earlier versions left there is gone", async () => {
  const old = write("home/cache/config/home-hermes.config.5c8a1f.mjs", "an earlier compiler's");
  write("home/model.ts", `export const model: string = "a/b";`);
  write("home/hermes.config.ts", `import { model } from "./model.ts";\nexport default { model };`);
  await load();
  expect(existsSync(old)).toBe(false);
  const modes = compiled().map((name) => (statSync(join(home, "cache/config", name)).mode & 0o777).toString(8));
  expect(modes).toEqual(["600", "600"]);
});

test.each([
  [
    "under the name of a secret",
    `export default { providers: { mine: { baseUrl: "http://x/v1", apiKey: KEY } } };`,
    "mine-1",
  ],
  ["in a plugin's options", `export default { plugins: [["./pigeon.ts", { token: KEY }]] };`, "pigeon-token"],
  ["that only looks like one", "export default { instructions: KEY };", "sk-live-0123456789abcdef"],
  ["that stands in the environment", "export default { instructions: KEY };", "from-the-environment"],
])("a config with a literal secret %s, and what it imports, is not kept compiled", async (_, code, key) => {
  write("home/key.ts", `export const KEY: string = "${key}";`);
  write(
    "home/hermes.config.ts",
    `import { KEY } from "./key.ts";\n${code.replace("export", "const also = KEY;\nexport")}`,
  );
  write("home/plain.ts", "");
  await problems({ environment: { MY_TOKEN: "from-the-environment" } });
  const kept = compiled().map((name) => readFileSync(join(home, "cache/config", name), "utf8"));
  expect(kept.filter((text) => text.includes(key))).toEqual([]);
});

test("nothing of a config that fails is kept compiled", async () => {
  write("home/hermes.config.ts", `const token = "a-token-of-mine";\nthrow new Error("no");`);
  expect(await problems()).toHaveLength(1);
  expect(compiled()).toEqual([]);
});

test("`gateway.allowHandoff` has no effect any more, and a warning says so", async () => {
  const path = write("home/hermes.config.json", { gateway: { allowHandoff: true } });
  expect((await load()).warnings).toMatchObject([
    { code: "CONFIG_WITHOUT_EFFECT", fields: { file: path, key: "gateway.allowHandoff" } },
  ]);
});

test("the config of an untrusted folder does not run, and a warning says so", async () => {
  const path = write("project/hermes.config.mjs", `throw new Error("it was run");`);
  write("project/.config/config.js", `throw new Error("this was run too");`);
  write("home/hermes.config.json", { model: "from/home" });
  const config = await load();
  expect(config).toMatchObject({ path: join(home, "hermes.config.json"), model: "from/home" });
  expect(config.warnings).toMatchObject([{ code: "CONFIG_NOT_TRUSTED", fields: { file: path } }]);
});

test("loads a folder's config after `hermes trust`, from the folders below it too", async () => {
  const path = write("project/hermes.config.mjs", `export default { model: "a/b" };`);
  mkdirSync(join(project, "deep"));
  trustFolder(home, project);
  expect(await load({ workingDirectory: join(project, "deep") })).toMatchObject({ path, warnings: [] });
});

test("a cloned folder with a link to the running hermes is still a cloned folder", async () => {
  const path = write("project/hermes.config.mjs", `throw new Error("it was run");`);
  write("project/node_modules/@hermes/README", "");
  symlinkSync(CORE_FOLDER, join(project, "node_modules/@hermes/core"));
  const config = await load();
  expect(config.path).toBeNull();
  expect(config.warnings).toMatchObject([{ code: "CONFIG_NOT_TRUSTED", fields: { file: path } }]);
});

test("loads a named config from anywhere, and prefers --config to HERMES_CONFIG", async () => {
  const first = write("else/one.json", { model: "one/x" });
  const second = write("else/hermes.config.yaml", "model: two/x");
  expect((await load({ environment: { HERMES_CONFIG: first } })).path).toBe(first);
  expect((await load({ environment: { HERMES_CONFIG: first }, configPath: join(root, "else") })).path).toBe(second);
});

test("a config that was named and is not there is an error", async () => {
  await expect(load({ configPath: "nowhere.ts" })).rejects.toThrow(
    `No config was found: ${join(project, "nowhere.ts")}.`,
  );
});

test.each([
  ["ts", "export default {\n  model: 1 1,\n};", ":2:12 ", "Unexpected token"],
  ["mjs", "export default {\n  model: 1 1,\n};", ":2:12 ", "Unexpected token"],
  ["mjs", "const x = 1;\nx.y.z;\nexport default {};", ":2:5 ", "Cannot read properties of undefined"],
  ["ts", "const x: any = 1;\n\tif (x) {\n      x.y.z;\n}", ":3:11 ", "Cannot read properties of undefined"],
  // What was compiled has another text before the fault: only the line is known.
  ["ts", `throw new Error("boom");`, ":1 ", "boom"],
  ["ts", "\n\nconst x: any = 1; x.y.z;", ":3 ", "Cannot read properties of undefined"],
  ["mjs", `import { join } from "node:path";\n\njoin("a").b.c;`, ":3 ", "Cannot read properties of undefined"],
  ["ts", "interface A {\n  b: 1;\n}\nenum C {\n  D,\n}\n\nnull.x;", ":8:6 ", "Cannot read properties of null"],
  ["ts", `export default {\n  get model() {\n    throw new Error("boom");\n  },\n};`, ":3:11 ", "boom"],
  ["json", '{\n  "token": "s3cret-s3cret" "model": 1\n}', ":2:28", "Expected ',' or '}'"],
  ["json", '{ "token": s3cret-s3cret }', "", "Unexpected token 's'."],
  ["yaml", "a: b\n  c: [\n", ":2:", "bad indentation"],
])("reports a fault in a .%s file with its line: %j", async (ending, text, place, reason) => {
  const path = write(`home/hermes.config.${ending}`, text);
  const [message] = await problems();
  expect(message).toContain(path + place);
  expect(message?.toLowerCase()).toContain(reason.toLowerCase());
  expect(message).not.toContain("s3cret");
});

test.each([
  [`const token = "s3cret-of-mine";\nthrow new Error("no: " + token);`],
  [`import { login } from "./login.ts";\nthrow new Error(\`no: \${JSON.stringify(login)}\`);`],
  [`import { login } from "./login.ts";\nexport default { get model() { throw login.password; } };`],
])("redacts a secret that the config throws: %j", async (text) => {
  write("home/login.ts", `export const login = { user: "ada", password: 's3cret-of-mine' };`);
  write("home/hermes.config.ts", text);
  const error = await load().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect((await problems())[0]).toContain("[redacted]");
  expect(inspect(error, { depth: 10 })).not.toContain("s3cret-of-mine");
});

test("a package that a config imports and nobody installed is named", async () => {
  write(
    "home/hermes.config.ts",
    `import { pigeon } from "hermes-plugin-pigeon";\nexport default { plugins: [pigeon()] };`,
  );
  expect((await problems())[0]).toContain("it imports hermes-plugin-pigeon, which is not installed there");
});

test("a config that exports nothing says so", async () => {
  const file = write("home/hermes.config.ts", "const config = { model: 1 };");
  await expect(load()).rejects.toMatchObject({ code: "CONFIG_NO_EXPORT", fields: { file } });
});

test("all config mistakes are reported at once, with key, found and expected value", async () => {
  const file = write("home/hermes.config.json", {
    modle: "a/b",
    store: { durability: "ful" },
    providers: { mine: { baseUrl: 7, apiKey: 12345678 } },
    log: [],
    plugins: [42],
  });
  expect((await problems()).sort()).toEqual([
    `${file}: log is a list; expected an object.`,
    `${file}: modle is an unknown key; expected \`model\`.`,
    `${file}: plugins[0] is 42; expected a plugin, such as \`plugin({ … })\` or [name, options].`,
    `${file}: providers.mine.apiKey is a number; expected a string.`,
    `${file}: providers.mine.baseUrl is 7; expected a string.`,
    `${file}: store.durability is "ful"; expected "normal" or "full".`,
  ]);
});

test("a variable is put in wherever it stands in JSON and YAML", async () => {
  write(
    "home/hermes.config.yaml",
    `model: ${ref("PROVIDER")}/x\nproviders: { mine: { baseUrl: 'http://${ref("HOST")}/v1', apiKey: '$${ref("KEY")}' } }`,
  );
  const config = await load({ environment: { PROVIDER: "mine", HOST: "localhost" } });
  expect(config).toMatchObject({
    model: "mine/x",
    providers: { mine: { baseUrl: "http://localhost/v1", apiKey: ref("KEY") } },
  });
});

test("reports an unset variable with the key that needs it", async () => {
  const file = write("home/hermes.config.json", {
    plugins: [["hermes-plugin-pigeon", { token: ref("PIGEON_TOKEN") }]],
  });
  expect(await problems()).toEqual([
    `${file}: plugins[0].token needs the environment variable PIGEON_TOKEN, which is not set.`,
  ]);
});

test("a plugin is named by its package, and found from the config's folder", async () => {
  installPlugin();
  const configPath = write("project/hermes.config.json", {
    plugins: [["hermes-plugin-pigeon", { token: "t", allowedUsers: ["ada"] }]],
  });
  const { plugins } = await load({ configPath });
  expect(plugins).toMatchObject([
    { descriptor: { platform: "pigeon" }, options: { token: "t", port: 80, allowedUsers: ["ada"], operators: [] } },
  ]);
});

test("a plugin beside a TypeScript config needs no package; names a missing variable", async () => {
  write(
    "home/pigeon.ts",
    PLUGIN.replaceAll("(name)", "(name: string)")
      .replace("validate(value)", "validate(value: any)")
      .replace("const issues = []", "const issues: any[] = []"),
  );
  const file = write(
    "home/hermes.config.ts",
    `import { pigeon } from "./pigeon.ts";\nexport default { plugins: [pigeon({ token: process.env.PIGEON_TOKEN })] };`,
  );
  expect(await problems()).toEqual([
    `${file}: plugins[0].token needs the environment variable PIGEON_TOKEN, which is not set.`,
  ]);
});

test("reports an unset variable even if its key is optional", async () => {
  write("home/pigeon.mjs", PLUGIN);
  const file = write(
    "home/hermes.config.ts",
    `import { pigeon } from "./pigeon.mjs";
     export default {
       model: process.env.NOPE_MODEL,
       providers: { mine: { baseUrl: "http://localhost", "apiKey": process.env["NOPE_KEY"]! } },
       // instructions: process.env.NOPE_COMMENT,
       instructions: undefined,
       log: { level: process.env.NOPE_LEVEL ?? "warn" },
       store: { durability: process.env.NOPE_ONE ?? process.env.NOPE_TWO },
       plugins: [
         pigeon({ token: "t", port: process.env.NOPE_PORT as unknown as number}),
         pigeon({ token: process.env.NOPE_TOKEN, account: process.env.NOPE_ACCOUNT || "b", homeChannel: { chatId: "1", name: process.env.NOPE_NAME } }),
         ["./pigeon.mjs", { token: process.env.NOPE_LAST, account: process.env.NOPE_LAST_ACCOUNT, port: process.env.NOPE_OTHER_PORT }],
       ],
     };`,
  );
  const told = [
    ["model", "NOPE_MODEL"],
    ["providers.mine.apiKey", "NOPE_KEY"],
    ["store.durability", "NOPE_ONE"],
    ["plugins[0].port", "NOPE_PORT"],
    ["plugins[1].token", "NOPE_TOKEN"],
    ["plugins[1].homeChannel.name", "NOPE_NAME"],
    ["plugins[2].token", "NOPE_LAST"],
    ["plugins[2].account", "NOPE_LAST_ACCOUNT"],
    ["plugins[2].port", "NOPE_OTHER_PORT"],
  ];
  expect(await problems()).toEqual(
    told.map(([key, name]) => `${file}: ${key} needs the environment variable ${name}, which is not set.`),
  );
});

test("options may lead back to themselves", async () => {
  write("home/pigeon.mjs", PLUGIN);
  write(
    "home/hermes.config.mjs",
    `import { pigeon } from "./pigeon.mjs";
     const port = {};
     port.self = port;
     export default { plugins: [pigeon({ token: "t", port })] };`,
  );
  expect((await problems()).join()).toContain("plugins[0].port is an object; expected a number.");
});

test("names every candidate when several unset variables use the same key", async () => {
  const file = write(
    "home/hermes.config.mjs",
    `const makers = [() => ({ baseUrl: "http://a", apiKey: process.env.NOPE_A }), () => ({ baseUrl: "http://b", apiKey: process.env.NOPE_B })];
     export default { providers: { one: makers[1]() } };`,
  );
  expect(await problems()).toEqual([
    `${file}: providers.one.apiKey needs the environment variable NOPE_A or NOPE_B, which is not set.`,
  ]);
});

test("wrong options are told like the rest of the config, and a secret's value never", async () => {
  installPlugin();
  const file = write("project/hermes.config.json", {
    plugins: [["hermes-plugin-pigeon", { token: 1234567890, prot: 1, port: "eighty", homeChannel: { chatId: "" } }]],
  });
  expect(await problems({ configPath: file })).toEqual([
    `${file}: plugins[0].prot is an unknown key; expected \`port\`.`,
    `${file}: plugins[0].token is a number; expected a string.`,
    `${file}: plugins[0].port is "eighty"; expected a number.`,
  ]);
});

test("core's own options are checked also where the plugin's schema leaves them out", async () => {
  installPlugin();
  const file = write("project/hermes.config.json", {
    plugins: [["hermes-plugin-pigeon", { token: "t", allowedUsers: "ada", homeChannel: 5 }]],
  });
  expect(await problems({ configPath: file })).toEqual([
    `${file}: plugins[0].homeChannel is 5; expected a string or an object.`,
    `${file}: plugins[0].allowedUsers is "ada"; expected a list.`,
  ]);
});

test("reports a refused value with the rule's own message", async () => {
  const file = write("home/hermes.config.json", { model: "a/b", providers: { mine: { baseUrl: "localhost" } } });
  expect(await problems()).toEqual([`${file}: providers.mine.baseUrl is "localhost": Invalid URL.`]);
});

test("reports a missing plugin with the places that were searched", async () => {
  const file = write("project/hermes.config.json", { plugins: ["hermes-plugin-pigeon"] });
  const [message] = await problems({ configPath: file });
  expect(message).toContain(
    `${file}: plugins[0]: The plugin hermes-plugin-pigeon was not found: looked in ${join(project, "node_modules")}, `,
  );
});

test("loads the config without an unusable plugin, which is reported on its own", async () => {
  installPlugin();
  write("project/bad.mjs", `throw new Error("boom s3cret-s3cret");`);
  write(
    "project/picky.mjs",
    PLUGIN.replace("(options = {}) =>", `(options) => { throw new Error("no " + options.token); };`),
  );
  write("project/node_modules/old/package.json", {
    name: "old",
    main: "x.js",
    hermes: { apiVersion: 0, platform: "raven" },
  });
  const file = write("project/hermes.config.json", {
    plugins: [
      ["./bad.mjs", { token: "s3cret-s3cret" }],
      ["hermes-plugin-pigeon", { token: "t" }],
      "no-such-plugin",
      ["old", { account: "b" }],
      ["./picky.mjs", { token: "s3cret-s3cret" }],
    ],
  });
  const { plugins, brokenPlugins } = await load({ configPath: file });
  expect(plugins.map(({ descriptor }) => descriptor.platform)).toEqual(["pigeon"]);
  const common = { file, platform: null, account: null };
  expect(brokenPlugins).toMatchObject([
    { ...common, package: "./bad.mjs", key: "plugins[0]", error: { code: "PLUGIN_INVALID" } },
    { ...common, package: "no-such-plugin", key: "plugins[2]", error: { code: "PLUGIN_NOT_FOUND" } },
    { package: "old", platform: "raven", account: "b", key: "plugins[3]", error: { code: "PLUGIN_API_TOO_OLD" } },
    { ...common, package: "./picky.mjs", key: "plugins[4]", error: { code: "PLUGIN_INVALID" } },
  ]);
  const told = await problems({ configPath: file });
  expect(told).toEqual(brokenPlugins.map(({ error }) => error.message));
  expect(told.every((message, index) => message.startsWith(`${file}: ${brokenPlugins[index]?.key}: `))).toBe(true);
  expect(told.join()).not.toContain("s3cret");
});

test("a plugin whose function returns something unfit counts as broken, too", async () => {
  write("home/pigeon.mjs", PLUGIN.replace("apiVersion: 2", "apiVersion: 7"));
  write("home/raven.mjs", PLUGIN.replace("validate(value) {", `validate() { throw new Error("boom");`));
  write(
    "home/hermes.config.mjs",
    `import { pigeon } from "./pigeon.mjs";
     import { pigeon as raven } from "./raven.mjs";
     export default { plugins: [pigeon(), raven()] };`,
  );
  expect((await load()).brokenPlugins).toMatchObject([
    { key: "plugins[0]", platform: "pigeon", error: { code: "PLUGIN_API_TOO_NEW" } },
    { key: "plugins[1]", platform: "pigeon", error: { code: "PLUGIN_INVALID" } },
  ]);
});

test("a plugin whose import hangs times out", async () => {
  installPlugin();
  const configPath = write("project/hermes.config.json", { plugins: ["hermes-plugin-pigeon"] });
  const clock = createVirtualClock();
  const importing = Promise.withResolvers<void>();
  const importModule = () => {
    importing.resolve();
    return new Promise(() => {});
  };
  const loading = load({ configPath, clock, importModule });
  await importing.promise;
  await clock.advance(15_000);
  expect((await loading).brokenPlugins[0]?.error.message).toContain("importing it failed: it was not done after 15 s");
});

test.each([
  ["for a newer Hermes", { apiVersion: 3, platform: "pigeon" }, "needs plugin API 3; this Hermes has 2."],
  ["for an older Hermes", { apiVersion: 1, platform: "pigeon" }, "was made for plugin API 1; this Hermes has 2."],
  ["of an unknown kind", { apiVersion: 2, kind: "store" }, "is a plugin of the kind “store”, which this Hermes"],
  ["that has no manifest", undefined, "is not a Hermes plugin"],
  [
    "whose manifest names another platform",
    { apiVersion: 2, kind: "platform", platform: "raven" },
    "exports no plugin for raven, only for pigeon",
  ],
  ["whose manifest names no platform", { apiVersion: 2, kind: "platform" }, "its manifest names no platform"],
])("a plugin %s is refused", async (_, manifest, message) => {
  installPlugin(manifest);
  if (manifest === undefined) write("project/node_modules/hermes-plugin-pigeon/package.json", { name: "x" });
  const file = write("project/hermes.config.json", { plugins: [["hermes-plugin-pigeon", { token: "t" }]] });
  expect((await problems({ configPath: file }))[0]).toContain(message);
});

test("names a plugin that throws on import, and still checks the others", async () => {
  installPlugin(undefined, `throw new Error("boom");`);
  const file = write("project/hermes.config.json", { plugins: ["hermes-plugin-pigeon", 1] });
  const [first, second] = await problems({ configPath: file });
  expect(first).toContain("plugins[1] is 1");
  expect(second).toContain("hermes-plugin-pigeon is not usable: importing it failed: boom");
});

test("two plugins for one account are refused, two accounts are not", async () => {
  installPlugin();
  const entry = (more: object) => ["hermes-plugin-pigeon", { token: "t", ...more }];
  const file = write("project/hermes.config.json", { plugins: [entry({}), entry({})] });
  expect((await problems({ configPath: file }))[0]).toContain(`${file}: plugins[1]: pigeon is configured twice`);
  write("project/hermes.config.json", { plugins: [entry({ account: "a" }), entry({ account: "b" })] });
  expect(await problems({ configPath: file })).toEqual([]);
});

test("the error says that a plugin's function was not called", async () => {
  write("home/pigeon.mjs", PLUGIN);
  write("home/hermes.config.mjs", `import { pigeon } from "./pigeon.mjs";\nexport default { plugins: [pigeon] };`);
  expect((await problems())[0]).toContain("plugins[0] is a plugin's function; expected what it returns");
});

test("names a config whose value throws when read, or that is nested without end", async () => {
  const file = write("project/hermes.config.mjs", 'export default { get model() { throw new Error("not today"); } };');
  expect(await problems({ configPath: file })).toEqual([expect.stringMatching(/hermes\.config\.mjs.*not today/)]);
  const nested = write("project/deep.json", `{ "plugins": ${"[".repeat(20_000)}${"]".repeat(20_000)} }`);
  expect(await problems({ configPath: nested })).toEqual([expect.stringContaining("deep.json")]);
});

test("reports which limits are wrong, and what was meant", async () => {
  const file = write("home/hermes.config.json", {
    limits: { day: { dollar: 5, tokens: 9 }, session: {}, person: { dollars: -1, tokens: 1.5 }, dya: { dollars: 5 } },
  });
  expect((await problems()).sort()).toEqual([
    expect.stringContaining(`${file}: limits.day.dollar is an unknown key; expected \`dollars\`.`),
    expect.stringContaining(`${file}: limits.dya is an unknown key; expected \`day\`.`),
    expect.stringContaining(`${file}: limits.person.dollars is -1`),
    expect.stringContaining(`${file}: limits.person.tokens is a number; expected a whole number.`),
    expect.stringContaining(`${file}: limits.session is an object: it limits neither \`dollars\` nor \`tokens\`.`),
  ]);
});

test("accepts limits in dollars, in tokens, or both", async () => {
  const limits = { session: { tokens: 500_000 }, day: { dollars: 4.5 }, person: { dollars: 1, tokens: 10 } };
  write("home/hermes.config.json", { limits });
  expect(await load()).toMatchObject({ limits });
});
