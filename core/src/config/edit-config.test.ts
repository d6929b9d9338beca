import { expect, it } from "vitest";
import { type ConfigEdit, editConfig, newConfig } from "./edit-config.ts";

const PAGER = "hermes-plugin-pager";
const variable = "PAGER_TOKEN";
const add = (options: Record<string, unknown> = {}, account?: string): ConfigEdit => ({
  ...{ kind: "plugin", package: PAGER, exportName: "pager", account, options },
});
const setModel = { kind: "set", key: "model", value: "acme/large" } as const;
const remove = { kind: "remove-plugin", package: PAGER } as const;

async function edited(path: string, text: string, ...edits: ConfigEdit[]): Promise<string> {
  const result = await editConfig({ path, text }, edits);
  return "text" in result ? result.text : `PASTE ${result.paste}`;
}

it("writes a new config in each form", async () => {
  const edits = [setModel, add({ token: { variable }, people: ["1"] })];
  expect(await newConfig("ts", edits)).toBe(`import { defineConfig } from "@hermes/core";
import { pager } from "${PAGER}";

export default defineConfig({
  model: "acme/large",
  plugins: [
    pager({ token: process.env.PAGER_TOKEN, people: ["1"] }),
  ],
});
`);
  expect(JSON.parse(await newConfig("json", edits))).toEqual({
    model: "acme/large",
    plugins: [[PAGER, { token: `\${${variable}}`, people: ["1"] }]],
  });
  expect(await newConfig("yaml", edits)).toBe(`model: acme/large
plugins:
  - [${PAGER}, {token: "\${PAGER_TOKEN}", people: ["1"]}]
`);
});

it.each(["ts", "json", "yaml"] as const)("sets one of several in an object of a config in %s", async (form) => {
  const set = (key: string, baseUrl: string): ConfigEdit => ({
    ...{ kind: "set", under: "providers", key, value: { baseUrl, apiKey: { variable: "KEY" } } },
  });
  const path = `hermes.config.${form}`;
  const text = await edited(path, await newConfig(form, [setModel]), set("own", "http://a/v1"));
  const both = await edited(path, text, set("own2", "http://b/v1"));
  for (const part of ["acme/large", "http://a/v1", "own2", "http://b/v1"]) expect(both).toContain(part);
  expect(both.match(/providers/g)).toHaveLength(1);
  expect(both.match(/KEY/g)).toHaveLength(2);
  expect(await edited(path, both, set("own", "http://a/v1"))).toBe(both);
  expect(await edited(path, both, set("own", "http://c/v1"))).toBe(both.replace("http://a/v1", "http://c/v1"));
});

it.each(["ts", "json", "yaml"] as const)("leaves a config in %s as it is when it says so already", async (form) => {
  const edits = [setModel, add({ token: { variable }, people: ["1"] }), add({ token: "x" }, "second")];
  const text = await newConfig(form, edits);
  expect(await edited(`hermes.config.${form}`, text, setModel, add({ token: { variable } }))).toBe(text);
});

it.each(["ts", "json", "yaml"] as const)("merges options into the plugin that is in a config in %s", async (form) => {
  const text = await newConfig(form, [add({ token: "old", people: ["1"] }), add({ token: "second" }, "second")]);
  const merged = await edited(`hermes.config.${form}`, text, add({ token: { variable }, port: 80 }));
  const expected = [add({ token: { variable }, people: ["1"], port: 80 }), add({ token: "second" }, "second")];
  expect(merged.replaceAll(/\s+/g, "")).toBe((await newConfig(form, expected)).replaceAll(/\s+/g, ""));
});

it.each(["ts", "json", "yaml"] as const)("only the named account is taken out of a config in %s", async (form) => {
  const text = await newConfig(form, [add({ token: "1" }), add({ token: "2" }, "second")]);
  const path = `hermes.config.${form}`;
  expect(await edited(path, text, remove)).toBe(await newConfig(form, [add({ token: "2" }, "second")]));
  expect(await edited(path, text, { ...remove, account: "second" })).toBe(await newConfig(form, [add({ token: "1" })]));
});

it.each(["json", "yaml"] as const)("a text that looks like a variable stays a text in %s", async (form) => {
  expect(await newConfig(form, [{ kind: "set", key: "instructions", value: `say \${${"HOME"}}` }])).toContain(
    `say $\${${"HOME"}}`,
  );
});

it("JSON keeps tabs, line ends, the byte order mark and the end of the file", async () => {
  const text = '\uFEFF{\r\n\t"plugins": ["other"],\r\n\t"log": {"level": "info"}\r\n}';
  expect(await edited("hermes.config.json", text, add(), setModel)).toBe(
    `\uFEFF{\r\n\t"plugins": ["other", "${PAGER}"],\r\n\t"log": {"level": "info"},\r\n\t"model": "acme/large"\r\n}`,
  );
});

it("the config in a package.json is edited where it stands", async () => {
  const text = '{\n    "name": "mine",\n    "hermes": {},\n    "private": true\n}\n';
  expect(await edited("/a/package.json", text, setModel)).toBe(
    '{\n    "name": "mine",\n    "hermes": {\n        "model": "acme/large"\n    },\n    "private": true\n}\n',
  );
});

it.each([
  ["a comma too many", '{ "plugins": ["other",] }'],
  ["a key that is there twice", '{ "plugins": [], "plugins": ["other"] }'],
  ["plugins that are no list", '{ "plugins": {} }'],
])("JSON with %s is left alone, and the lines are given", async (_, text) => {
  expect(await edited("hermes.config.json", text, add({ port: 1 }))).toMatch(/^PASTE "plugins": \[/);
});

it("YAML keeps comments, anchors, quotes and layout", async () => {
  const text = `# my config
defaults: &page {port: 1}
model: acme/small   # for now
plugins:
    # the page
    - ['other', *page]   # mine

# the rest
log: { level: "info" }
`;
  expect(await edited("hermes.config.yaml", text, add({ token: { variable } }), setModel)).toBe(
    text
      .replace("acme/small   #", "acme/large #")
      .replace("# mine\n", `# mine\n    - [${PAGER}, {token: "\${PAGER_TOKEN}"}]\n`),
  );
});

it("YAML with long options writes them below each other", async () => {
  const options = { token: { variable }, people: ["1", "2"], home: { chat: "2026-01-01", thread: "1_000" }, ok: true };
  expect(await edited("hermes.config.yml", "plugins: []\r\n", add(options))).toBe(
    `plugins:
  - - ${PAGER}
    - token: \${PAGER_TOKEN}
      people: ["1", "2"]
      home:
        chat: "2026-01-01"
        thread: "1_000"
      ok: true
`.replaceAll("\n", "\r\n"),
  );
});

it("YAML that is only comments keeps them above", async () => {
  expect(await edited("hermes.config.yaml", "# one\n# two\n", add())).toBe(`# one\n# two\nplugins:\n  - ${PAGER}\n`);
});

it.each([
  ["two documents", "model: a/b\n---\nmodel: c/d\n"],
  ["a list for an alias", "x: &list [other]\nplugins: *list\n"],
  ["a fault", "plugins: [\n"],
])("YAML with %s is left alone, and the lines are given", async (_, text) => {
  expect(await edited("hermes.config.yaml", text, add())).toBe(`PASTE plugins:\n  - ${PAGER}`);
});

it("code keeps its comments, quotes, tabs and missing semicolons", async () => {
  const text = `// my config
import { defineConfig } from '@hermes/core'
import { other } from 'other' // the page

export default defineConfig({
	plugins: [
		other({ port: 1 }), // mine
		// more to come
	],
})
`;
  expect(await edited("hermes.config.ts", text, add({ token: { variable } }), setModel)).toBe(
    text
      .replace("// the page\n", `// the page\nimport { pager } from '${PAGER}'\n`)
      .replace("// more to come\n", "// more to come\n\t\tpager({ token: process.env.PAGER_TOKEN }),\n")
      .replace("\t],\n", "\t],\n\tmodel: 'acme/large',\n"),
  );
});

it.each([
  ["a bare object", "export default { plugins: [] };", "export default { plugins: [\n  pager(),\n] };"],
  [
    "a typed one",
    "export default { plugins: [other()] } satisfies HermesConfig;",
    "export default { plugins: [other(), pager()] } satisfies HermesConfig;",
  ],
  [
    "a constant",
    "const config: HermesConfig = defineConfig({ plugins: [other(),] });\nexport default config;",
    "const config: HermesConfig = defineConfig({ plugins: [other(), pager()] });\nexport default config;",
  ],
  ["an empty object", "export default {};", "export default {\n  plugins: [\n    pager(),\n  ],\n};"],
])("code that exports %s gets the plugin and its import", async (_, text, expected) => {
  const imports = 'import { other } from "other";\n';
  expect(await edited("hermes.config.mts", `${imports}${text}\n`, add())).toBe(
    `${imports}import { pager } from "${PAGER}";\n${expected}\n`,
  );
});

it("code with module.exports requires the plugin", async () => {
  const text = 'const { other } = require("other");\r\n\r\nmodule.exports = {\r\n  plugins: [other()]\r\n};\r\n';
  expect(await edited("hermes.config.cjs", text, add())).toBe(
    text
      .replace('("other");\r\n', `("other");\r\nconst { pager } = require("${PAGER}");\r\n`)
      .replace("[other()]", "[other(), pager()]"),
  );
});

it("code without imports gets its first above the comment of what it exports", async () => {
  const text = "// @ts-check\n\n/** Mine. */\nexport default { plugins: [] };\n";
  expect(await edited("hermes.config.mjs", text, add())).toContain(
    `// @ts-check\n\nimport { pager } from "${PAGER}";\n\n/** Mine. */\nexport default {`,
  );
});

it("an import of another name is used as it is", async () => {
  const text = `import { pager as beeper } from "${PAGER}";\nexport default { plugins: [beeper({ account: "a" })] };\n`;
  expect(await edited("hermes.config.ts", text, add({ port: 1 }))).toBe(
    text.replace('"a" })]', '"a" }), beeper({ port: 1 })]'),
  );
});

it("options are merged into a call on lines, and a call without any gets them", async () => {
  const text = `import { pager } from "${PAGER}";
export default {
  plugins: [
    pager({
      // its token
      token: "old", // for now
    }),
  ],
};
`;
  const path = "hermes.config.ts";
  expect(await edited(path, text, add({ token: { variable }, port: 1 }))).toBe(
    text.replace('"old", // for now\n', "process.env.PAGER_TOKEN, // for now\n      port: 1,\n"),
  );
  const bare = text.replace(/pager\(\{[\s\S]*?\}\)/, "pager()");
  expect(await edited(path, bare, add({ port: 1 }))).toBe(bare.replace("pager()", "pager({ port: 1 })"));
});

it("a plugin is taken out of code with its import", async () => {
  const text = `import { other } from "other";
import { pager } from "${PAGER}";

export default {
  plugins: [
    other(), // stays
    pager({
      port: 1,
    }),
  ],
};
`;
  expect(await edited("hermes.config.ts", text, remove)).toBe(
    text.replace(/import \{ pager.*\n/, "").replace(/ +pager[\s\S]*?\}\),\n/, ""),
  );
});

const IMPORTED = `import { pager } from "${PAGER}";\n`;

it.each([
  ["a list that is put together", "export default { plugins: [...others] };"],
  ["an object that is put together", "export default { ...base };"],
  ["a list from elsewhere", "export default { plugins };"],
  ["a function", "export default () => ({ plugins: [] });"],
  ["what another call returns", "export default withDefaults({ plugins: [] });"],
  ["a name that is taken", "const pager = 1;\nexport default { plugins: [] };"],
  ["a plugin that stands elsewhere", `${IMPORTED}const mine = pager();\nexport default { plugins: [mine] };`],
  ["options that stand elsewhere", `${IMPORTED}export default { plugins: [pager(options)] };`],
  ["options that are put together", `${IMPORTED}export default { plugins: [pager({ ...options })] };`],
  ["a fault of syntax", "export default {;"],
  ["no export", "const config = {};"],
])("code with %s is left alone, and the lines are given", async (_, text) => {
  expect(await edited("hermes.config.ts", text, add({ port: 1 }))).toBe(
    `PASTE import { pager } from "${PAGER}";\nplugins: [pager({ port: 1 })],`,
  );
});

it("code is left alone where a comment would be lost", async () => {
  const text = `${IMPORTED}export default { plugins: [pager({ /* mine */ port: 1 })] };\n`;
  expect(await edited("hermes.config.ts", text, remove)).toMatch(/^PASTE /);
});

it("code is left alone where the package that goes is used for something else", async () => {
  const text = `import { pager, tone } from "${PAGER}";\nexport default { plugins: [pager()], instructions: tone };\n`;
  expect(await edited("hermes.config.ts", text, remove)).toMatch(/^PASTE /);
});

it.each([
  ["json", '{ "plugins": ["other"] }\n', '{ "plugins": [\n  "other",\n  [\n'],
  ["ts", "export default { plugins: [other()] };\n", "plugins: [\n  other(),\n  pager({\n"],
])("a list on one line is put on lines in %s where the plugin does not fit there", async (form, text, expected) => {
  const long = "a".repeat(60);
  expect(await edited(`hermes.config.${form}`, text, add({ long }))).toContain(expected);
});
