import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);

const root = resolve(import.meta.dirname, "..");
const WAYS = ["polling", "webhook", "socket"] as const;
const COMBINATIONS = WAYS.flatMap((way) =>
  ["--threads", "--no-threads"].flatMap((threads) => ["--edits", "--no-edits"].map((edits) => [way, threads, edits])),
);

/** Proofs that show that a message comes in, goes out, and goes to a thread. */
const SOME_PROOFS = "keys/continues|durable/held|once/reconnected|senders/own|errors/wrong-token|living/stops";

describe("the packages that npm create hermes-plugin writes", () => {
  const folder = mkdtempSync(join(tmpdir(), "create-hermes-plugin-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder, env: { ...process.env, NO_COLOR: "1" } });
  const create = (...args: string[]) =>
    node(join(root, "packages/create-hermes-plugin/bin/create-hermes-plugin.js"), ...args);
  const binary = (name: string) => join(root, "node_modules", name);
  const folderOf = ([way, threads, edits]: readonly (string | undefined)[]) => `${way}${threads}${edits}`;

  it("each combination of answers compiles, and is formatted as the template is", async () => {
    for (const combination of COMBINATIONS) {
      const [way = "", ...flags] = combination;
      const { stdout } = await create(folderOf(combination), "--name", "acme", "--receive", way, ...flags);
      expect(stdout).toContain(`hermes-plugin-acme is in ${folderOf(combination)}. Go on with:`);
    }
    const first = JSON.parse(readFileSync(join(folder, folderOf(COMBINATIONS[0] ?? []), "tsconfig.json"), "utf8"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...first, include: ["*-*/**/*.ts"] }));
    await node(binary("typescript/bin/tsc"), "-p", folder);
    const biome = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
    const { vcs: _, ...settings } = biome;
    writeFileSync(join(folder, "biome.json"), `${JSON.stringify({ ...settings, root: true }, null, 2)}\n`);
    await node(binary("@biomejs/biome/bin/biome"), "check", "--error-on-warnings", ...COMBINATIONS.map(folderOf));
  });

  it.each([
    ["polling", "--threads", "--edits"],
    ["webhook", "--no-threads", "--edits"],
    ["socket", "--threads", "--no-edits"],
  ])("a package with %s %s %s passes proofs of the kit", async (way, threads, edits) => {
    const name = `proved-${way}`;
    await create(name, "--name", "rocket-chat", "--receive", way, threads, edits);
    const vitest = [binary("vitest/vitest.mjs"), "run", "--root", join(folder, name), "-t", SOME_PROOFS];
    const { stdout } = await node(...vitest);
    expect(stdout).toMatch(/Tests {2}6 passed/);
  });

  it("a platform without threads has no file for them, and no marks are left", async () => {
    await create("plain", "--name", "plain", "--receive", "polling", "--no-threads", "--no-edits");
    const files = readdirSync(join(folder, "plain"), { recursive: true, encoding: "utf8" });
    expect(files).toContain("src/receive.ts");
    expect(files).not.toContain("src/threads.ts");
    const texts = files.filter((file) => /\.\w+$/.test(file)).map((file) => readIfFile(join(folder, "plain", file)));
    expect(texts.join("\n")).not.toMatch(/#if|#end|acme|\.(?:polling|webhook|socket)\.ts/i);
  });

  it("create-hermes-plugin says in a sentence what it cannot do, and writes nothing", async () => {
    const refused = async (...args: string[]) => {
      const error = await create(...args).then(
        () => null,
        (thrown: unknown) => thrown as { readonly code: number; readonly stderr: string },
      );
      return `${error?.code} ${error?.stderr.trim()}`;
    };
    expect(await refused("one", "--name", "acme")).toBe(
      "2 There is no terminal to ask in: say --receive, --threads, --edits, or --yes for what is usual.",
    );
    expect(await refused()).toBe(
      "2 There is no terminal to ask in: say --name, --receive, --threads, --edits, or --name and --yes for what is usual.",
    );
    expect(await refused(".", "--name", "acme", "--yes")).toMatch(/^2 .* is not empty \(.*\): name another folder\.$/);
    expect(await refused("--yes")).toBe("2 Say what the platform is called: --name <name>.");
    expect(existsSync(join(folder, "one"))).toBe(false);
  });
});

function readIfFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
