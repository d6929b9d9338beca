import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "./load-config.ts";
import { changesIn, type FolderChange, isTrustedFolder, trustFolder } from "./trusted-folders.ts";

let root: string;
let home: string;
let project: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-trust-")));
  home = join(root, "home");
  project = join(root, "project");
  for (const folder of [home, project]) mkdirSync(folder);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, text: string): string {
  const path = join(project, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function load(confirmChange?: (change: FolderChange) => Promise<boolean>, workingDirectory = project) {
  return loadConfig({ environment: {}, workingDirectory, home, confirmChange });
}

/** What of the project is not as it was trusted, by its path within it. */
function changed(): string[] {
  const files = changesIn(home, project)?.files ?? [];
  return files.map(({ place, kind }) => `${place.slice(project.length + 1)} ${kind}`);
}

const listOf = () => join(home, "trusted-folders.json");

describe("a trusted folder", () => {
  test("a trusted folder's config loads until it changes", async () => {
    const file = write("hermes.config.json", `{ "model": "a/b" }`);
    trustFolder(home, project);
    expect((await load()).model).toBe("a/b");
    write("hermes.config.json", `{ "model": "c/d" }`);
    const refused = {
      code: "CONFIG_CHANGED",
      message: `${file} was not loaded: hermes.config.json changed since ${project} was trusted.`,
    };
    await expect(load()).rejects.toMatchObject(refused);
    trustFolder(home, project);
    expect((await load()).model).toBe("c/d");
  });

  test("a changed config in a trusted folder is not skipped in favour of another one", async () => {
    write("hermes.config.json", "{}");
    trustFolder(home, project);
    writeFileSync(join(home, "hermes.config.json"), `{ "model": "from/home" }`);
    write("hermes.config.json", `{ "model": "a/b" }`);
    await expect(load()).rejects.toMatchObject({ code: "CONFIG_CHANGED" });
  });

  test("keeps to itself what stands in its files", () => {
    write("hermes.config.json", `{ "providers": { "x": { "apiKey": "s3cret-s3cret" } } }`);
    trustFolder(home, project);
    expect(readFileSync(listOf(), "utf8")).not.toContain("s3cret");
    expect(statSync(listOf()).mode & 0o777).toBe(0o600);
  });

  test.each<[string, Record<string, string>, string, string]>([
    ["imports", { "hermes.config.ts": `import { a } from "./a.ts";`, "a.ts": "" }, "a.ts", "a.ts changed"],
    ["imports without an ending", { "hermes.config.ts": "import './a'", "a.ts": "" }, "a.ts", "a.ts changed"],
    ["imports as JavaScript", { "hermes.config.ts": `import "./a.js";`, "a.ts": "" }, "a.ts", "a.ts changed"],
    [
      "requires",
      { "hermes.config.cjs": `require("./deep")`, "deep/index.cjs": "" },
      "deep/index.cjs",
      "deep/index.cjs changed",
    ],
    ["imports later", { "hermes.config.mjs": "await import(`./a.mjs`)", "a.mjs": "" }, "a.mjs", "a.mjs changed"],
    [
      "puts together",
      { "hermes.config.mjs": `import(\`./p/\${name}.mjs\`)`, "p/a.mjs": "" },
      "p/a.mjs",
      "p/a.mjs changed",
    ],
    [
      "works out where to find",
      { "hermes.config.mjs": `import(join(here, "deep", "a.mjs"))`, "deep/a.mjs": "" },
      "deep/a.mjs",
      "deep/a.mjs changed",
    ],
    [
      "puts together by a plus",
      { "hermes.config.cjs": `require("./p/a" + name)`, "p/ab.cjs": "" },
      "p/ab.cjs",
      "p/ab.cjs changed",
    ],
    [
      "imports by the name of its own package",
      {
        "package.json": `{"name":"me","exports":{"./x":"./src/x.ts"}}`,
        "hermes.config.ts": `import "me/x"`,
        "src/x.ts": "",
      },
      "src/x.ts",
      "src/x.ts changed",
    ],
    ["exports on", { "hermes.config.ts": `export * from "../project/a.ts";`, "a.ts": "" }, "a.ts", "a.ts changed"],
    [
      "reads as JSON",
      { "hermes.config.ts": `import x from "./x.json" with { type: "json" };`, "x.json": "" },
      "x.json",
      "x.json changed",
    ],
    [
      "imports by another",
      { "hermes.config.ts": `import "./a.ts"`, "a.ts": `import "./b.ts"`, "b.ts": "" },
      "b.ts",
      "b.ts changed",
    ],
    ["names in JSON", { "hermes.config.json": `{ "plugins": ["./p.mjs"] }`, "p.mjs": "" }, "p.mjs", "p.mjs changed"],
    ["names in YAML", { "hermes.config.yaml": "plugins:\n  - [./p.mjs, {}]\n", "p.mjs": "" }, "p.mjs", "p.mjs changed"],
    [
      "imports by a name of its own",
      { "package.json": `{"imports":{"#a/*":"./src/*.ts"}}`, "hermes.config.ts": `import "#a/b"`, "src/b.ts": "" },
      "src/b.ts",
      "src/b.ts changed",
    ],
  ])("notices a change of what its config %s", (_, files, file, told) => {
    for (const [name, text] of Object.entries(files)) write(name, text);
    trustFolder(home, project);
    expect(changed()).toEqual([]);
    write(file, "process.exit(1);");
    expect(changed()).toEqual([told]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["a config that goes before its own", { "hermes.config.json": "{}" }, "hermes.config.ts"],
    ["a file that goes before an imported one", { "hermes.config.ts": `import "./a"`, "a.js": "" }, "a.ts"],
    [
      "a file among those that may be meant",
      { "hermes.config.mjs": `import(\`./p/\${x}\`)`, "p/a.mjs": "" },
      "p/b.mjs",
    ],
    ["a file among those that may be worked out", { "hermes.config.mjs": "import(name)", "p/a.mjs": "" }, "q/b.mjs"],
  ])("notices %s", (_, files, file) => {
    for (const [name, text] of Object.entries(files)) write(name, text);
    trustFolder(home, project);
    write(file, "1;");
    expect(changed()).toContain(`${file} new`);
  });

  test("notices an imported file that is gone, and a name that means another file now", () => {
    write("hermes.config.ts", `import "./a.ts"; import "#b";`);
    write("a.ts", "");
    write("b.ts", "");
    write("package.json", `{ "imports": { "#b": "./b.ts" } }`);
    trustFolder(home, project);
    rmSync(join(project, "a.ts"));
    write("package.json", `{ "imports": { "#b": "./c.ts" } }`);
    expect(changed()).toEqual(["a.ts gone", "package.json#imports changed", "b.ts gone"]);
  });

  test("changes of packages, other files or the rest of package.json need no trust", () => {
    write("package.json", `{ "hermes": { "model": "a/b" }, "dependencies": {} }`);
    write("node_modules/x/index.js", "");
    trustFolder(home, project);
    write("package.json", `{ "version": "2.0.0", "hermes": { "model": "a/b" }, "dependencies": { "x": "*" } }`);
    write("node_modules/x/index.js", "changed();");
    write("README.md", "new");
    expect(changed()).toEqual([]);
    write("package.json", `{ "hermes": { "model": "c/d" } }`);
    expect(changed()).toEqual(["package.json#hermes changed"]);
  });

  test("trust of a folder does not extend to another one that replaced its link", () => {
    write("hermes.config.json", "{}");
    const link = join(root, "link");
    symlinkSync(project, link);
    trustFolder(home, link);
    expect(isTrustedFolder(home, project)).toBe(true);
    rmSync(link);
    mkdirSync(link);
    expect(isTrustedFolder(home, link)).toBe(false);
  });
});

describe("a person who is asked about a change", () => {
  test("sees each changed line with its number, and how many are gone", async () => {
    write("hermes.config.mjs", "// one\n// two\n// three\n// four\nexport default {};");
    trustFolder(home, project);
    write("hermes.config.mjs", `// one\n// 2\n// three\nimport "./new.mjs";\nexport default { model: "a/b" };`);
    write("new.mjs", "1;");
    const asked: FolderChange[] = [];
    const config = await load(async (change) => asked.push(change) > 0);
    expect(config.model).toBe("a/b");
    expect(asked).toMatchObject([
      {
        folder: project,
        isFirst: false,
        files: [
          {
            place: join(project, "hermes.config.mjs"),
            kind: "changed",
            lines: [
              { gone: 1 },
              { at: 2, text: "// 2" },
              { gone: 2 },
              { at: 4, text: `import "./new.mjs";` },
              { at: 5, text: `export default { model: "a/b" };` },
            ],
          },
          { place: join(project, "new.mjs"), kind: "new", lines: [{ at: 1, text: "1;" }] },
        ],
      },
    ]);
    expect((await load()).model).toBe("a/b");
  });

  test("sees lines that only changed their order", () => {
    write("hermes.config.mjs", "a();\nb();\n");
    trustFolder(home, project);
    write("hermes.config.mjs", "b();\na();\n");
    expect(changesIn(home, project)?.files[0]?.lines).toEqual([{ gone: 1 }, { at: 2, text: "a();" }]);
  });

  test("hermes loads nothing after a no, and asks again the next time", async () => {
    write("hermes.config.mjs", "export default {};");
    trustFolder(home, project);
    write("hermes.config.mjs", `throw new Error("it was run");`);
    let times = 0;
    for (const _ of [1, 2]) {
      await expect(load(async () => ++times === 0)).rejects.toMatchObject({ code: "CONFIG_CHANGED" });
    }
    expect(times).toBe(2);
  });

  test("a change made while a person is asked is asked about again", async () => {
    write("hermes.config.mjs", "export default {};");
    trustFolder(home, project);
    write("hermes.config.mjs", `export default { model: "shown/one" };`);
    const seen: unknown[] = [];
    const loading = load(async ({ files }) => {
      seen.push(files[0]?.lines.at(-1));
      if (seen.length > 1) return false;
      write("hermes.config.mjs", `throw new Error("it was run");`);
      return true;
    });
    await expect(loading).rejects.toMatchObject({ code: "CONFIG_CHANGED" });
    expect(seen).toEqual([
      { at: 1, text: `export default { model: "shown/one" };` },
      { at: 1, text: `throw new Error("it was run");` },
    ]);
  });
});

describe("folders that an earlier Hermes trusted", () => {
  beforeEach(() => {
    write("hermes.config.mjs", `export default { model: "a/b" };`);
    writeFileSync(listOf(), JSON.stringify([project, "/gone"]));
  });

  test("folders trusted by an earlier Hermes are asked about once, with all files", async () => {
    expect(isTrustedFolder(home, project)).toBe(true);
    await expect(load()).rejects.toMatchObject({ code: "CONFIG_CHANGED" });
    const asked: FolderChange[] = [];
    expect((await load(async (change) => asked.push(change) > 0)).model).toBe("a/b");
    expect(asked).toMatchObject([{ isFirst: true, files: [{ kind: "new", lines: [{ at: 1 }] }] }]);
    expect((await load()).model).toBe("a/b");
  });

  test("stay trusted when another one is", () => {
    const other = join(root, "other");
    mkdirSync(other);
    trustFolder(home, other);
    expect(isTrustedFolder(home, project)).toBe(true);
    expect(changesIn(home, project)?.isFirst).toBe(true);
    expect(changesIn(home, other)).toBeNull();
  });
});

describe("a folder is not trusted", () => {
  test("the root of the file system cannot be trusted", () => {
    expect(() => trustFolder(home, "/")).toThrow("/ cannot be trusted: everything on this machine lies in it.");
  });

  test("a file cannot be trusted as a folder", () => {
    const file = write("hermes.config.json", "{}");
    expect(() => trustFolder(home, file)).toThrow(`${file} cannot be trusted: it is a file.`);
  });

  test.each([0o777, 0o1777, 0o702])(
    "a folder that everybody may write to, with the mode %o, cannot be trusted",
    (mode) => {
      chmodSync(project, mode);
      expect(() => trustFolder(home, project)).toThrow("cannot be trusted: everybody may write to it.");
      expect(isTrustedFolder(home, project)).toBe(false);
    },
  );

  test("a folder cannot be trusted where everybody may replace it", () => {
    const inner = join(project, "inner");
    mkdirSync(inner);
    chmodSync(project, 0o777);
    expect(() => trustFolder(home, inner)).toThrow(`cannot be trusted: everybody may write to ${project}.`);
    chmodSync(project, 0o1777);
    trustFolder(home, inner);
  });
});
