import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const core = join(root, "core", "src");

/** Which other rooms of core a room may import. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  base: [],
  log: ["base"],
  markdown: ["base"],
  terminal: ["base", "markdown"],
  adapter: ["base", "markdown"],
  model: ["base", "markdown", "adapter"],
  files: ["base", "model"],
  store: ["base", "adapter", "model"],
  plugin: ["base", "log", "adapter"],
  permissions: ["base"],
  config: ["base", "adapter", "plugin", "permissions"],
  agent: ["base", "markdown", "model", "files", "config"],
  tools: ["base", "model", "agent"],
  turn: ["base", "markdown", "adapter", "model", "store", "agent", "permissions"],
  handoff: ["base", "markdown", "adapter", "model", "store", "turn"],
  command: ["base", "markdown", "adapter", "model", "store", "handoff"],
  overview: ["base", "markdown", "adapter", "model", "store", "plugin", "handoff", "command"],
  host: [
    ...[
      "base",
      "log",
      "adapter",
      "model",
      "files",
      "permissions",
      "store",
      "agent",
      "tools",
      "turn",
      "config",
      "plugin",
    ],
  ],
  gateway: [
    ...["base", "markdown", "adapter", "model", "store", "agent", "tools", "turn", "handoff", "command", "config"],
    ...["plugin", "host", "overview", "files"],
  ],
  cli: [
    ...["base", "log", "markdown", "terminal", "adapter", "model", "store", "agent", "tools", "turn", "handoff"],
    ...["command", "config", "plugin", "host", "gateway", "permissions", "overview", "files"],
  ],
};

/** The files that put the rooms together may name what is behind a token. */
const COMPOSITION = new Set(["host/open-store.ts"]);

describe("the rooms of core", () => {
  const imports = filesUnder(core).flatMap((file) => importsOf(file).map((target) => ({ file, target })));

  it("import only the rooms below them", () => {
    const crossed = imports
      .filter(({ target }) => target.startsWith("."))
      .map(({ file, target }) => ({ from: file, to: resolve(dirname(file), target) }))
      .filter(({ from, to }) => {
        const [source, destination] = [roomOf(from), roomOf(to)];
        return source !== null && destination !== source && !(MAY_IMPORT[source] ?? []).includes(destination ?? "");
      })
      .map(({ from, to }) => `${nameOf(from)} imports ${nameOf(to)}`);
    expect(crossed).toEqual([]);
  });

  it("reach the embedded store through its token alone", () => {
    const reached = imports
      .filter(({ file, target }) => target.includes("store/sqlite") && roomOf(file) !== "store")
      .map(({ file }) => nameOf(file))
      .filter((file) => !COMPOSITION.has(file));
    expect(reached).toEqual([]);
  });

  it("name no platform", () => {
    const platforms =
      /\b(telegram|discord|slack|whatsapp|grammy|baileys|signal-cli|imessage|bluebubbles|matrix-js-sdk|matrix\.org|plugin-web|handoff web)\b|["'`]web["'`]/i;
    const naming = filesUnder(core).filter((file) => platforms.test(readFileSync(file, "utf8")));
    expect(naming.map(nameOf)).toEqual([]);
  });
});

describe("what imports core by its name", () => {
  it("is, of plugins, only what their users' plugins may import too", () => {
    expect(crossings("plugins", /^@hermes\/(core|core\/markdown|testing|emulator)$/)).toEqual([]);
  });

  it("is, of the kits and the emulators' common part, every entry of core", () => {
    const crossed = crossings("packages", /^@hermes\/(core|core\/(markdown|embed|internal)|emulator)$/);
    const ofPlugins = crossings("packages", /^@hermes\/(core|core\/markdown|testing|emulator)$/);
    const template = "packages/create-hermes-plugin/template/";
    // The template is a plugin's.
    expect(crossed.filter((one) => !one.startsWith(template))).toEqual([]);
    expect(ofPlugins.filter((one) => one.startsWith(template))).toEqual([]);
  });

  it("a plugin's sources import no emulator and no test", () => {
    const plugins = join(root, "plugins");
    const crossed = filesUnder(plugins)
      .filter((file) => relative(plugins, file).split(sep)[1] === "src")
      .flatMap((file) => importsOf(file).map((target) => `${relative(root, file)} imports ${target}`))
      .filter((line) => /imports (?:@hermes\/(?:emulator|testing)|(?:\.\.\/)+(?:emulator|test)\/)/.test(line));
    expect(crossed).toEqual([]);
  });

  /** What the packages in a folder import beside their own files and what they may. */
  function crossings(folder: string, allowed: RegExp): string[] {
    const packages = join(root, folder);
    return filesUnder(packages).flatMap((file) => {
      const [own] = relative(packages, file).split(sep);
      return importsOf(file)
        .filter((target) => {
          if (target.startsWith("@hermes/")) return !allowed.test(target);
          return target.startsWith(".") && !resolve(dirname(file), target).startsWith(join(packages, own ?? "") + sep);
        })
        .map((target) => `${relative(root, file)} imports ${target}`);
    });
  }
});

describe("the set-up of a plugin", () => {
  const plugins = join(root, "plugins");
  const { dependencies } = JSON.parse(readFileSync(join(root, "core", "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const setups = readdirSync(plugins)
    .map((name) => join(plugins, name, "src", "setup.ts"))
    .filter((file) => existsSync(file));

  it.each(setups.map((file) => relative(root, file)))("%s loads no library of the platform", (file) => {
    const loaded = [...reachedFrom(join(root, file))].flatMap((one) => loadedBy(one));
    const libraries = loaded.filter(
      (target) => !/^(?:\.|node:|@hermes\/core)/.test(target) && !(target in dependencies),
    );
    expect(libraries).toEqual([]);
  });
});

it("no file of core, a plugin or a package loads one that loads it in turn", () => {
  const sources = ["core", ...["plugins", "packages"].flatMap((folder) => packagesIn(folder))]
    .map((folder) => join(root, folder, "src"))
    .filter((folder) => existsSync(folder));
  const loads = new Map(
    sources.flatMap(filesUnder).map((file) => {
      const targets = loadedAtOnceBy(file).filter((target) => target.startsWith("."));
      return [file, targets.map((target) => resolve(dirname(file), target))] as const;
    }),
  );
  expect(loads.size).toBeGreaterThan(1000);
  expect(inCircles(loads)).toEqual([]);
});

function packagesIn(folder: string): string[] {
  return readdirSync(join(root, folder)).map((name) => join(folder, name));
}

/** The imports that are part of a circle, or lead from one to another. */
function inCircles(loads: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...loads].flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
  for (let before = 0; before !== left.length; ) {
    before = left.length;
    const [loading, loaded] = [new Set(left.map(({ from }) => from)), new Set(left.map(({ to }) => to))];
    left = left.filter(({ from, to }) => loaded.has(from) && loading.has(to));
  }
  return left.map(({ from, to }) => `${relative(root, from)} loads ${relative(root, to)}`);
}

/** The file, and what of its package is loaded with it or later by it. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const target of loadedBy(file)) if (target.startsWith(".")) reachedFrom(resolve(dirname(file), target), reached);
  return reached;
}

/** What a file imports when it runs: types are gone by then. */
function loadedBy(file: string): string[] {
  return [...withoutTypes(file).matchAll(/(?:from\s+|import\s*\(?\s*)"([^"]+)"/g)].flatMap(
    ([, target]) => target ?? [],
  );
}

/** Whose values a file takes before it runs itself: not those that a function of it imports when it is called. */
function loadedAtOnceBy(file: string): string[] {
  const text = withoutTypes(file).replaceAll(/^(?:import|export) \{(?:\s*type [^,}]+,?)+\s*\} from ".*";$/gm, "");
  return [...text.matchAll(/(?:from|^import)\s+"([^"]+)"/gm)].flatMap(([, target]) => target ?? []);
}

function withoutTypes(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/^(?:import|export) type [\s\S]*? from ".*";$/gm, "");
}

/** Sources and not their tests, which may import whatever they test against. */
function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[/\\](node_modules|dist)[/\\]/.test(file));
}

function importsOf(file: string): string[] {
  // An example in a comment imports nothing.
  const text = readFileSync(file, "utf8").replaceAll(/^ *\* .*$/gm, "");
  return [...text.matchAll(/(?:from\s+|import\s*\(?\s*)"([^"]+)"/g)].flatMap(([, target]) => target ?? []);
}

/** The first folder below core/src; null for what lies beside the rooms. */
function roomOf(path: string): string | null {
  const parts = relative(core, path).split(sep);
  return parts.length > 1 ? (parts[0] ?? null) : null;
}

function nameOf(path: string): string {
  return relative(core, path).split(sep).join("/");
}

it("what the embedded store takes of core's rules is exported for other stores", async () => {
  const folder = join(core, "store", "sqlite");
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const taken = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), "utf8");
    // Types are those of the contract; what is base is no rule, and what stands before a store is not a store's.
    const imports = text.matchAll(
      /import \{([^}]*)\} from "\.\.\/(?:\.\.\/(?:adapter|model)\/|(?!\.\.|redacting-store))/g,
    );
    return [...imports].flatMap(([, names = ""]) => names.split(",").map((one) => one.trim()));
  });
  const rules = taken.filter((name) => name !== "" && !name.startsWith("type "));
  const exported = { ...(await import("@hermes/core")), ...(await import("@hermes/core/embed")) };
  expect(rules.length).toBeGreaterThan(50);
  expect([...new Set(rules)].filter((name) => !(name in exported))).toEqual([]);
});
