import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeCall } from "../judge-call.ts";

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-reach-")));
  const files = ["work/src/a.ts", "work/app/.env", "work/lib/certs/server.pem", "work/docs/.env.example"];
  const others = [
    "elsewhere/notes",
    "home/store/hermes.db",
    "work/clone/.git/config",
    "work/packed/node_modules/x.pem",
  ];
  for (const path of [...files, ...others]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  writeFileSync(join(root, "work/clone/.git/config"), "[remote]\nurl = https://ada:secret@example.com/a\n");
  symlinkSync("../../elsewhere", join(root, "work/src/out"));
  symlinkSync("../elsewhere", join(root, "work/away"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function judge(line: string, ...allow: string[]) {
  return judgeIn("work", line, ...allow);
}

async function judgeIn(folder: string, line: string, ...allow: string[]) {
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  const rules = { allow: allow.map((rule) => (rule === "shell" ? rule : `shell(${rule})`)), ask: [], deny: [] };
  const places = { directory: join(root, folder), home: join(root, "home") };
  return judgeCall(call, { rules, mode: "default", ...places, shared: false, isOperator: true });
}

const decide = async (line: string, ...allow: string[]) => (await judge(line, ...allow)).decision;

/** The rule that a person would have for a line: its program, and a star. */
const starred = (line: string) => `${line.split(" ")[0]} *`;

describe("the reason of a question", () => {
  it.each([
    [
      "turbo gen x",
      "turbo *",
      "no star stands for `gen`, with which turbo may run or write something else; a rule that says all of it would: `shell(turbo gen x)`",
    ],
    [
      "npm test -- --reporter=./x.js",
      "npm test *",
      "no star stands for `--reporter=./x.js`, with which mocha may run or write something else; a rule that says all of it would: `shell(npm test -- --reporter=./x.js)`",
    ],
    [
      "npx id",
      "npx *",
      "`npx` runs what is named, so that the rule has to name it without a star; a rule that says all of it would: `shell(npx id)`",
    ],
    [
      "env id",
      "env *",
      "`env` runs what its words say, which no star stands for; a rule that says all of it would: `shell(env id)`",
    ],
    [
      "cat docs/../../x",
      "cat docs/*",
      "its star stands for no path with .. in it, such as `docs/../../x`; a rule that says all of it would: `shell(cat docs/../../x)`",
    ],
    [
      `git log --output=${"x".repeat(300)}`,
      "git log *",
      `no star stands for \`--output=${"x".repeat(50)}…\`, with which git may run or write something else; only a rule that says all of it would`,
    ],
  ])("a question about %s names the rule %s, and what would allow it", async (line, rule, why) => {
    expect((await judge(line, rule)).why).toBe(`the rule \`shell(${rule})\` does not reach so far: ${why}`);
  });

  it("the rule that is named as one that would allow a command does", async () => {
    const { addable, why } = await judge("docker run x", "docker *");
    expect(why).toContain("`shell(docker run x)`");
    expect(await decide("docker run x", ...addable.map((rule) => rule.slice("shell(".length, -1)))).toBe("allow");
  });

  it("a rule for all commands is named like one with a star, and no other one is", async () => {
    expect((await judge("node -e 1", "shell")).why).toContain("the rule `shell` does not reach so far");
    expect((await judge("node -e 1", "npm *")).why).toBe("no rule allows it");
  });
});

describe("what is known to be harmless", () => {
  it.each([
    ...["turbo run build", "turbo run build --filter=web --output-logs=errors-only", "turbo run test -- --run"],
    ...["docker ps", "docker compose ps", "docker compose logs -f web", "kubectl get pods -o wide"],
    ...["node server.js -z", "node server.js --config x", "python3 x.py -c 1 -", "perl x.pl -e 1"],
    ...[
      "vitest run --reporter=verbose",
      "vitest --reporter dot",
      "mocha --reporter spec",
      "node --test-reporter=spec x.js",
    ],
    ...["npm test -- --reporter=dot", "npm run config", "npm run exec", "git push -u origin main", "git add -u config"],
    ...["pytest -x", "pytest -xvs tests", "pytest -p no:cacheprovider", "jest -o", "gradle build -x test"],
    ...[
      "mvn test -Dtest=FooTest",
      "mvn -o verify",
      "dotnet build -c Release",
      "ps -ef",
      "ps -eo pid",
      "ping -c 3 a.example",
    ],
    ...["curl -is http://localhost/"],
  ])("a star stands for what is known to be harmless: %s", async (line) => {
    expect(await decide(line, starred(line))).toBe("allow");
  });

  it.each([
    ["npx tsc *", "npx tsc -p . --noEmit"],
    ["python3 -m pytest *", "python3 -m pytest -x"],
  ])("%s leaves the program its own options: %s", async (rule, line) => {
    expect(await decide(line, rule)).toBe("allow");
  });

  it.each([
    ...["turbo gen x", "turbo run build --graph=x.html", "turbo run lint -- -f ./evil.js", "turbo run build --cwd=/x"],
    ...["docker compose up --exec", "docker compose run x", "docker compose -f x ps", "kubectl get secret -o yaml"],
    ...["node -e 1 x.js", "node -C x evil.js -e 1", "node --title x -e 1", "node inspect x.js", "node /dev/stdin"],
    ...["node node_modules/.bin/eslint -f ./evil.js", "node node_modules/eslint/bin/eslint.js -f ./evil.js"],
    ...["deno run -A x.ts --config x", "python3 -m evil", "ruby -r ./x a.rb"],
    ...[
      "vitest --reporter=./evil.js",
      "vitest --reporter spec",
      "mocha --reporter verbose",
      "vitest --reporter=verbose --reporter=./x",
    ],
    ...["node --test-reporter=./evil.js x.js", "jest --reporters=./evil.js", "npm test -- --reporter=verbose"],
    ...["npm run env -- id", "npm exe id", "npm ed x", "npm con set x y", "npm --silent exec id", "yarn run exec x"],
    ...["git clone -u ./evil a", "git fetch -u ./evil a", "git --no-pager config a.b c", "git push --exec=x"],
    ...[
      "pytest -p evil",
      "pytest -xp evil",
      "pytest -pevil",
      "mvn -Dexec.executable=x exec:exec",
      "dotnet build -c ./x",
    ],
    ...["ps axe", "ps -o environ", "ps -auxe", "wget -i x", "curl -o x http://a", "gradle -I x"],
  ])("what stands beside it is asked about still: %s", async (line) => {
    expect(await decide(line, starred(line))).toBe("ask");
  });

  it("an option of python's module has the limits of the module", async () => {
    expect(await decide("python3 -m black --config x", "python3 -m black *")).toBe("ask");
  });
});
