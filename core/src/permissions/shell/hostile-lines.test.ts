import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeCall } from "../judge-call.ts";
import { readLine } from "./read-line.ts";
import { HOSTILE_OPTIONS, hostileLines, seeded } from "./test-hostile-lines.ts";

const SEED = Number(process.env.HERMES_TEST_SEED ?? 20_261_129);

let root: string;
/** The folder that a session would work in. */
let directory: string;
let runs = 0;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-hostile-")));
  directory = join(root, "work");
  for (const folder of ["work/src", "work/out", "stubs", "real", "home"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of ["work/a.txt", "work/src/a.txt", "outside"]) writeFileSync(join(root, name), "evil\n");
  symlinkSync("../a.txt", join(directory, "out/link"));
  // One write each: programs of a pipeline run at once.
  const stub = `#!/bin/bash\nprintf -v call '%s\\x1f' "\${0##*/}" "$@"; printf '%s\\x1e' "$call" >> "$RECORD"\n`;
  const stubs = ["ls", "git", "npm", "evil", "cat", "sh", "env", "xargs", "time", "a.txt", "rm", "touch"];
  for (const path of [...stubs.map((name) => `stubs/${name}`), "real/evil"]) {
    writeFileSync(join(root, path), stub);
    chmodSync(join(root, path), 0o755);
  }
  for (const name of "sed awk find sort split uniq tar git env xargs nice timeout bash cat head ls".split(" ")) {
    const found = spawnSync("bash", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
    if (found.startsWith("/")) symlinkSync(found, join(root, "real", name));
  }
  execFileSync("tar", ["-cf", "a.tar", "a.txt"], { cwd: directory });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Without network and with rights over nothing else, where this machine lets one have that. */
const apart = spawnSync("unshare", ["-rn", "true"]).status === 0 ? ["unshare", "-rn"] : [];

/** Runs a line as it would be run, with only the programs of one folder. Returns the argument lists that were run. */
function run(line: string, programs: string): string[][] {
  const record = join(root, "home", `record-${++runs}`);
  const [command = "", ...words] = [...apart, "bash", "--noprofile", "--norc", "-c", `${line}\nwait`];
  const env = { PATH: join(root, programs), HOME: join(root, "home"), RECORD: record };
  const way =
    process.env.PATH?.split(":")
      .map((folder) => join(folder, command))
      .find(existsSync) ?? command;
  const withBash = words.map((word) => (word === "bash" ? "/bin/bash" : word));
  spawnSync(way, withBash, { cwd: directory, env, timeout: 30_000, stdio: "ignore" });
  if (!existsSync(record)) return [];
  const calls = readFileSync(record, "utf8").split("\x1e").slice(0, -1);
  return calls.map((call) => call.split("\x1f").slice(0, -1));
}

/** Every file with its content, apart from those that a rule lets be written. */
function files(): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => relative(root, join(entry.parentPath, entry.name)));
  const kept = paths.filter((path) => !path.startsWith("home/record-") && !path.startsWith("work/out/")).sort();
  return Object.fromEntries(kept.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

async function decisionOf(line: string, allow: readonly string[]) {
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  const rules = { allow, ask: [], deny: [] };
  return (
    await judgeCall(call, {
      rules,
      mode: "default",
      directory,
      home: join(root, "home"),
      shared: false,
      isOperator: true,
    })
  ).decision;
}

/** Programs of bash itself, which leave no trace. */
const BUILTINS = new Set(["echo", "true", ":", "test", "[", "pwd"]);

const RULE_SETS: readonly { readonly allow: readonly string[]; readonly says: (call: readonly string[]) => boolean }[] =
  [
    { allow: ["shell(ls *)", "write(out/**)"], says: ([name]) => name === "ls" },
    {
      allow: ["shell(ls)", "shell(git status)", "shell(npm test)"],
      says: (call) => ["ls", "git status", "npm test"].includes(call.join(" ")),
    },
    {
      allow: ["shell(ls *)", "shell(git s*)", "shell(npm test *)", "shell(cat *)", "write(out/*)"],
      says: ([name, word]) =>
        /^(?:ls|cat|git s.*|npm test)$/.test(["git", "npm"].includes(name ?? "") ? `${name} ${word}` : `${name}`),
    },
    { allow: ["shell", "write(out/**)"], says: () => true },
  ];

it("200 hostile lines do nothing that the rules which allowed them do not say", async () => {
  const before = files();
  let allowed = 0;
  for (const line of hostileLines(200, seeded(SEED))) {
    const allowing = [];
    for (const set of RULE_SETS) if ((await decisionOf(line, set.allow)) === "allow") allowing.push(set);
    if (allowing.length === 0) continue;
    allowed++;
    const calls = run(line, "stubs");
    const { commands } = await readLine(line);
    const told = commands.filter(([name]) => !BUILTINS.has(name ?? "")).map((words) => words.join(" "));
    for (const call of calls) {
      expect(told, `${JSON.stringify(line)} ran what was not judged`).toContain(call.join(" "));
      for (const { allow, says } of allowing) expect(says(call), `${JSON.stringify(line)} with ${allow}`).toBe(true);
    }
    expect(files(), `${JSON.stringify(line)} wrote elsewhere`).toEqual(before);
  }
  // Lines that were all refused would prove nothing.
  expect(allowed).toBeGreaterThan(20);
  expect(allowed).toBeLessThan(120);
});

it("no option of a real program that a star allows writes a file or runs a program", async () => {
  const before = files();
  const names = new Set(HOSTILE_OPTIONS.map((line) => line.split(" ")[0]));
  const allow = [...names].map((name) => `shell(${name} *)`);
  const allowed: string[] = [];
  for (const line of HOSTILE_OPTIONS) {
    if ((await decisionOf(line, allow)) !== "allow") continue;
    allowed.push(line);
    expect(run(line, "real"), `${line} ran a program`).toEqual([]);
    expect(files(), `${line} wrote a file`).toEqual(before);
  }
  expect(allowed).toContain("sort a.txt");
  expect(allowed.length).toBeLessThan(14);
});

it("the trace of a program shows in a bash that runs hostile lines unjudged", () => {
  for (const line of ["ls; evil", "ls $(evil)", "ls\nev\\il", "X=evil; $X"])
    expect(run(line, "stubs").flat()).toContain("evil");
  expect(run("find a.txt -exec evil {} +", "real").flat()).toContain("evil");
});
