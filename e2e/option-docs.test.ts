import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { platformOptions, z } from "@hermes/core";
import { expect, it } from "vitest";
import { packageFiles } from "../packages/create-hermes-plugin/src/package-files.ts";

const root = resolve(import.meta.dirname, "..");
const PLUGINS = ["discord", "imessage", "matrix", "signal", "slack", "telegram", "web", "whatsapp"];
const CORE = "core/dist/plugin/platform-options.d.ts";

/** The members of an interface in a file, each with whether a comment stands above it. */
function membersOf(file: string, name: RegExp): Map<string, boolean> {
  return membersIn(readFileSync(join(root, file), "utf8"), name, file);
}

function membersIn(text: string, name: RegExp, file: string): Map<string, boolean> {
  const body = new RegExp(`export interface ${name.source}[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(text)?.[1];
  if (body === undefined) throw new Error(`${file} has no interface ${name.source}`);
  const found = body.matchAll(/(\*\/\n)?^ {2,4}(?:readonly )?(\w+)\??:/gm);
  return new Map([...found].map(([, comment, member = ""]) => [member, comment !== undefined]));
}

it.each(PLUGINS)("an editor shows what each option of %s is for, in hermes.config.ts", async (name) => {
  const module: Record<string, unknown> = await import(`@hermes/plugin-${name}`);
  const configure = module[name] as (options: object) => { readonly schema: { readonly shape: object } };
  const ofCore = membersOf(CORE, /PlatformConfig/);
  const own = membersOf(`plugins/${name}/dist/config.d.ts`, /\w+Config/);
  const shown = new Map([...ofCore, ...own]);
  // The schema takes no other option, and none that an editor does not know.
  expect([...shown.keys()].sort()).toEqual(Object.keys(configure({}).schema.shape).sort());
  expect([...shown].filter(([, isCommented]) => !isCommented)).toEqual([]);
  // The function takes that interface, and not what is inferred of the schema, which has no comments.
  const types = readFileSync(join(root, `plugins/${name}/dist/index.d.ts`), "utf8");
  expect(types).toMatch(new RegExp(`declare const ${name}: \\(options\\?: \\w+Config\\) => PluginDescriptor`));
});

interface JsonSchema {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** The rows of a README's table of options: name, type, default, what it is for. */
function rowsOf({ properties = {} }: JsonSchema, prefix = ""): string[] {
  return Object.entries(properties).flatMap(([name, option]) => {
    const { type, anyOf, default: initial, description, properties: parts } = option;
    // What all platforms have is described once, elsewhere, where a plugin adds nothing to it.
    if (name in platformOptions && description === undefined) return [];
    if (parts && Object.values(parts).every((part) => part.description !== undefined)) {
      return rowsOf(option, `${prefix}${name}.`);
    }
    const shownType = type ?? anyOf?.map((one) => one.type).join(" or ");
    const shown = initial === undefined ? "" : `\`${JSON.stringify(initial)}\``;
    return [narrow(`| \`${prefix}${name}\` | ${shownType} | ${shown} | ${description} |`)];
  });
}

/** A row without the spaces that align it. */
function narrow(line: string): string {
  return line.replaceAll(/ *\| */g, " | ").trim();
}

it.each(PLUGINS)("the README of %s lists each option with its default", async (name) => {
  const module: Record<string, unknown> = await import(`@hermes/plugin-${name}`);
  const configure = module[name] as (options: object) => { readonly schema: z.ZodType };
  const rows = rowsOf(z.toJSONSchema(configure({}).schema, { io: "input" }) as JsonSchema);
  expect(rows.length).toBeGreaterThan(2);
  const readme = readFileSync(join(root, "plugins", name, "README.md"), "utf8");
  const table = readme
    .split("\n")
    .filter((line) => /^\| `[\w.]+` *\| *(?:string|boolean|integer|array|object)\b/.test(line));
  expect(table.map(narrow)).toEqual(rows);
});

it.each(["polling", "webhook", "socket"] as const)(
  "an editor shows the options of a scaffold that has a %s",
  (receive) => {
    const files = packageFiles({ name: "acme", receive, threads: true, edits: true });
    const config = files.get("src/config.ts") ?? "";
    const shown = membersIn(config, /AcmeConfig/, "src/config.ts");
    const [, schema = ""] = /acmeOptions = z\.object\(\{\n([\s\S]*?)\n\}\);/.exec(config) ?? [];
    expect([...shown.keys()]).toEqual([...schema.matchAll(/^ {2}(\w+):/gm)].map(([, option]) => option));
    expect(shown.size).toBe(receive === "webhook" ? 3 : 2);
    expect([...shown].filter(([, isCommented]) => !isCommented)).toEqual([]);
    expect(files.get("src/index.ts")).toContain("export const acme: (options?: AcmeConfig) => PluginDescriptor =");
  },
);

it("an editor shows what each key of the config is for", () => {
  expect(existsSync(join(root, CORE))).toBe(true);
  const keys = membersOf("core/dist/config/config.d.ts", /HermesConfig/);
  expect(keys.size).toBeGreaterThan(10);
  expect([...keys].filter(([, isCommented]) => !isCommented)).toEqual([]);
});
