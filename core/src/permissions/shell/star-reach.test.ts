import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
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
    "work/repo/.git/config",
    "work/repo/.git/objects/x",
    "work/repo/.git/refs/x",
    "work/repo/src/a.ts",
    "work/repo/a.zip",
    "work/repo/.env",
  ];
  for (const path of [...files, ...others]) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), "");
  }
  writeFileSync(join(root, "work/clone/.git/config"), "[remote]\nurl = https://ada:secret@example.com/a\n");
  writeFileSync(join(root, "work/repo/.git/HEAD"), "ref: refs/heads/main\n");
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
    ["python3 manage.py *", "python3 manage.py runserver --settings=dev 8000 -v2"],
    ["python3 train.py *", "python3 train.py -c run.yaml --eval --eval_steps 8 --import-mode x"],
    ["node server.js *", "node server.js -p 3000 -port 3000 --exec-timeout 5"],
  ])("%s leaves the program its own options: %s", async (rule, line) => {
    expect(await decide(line, rule)).toBe("allow");
  });

  it.each([
    ...["turbo gen x", "turbo run build --graph=x.html", "turbo run lint -- -f ./evil.js", "turbo run build --cwd=/x"],
    ...["docker compose up --exec", "docker compose run x", "docker compose -f x ps", "kubectl get secret -o yaml"],
    ...["node -e 1 x.js", "node -C x evil.js -e 1", "node --title x -e 1", "node inspect x.js", "node /dev/stdin"],
    ...[
      "node a.js -p 'evil()'",
      "python3 a.py x -c 'import os'",
      "python3 a.py x '-cimport os'",
      "ruby a.rb -e 'evil'",
    ],
    ...["node a.js --require ./evil.js", "node a.js --import=./evil.js", "node a.js --experimental-loader ./evil.js"],
    ...["python3 manage.py shell --comm 'import os'", "node a.js --eval=evil()"],
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

  it.each([
    ["python3 manage.py *", "python3 manage.py shell -c 'import os'"],
    ["node node_modules/mocha/bin/_mocha *", "node node_modules/mocha/bin/_mocha --require ./evil.js"],
    ["node node_modules/mocha/bin/_mocha *", "node node_modules/mocha/bin/_mocha -r ./evil.js"],
  ])("%s does not have the script run other code: %s", async (rule, line) => {
    expect(await decide(line, rule)).toBe("ask");
  });

  it("an option of python's module has the limits of the module", async () => {
    expect(await decide("python3 -m black --config x", "python3 -m black *")).toBe("ask");
  });
});

describe("folders under a star", () => {
  it.each([
    ...["grep -r X /", "grep -R X ..", "egrep --recursive X /", "grep -d recurse X /"],
    ...[
      "grep -re X /",
      "grep X -rf x ..",
      "grep -r X src ../home/..",
      "rg X /",
      "rg X ..",
      "rg -e X /",
      "rg --files /",
    ],
    ...[
      "find /",
      "find ..",
      "find -L / -name x",
      "fd X /",
      "ls -R /",
      "ls -lR ..",
      "tree /",
      "du -a /",
      "ls --recursive /",
    ],
    ...[
      "diff -r / src",
      "git diff --no-index / src",
      "git grep --no-ind X /",
      "cp -r .. x",
      "scp -r .. host:x",
      "zip -r x /",
    ],
    ...[
      "rsync -a .. host:x",
      "mv .. x",
      "ln -s .. x",
      "rm -rf ..",
      "unknown ..",
      "ack X ..",
      "rgrep X /",
      "ctags -R ..",
    ],
  ])("what goes through a folder around Hermes' home is asked about: %s", async (line) => {
    expect(await decide(line, starred(line))).toBe("ask");
  });

  it("a question about such a command says what lies in the folder", async () => {
    const why = async (line: string) => (await judge(line, starred(line))).why.replaceAll(root, "");
    const begins = (program: string) => `the rule \`shell(${program} *)\` does not reach so far: `;
    expect(await why("grep -r X /")).toBe(
      `${begins("grep")}\`grep\` goes through all of /, and Hermes' home is in it; a rule that says all of it would: \`shell(grep -r X /)\``,
    );
    expect(await why(`find ${homedir()}`)).toContain("and your home with its keys and passwords is in it");
    expect(await why("rg X ../elsewhere")).toContain(
      "`rg` goes through all of ../elsewhere, which is not below /work;",
    );
    expect(await why("grep -r X")).toContain("the folder that it runs in, and /work/");
    expect(await why("grep -r X app")).toContain("and /work/app/.env may hold keys or passwords");
    expect(await why("grep -r X clone")).toContain("and /work/clone/.git/config holds a password");
    expect(await why("grep -R X src")).toContain("and /work/src/out leads out of /work");
  });

  it.each([
    ...[
      "grep -r X app",
      "grep -r X lib",
      "grep -rn --include x X",
      "rg --hidden X app",
      "rg -g 'app/.*' X app",
      "rg -uu X app",
      "grep -r X away",
    ],
    ...[
      "zip -r x.zip app",
      "diff -r app src",
      "rsync -a app host:x",
      "rg X lib",
      "cd app && grep -r X",
      "grep -R X src",
    ],
  ])("a program that shows what is in files with keys is asked about: %s", async (line) => {
    expect(await decide(line, starred(line.replace("cd app && ", "")))).toBe("ask");
  });

  it.each([
    ...["grep --di=recurse A .", "grep --der A .", "egrep --dere A", "grep --r A", "grep --directories recurse A"],
    ...["git diff /tmp/e .", "git --no-pager diff /tmp/e .", "git diff .. .", "git diff --no-ind src ."],
    ...["git grep --untracked --no-exclude-standard A", "git grep --untr A", "git grep --no-ind A"],
    ...[
      "rg -g '*' A",
      "rg -g '/.*' A",
      "rg -g '*******a*' A",
      "rg -g '.*' A",
      "rg '-g*' A",
      "rg --glob '*' A",
      "rg '--glob=*' A",
      "rg --iglob '.E?V' A",
    ],
    ...[
      "rg -ig '**/*' A",
      "rg -g '{x,*}' A",
      "rg -g '**/**/**/**/**' A",
      "rg --type-add 'x:*' -tx A",
      "rg -g '?env' A",
    ],
    ...["7z a x.7z", "7z u x.7z", "7z -r a x.7z", "7z h"],
    ...["zip -R b.zip '*'", "zip -R a.zip '*'", "zip --recurse-pa a.zip '*'", "ag --hid A", "ag --unr A", "ag -u A"],
  ])("a program that would show a hidden file with keys is asked about: %s", async (line) => {
    expect((await judgeIn("work/repo", line, starred(line))).decision).toBe("ask");
  });

  it.each([
    ...[
      "rg A",
      "rg --type ts A",
      "rg -tgo A",
      "rg -g '**/*.ts' -g '*.tsx' A src",
      "rg --type-add 'x:*.ts' -tx A",
      "rg -g '*.ts' A",
      "rg -g '!*' A",
      "rg --glob '!.git' A",
      "rg '--glob=*.ts' A",
      "rg -g 'src/**' A",
      "ag A",
    ],
    ...[
      "git diff",
      "git diff main src",
      "git diff main...dev -- .",
      "git diff --stat HEAD^",
      "git grep A",
      "git status",
    ],
    ...[
      "git status --untracked-files=no",
      "git add --no-ignore-removal .",
      "git log --grep A",
      "grep --color A src/a.ts",
    ],
    ...["git diff HEAD~1", "git diff HEAD~1 -- src", "7z l x.7z", "7z t a.zip", "7za L x.7z"],
    ...["zip b.zip src/a.ts", "grep '--include=*.ts' A src/a.ts", "git show HEAD:src", "git commit -m 'diff /tmp/x'"],
  ])("a star stands for what shows no hidden file with keys: %s", async (line) => {
    expect((await judgeIn("work/repo", line, starred(line))).decision).toBe("allow");
  });

  it.each(["git diff HEAD~1", "git diff main...dev", "git diff HEAD~2 HEAD"])(
    "a star stands for a look at commits where there is no repository: %s",
    async (line) => {
      expect(await decide(line, starred(line))).toBe("allow");
    },
  );

  it.each([
    ...["grep -rn X src", "grep X -rn src", "grep -r / src", "rg X app", "rg X src -g '*.ts'", "find . -name '*.ts'"],
    ...["grep -r X docs", "grep -r X packed", "ls -R", "tree app", "find app -type f", "grep X ../elsewhere/notes"],
    ...[
      "ls ..",
      "ls /",
      "cat /etc/hosts",
      "cp -r src lib2",
      "cut -d / -f1 x",
      "awk -F/ '{print}' x",
      "sort -t/ x",
      "echo /",
    ],
    ...["vite build --base=/", "diff docs packed -r", "du -sh app", "stat /", "rm -rf src", "unknown /elsewhere"],
  ])("a star stands for what stays in folders without keys: %s", async (line) => {
    expect(await decide(line, starred(line))).toBe("allow");
  });

  it.each(["grep -r X", "rg X", "find -name x", "ls -R", "rg X -g notes"])(
    "a session whose folder has Hermes' home in it is asked about its own folder: %s",
    async (line) => {
      expect((await judgeIn(".", line, starred(line))).why).toContain("and Hermes' home is in it");
    },
  );

  it("a rule that names the folder itself means it", async () => {
    expect(await decide("grep -r X ..", "grep -r * ..")).toBe("allow");
    expect(await decide("grep -r X ..", "grep -r X ..")).toBe("allow");
  });
});
