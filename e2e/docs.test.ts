import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCli } from "../core/src/cli/program.ts";
import { createTestTerminal } from "../core/src/cli/test-terminal.ts";
import { anchorsIn, codeIn, linksIn, tableRowsIn, wholeFilesIn } from "./support/markdown-page.ts";

const root = resolve(import.meta.dirname, "..");

/** Every page that people read. */
const PAGES = [
  ...["README.md", "CONTRIBUTING.md"],
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ...readdirSync(join(root, "plugins")).map((name) => `plugins/${name}/README.md`),
].filter((page) => page.endsWith(".md") && existsSync(join(root, page)));

describe.each(PAGES)("%s", (page) => {
  const text = read(page);

  it("leads nowhere that is not there", () => {
    const dead = linksIn(text).filter((link) => {
      const [path = "", heading] = link.split("#");
      const target = path === "" ? join(root, page) : resolve(root, dirname(page), decodeURIComponent(path));
      if (!existsSync(target)) return true;
      return heading !== undefined && target.endsWith(".md") && !anchorsIn(readFileSync(target, "utf8")).has(heading);
    });
    expect(dead).toEqual([]);
  });

  it("names scripts that npm knows", () => {
    const scripts = { ...scriptsIn("package.json"), ...(page === GUIDE ? scriptsIn(SCAFFOLD) : {}) };
    const called = codeIn(text).flatMap((code) => [...code.matchAll(/\bnpm (run )?([a-z][\w:-]*)/g)]);
    const unknown = called.flatMap(([whole, run, name = ""]) =>
      name in scripts || (!run && OF_NPM_ITSELF.has(name)) ? [] : whole,
    );
    expect(unknown).toEqual([]);
  });

  it("names commands that hermes knows", async () => {
    const unknown: string[] = [];
    for (const [name, subcommands] of commandsIn(text)) {
      const help = await helpOf(name);
      if (help === null) unknown.push(name);
      const known = new Set(
        [...(help ?? "").matchAll(/^ {2}([a-z-]+)|^hermes \S+ ([a-z-]+)/gm)].map((m) => m[1] ?? m[2]),
      );
      const hasSubcommands = help === null || /^Commands:|^hermes /m.test(help);
      if (hasSubcommands) unknown.push(...subcommands.filter((one) => !known.has(one)).map((one) => `${name} ${one}`));
    }
    expect(unknown).toEqual([]);
  });

  it("shows TypeScript that compiles, where it shows a whole file", async () => {
    expect(await typeErrorsIn(page, text)).toBe("");
  });
});

describe("the guarantees of docs/architecture.md", () => {
  const rows = tableRowsIn(read("docs/architecture.md"), "Guarantees").map(([, kept = "", shown = ""]) => ({
    kept,
    shown,
  }));

  it("every guarantee names its place and its test", () => {
    expect(rows.length).toBeGreaterThan(20);
    const bare = rows.filter(({ kept, shown }) => pathsIn(kept).length === 0 || testsIn(shown).length === 0);
    expect(bare).toEqual([]);
  });

  it("the files that keep the guarantees exist", () => {
    const paths = rows.flatMap(({ kept, shown }) => pathsIn(`${kept} ${shown}`));
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("the tests that show the guarantees exist", () => {
    const tests = rows.flatMap(({ shown }) => testsIn(shown));
    const missing = tests.filter(({ file, name }) => !existsSync(join(root, file)) || !read(file).includes(name));
    expect(missing).toEqual([]);
  });
});

/** The guide for authors, which speaks of the scripts of the package that the scaffold writes, too. */
const GUIDE = "docs/writing-an-adapter.md";
const SCAFFOLD = "packages/create-hermes-plugin/template/manifest.json";

function scriptsIn(manifest: string): Record<string, string> {
  return (JSON.parse(read(manifest)) as { scripts: Record<string, string> }).scripts;
}

/** Words behind `npm` that are no scripts. */
const OF_NPM_ITSELF = new Set(["create", "install", "ci", "exec", "publish", "pack", "link", "init"]);

const home = mkdtempSync(join(tmpdir(), "hermes-docs-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/** `hermes sessions show` → sessions: [show]. Words in capitals, in brackets or behind options are arguments. */
function commandsIn(text: string): Map<string, string[]> {
  const commands = new Map<string, string[]>();
  for (const code of codeIn(text)) {
    for (const [, name = "", subcommand] of code.matchAll(
      /(?<![\w./-])hermes ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?(?![\w./])/g,
    )) {
      commands.set(name, [...(commands.get(name) ?? []), ...(subcommand ? [subcommand] : [])]);
    }
  }
  return commands;
}

const helps = new Map<string, Promise<string | null>>();

/** What `hermes <name> --help` prints; null where there is no such command. Asked once: most pages name the same ones. */
function helpOf(name: string): Promise<string | null> {
  const help = helps.get(name) ?? askForHelp(name);
  helps.set(name, help);
  return help;
}

async function askForHelp(name: string): Promise<string | null> {
  const terminal = createTestTerminal({ home: join(home, "hermes"), workingDirectory: root });
  const code = await runCli([name, "--help"], { io: terminal.io });
  return code === 0 ? terminal.stdout() : null;
}

/** Compiles the files that a page shows whole, as one project: an import of a package finds its `src/index.ts` there. */
async function typeErrorsIn(page: string, text: string): Promise<string> {
  const folder = join(root, "node_modules/.cache/docs", page.replaceAll("/", "-"));
  rmSync(folder, { recursive: true, force: true });
  const files = wholeFilesIn(text);
  if (files.length === 0) return "";
  for (const { name, code } of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  const packages = files.flatMap(({ name }) => /^(.+)\/src\/index\.ts$/.exec(name)?.[1] ?? []);
  const paths = Object.fromEntries(packages.map((name) => [name, [`./${name}/src/index.ts`]]));
  const base = relative(folder, join(root, "tsconfig.test.json"));
  const compilerOptions = { incremental: false, tsBuildInfoFile: null, paths };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: base, compilerOptions, files: files.map(({ name }) => name), include: [] }),
  );
  return new Promise((done) => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    execFile(process.execPath, [tsc, "-p", folder], { cwd: folder }, (error, stdout, stderr) =>
      done(error ? `${stdout}${stderr}` : ""),
    );
  });
}

/** The files that a cell names. */
function pathsIn(cell: string): string[] {
  return [...cell.matchAll(/`((?:core|plugins|e2e)\/[^`]+)`/g)].map(([, path = ""]) => path);
}

/** The tests that a cell names: a file, then the name of a test in it. */
function testsIn(cell: string): { readonly file: string; readonly name: string }[] {
  return [...cell.matchAll(/`([^`]+)` “([^”]+)”/g)].map(([, file = "", name = ""]) => ({ file, name }));
}
