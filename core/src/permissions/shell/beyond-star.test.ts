import { expect, it } from "vitest";
import { judgeCall } from "../judge-call.ts";

async function decide(line: string, ...allow: string[]) {
  const context = { mode: "default", directory: "/nowhere", home: "/nobody/.hermes", shared: false } as const;
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  const rules = { allow: allow.map((pattern) => `shell(${pattern})`), ask: [], deny: [] };
  return (await judgeCall(call, { ...context, rules, isOperator: true })).decision;
}

it.each([
  ...[
    "split --filter='touch x' a",
    "zip -q x.zip a -T -TT 'touch x; :'",
    "tcpdump -z ./evil",
    "gpg --photo-viewer=./evil a",
  ],
  ...["git fast-export --export-marks=x --all", "git fast-import", "git --bare status", "git bundle create x HEAD"],
  ...[
    "sqlite3 x.db '.shell touch x'",
    "sqlite3 x.db \"select writefile('x', 'y')\"",
    "sqlite3 x.db \"attach 'x' as y\"",
    "sqlite3 x.db 'drop/**/table/**/a'",
  ],
  ...["go build '-ldflags=-linkmode=external -extld=./evil' .", "go test -gccgoflags=x", "gcc -fplugin=./evil.so a.c"],
  ...[
    "eslint -f ./evil.js .",
    "mocha -r ./evil",
    "vitest --globalSetup=./evil.js",
    "jest --resolver ./evil.js",
    "pytest -p evil",
  ],
  ...["pdflatex --shell-escape a.tex", "pdflatex -shell-escape a.tex", "rename s/a/b/e x", "hyperfine id", "uv run x"],
  ...[
    "docker run x",
    "rsync -M--x a b",
    "ssh -I ./evil.so host",
    "sort --files0-from=x",
    "ps axe",
    "just --shell ./evil",
  ],
  ...["'[' -v 'a[$(id)]' ']'", "gcore 12", "bundle exec x", "cmake -P x", "gradle -I x"],
])("a star does not stand for what runs a program or writes a file: %s", async (line) => {
  expect(await decide(line, `${line.split(" ")[0]} *`)).toBe("ask");
});

it.each([
  ["npx eslint *", "npx eslint -f ./evil.js ."],
  ["npx eslint@9 *", "npx eslint@9 --format=./evil.js ."],
  ["yarn *", "yarn mocha -r ./evil"],
  ["pnpm *", "pnpm --filter web eslint -f ./evil.js"],
  ["npm run *", "npm run lint -- -f ./evil.js"],
  ["python3 -m pytest *", "python3 -m pytest -p evil"],
  ["poetry run pytest *", "poetry run pytest -p evil"],
  ["npx cross-env *", "npx cross-env A=1 evil"],
  ["yarn *", "yarn run cross-env A=1 evil"],
  ["npm test *", "npm test -- --testRunner=./evil.js"],
])("%s has the limits of the program that is run by another, too: %s", async (rule, line) => {
  expect(await decide(line, rule)).toBe("ask");
});

it.each([
  ["cat docs/*", "cat docs/../../outside"],
  ["rm build/*", "rm build/../src/a.ts"],
  ["./scripts/*", "./scripts/../evil.sh"],
  ["tool --file=docs/*", "tool --file=docs/../x"],
])("%s does not allow what climbs out of a folder: %s", async (rule, line) => {
  expect(await decide(line, rule)).toBe("ask");
});

it.each([
  ...[
    "cat /proc/1/environ",
    "head -c 9 /proc/self/environ",
    "cut -c 1-9 /proc/12/task/12/environ",
    "grep -a KEY /proc/12",
  ],
  ...["grep -r KEY /proc", "cat /proc/self/root/etc/hosts", "cat /proc/thread-self/mem", "ls -l /proc/12/fd"],
])("the variables, memory and files of processes are asked past every rule: %s", async (line) => {
  expect(await decide(line, "*")).toBe("ask");
});

it.each([
  ["a command", "echo '.shell touch x' | sqlite3 x.db"],
  ["a command before a client of a database", "echo '\\! touch x' | psql x ada"],
  ["a file", "sqlite3 x.db < a"],
])("a database that runs what is piped into it is asked about: %s", async (_, line) => {
  expect(await decide(line, "echo *", "sqlite3 *", "psql *", "sqlite3 x.db")).toBe("ask");
});

it.each([
  ...["git diff main -- src", "git log main..dev", "git log HEAD^..HEAD", "git fetch origin", "cat docs/a..b"],
  ...["npm run lint -- --max-warnings=0", "npx vitest run src -t 'a b'", "npx eslint src --ext .ts", "pnpm -r test"],
  ...["python3 -m pytest tests -q -k name", "pytest tests -v", "go test ./... -run TestX -v", "cargo test --all"],
  ...["sqlite3 x.db 'select * from a'", "split -l 3 a", "zip -r a.zip src", "ps aux", "docker ps -a", "make test"],
  ...["npm view lodash", "npm run watch", "npm install -D nodemon", "yarn info open", "ls ..", "grep a ../lib"],
  ...["npm test -- --run", "npx vitest --run", "npx jest --coverage --watch", "sqlite3 ./x.db 'select 1'"],
  ...["cat /proc/cpuinfo", "cat /proc/self/status", "echo a | cat /dev/stdin", "gcc -Wall a.c", "yarn add left-pad"],
])("a star stands for what does no more than it says: %s", async (line) => {
  const [program, ran] = line.replace(/^.*\| /, "").split(" ");
  const rule = /^(?:npx|python3)$/.test(program ?? "")
    ? line.split(" ").slice(0, program === "npx" ? 2 : 3)
    : [program];
  expect(ran).toBeDefined();
  expect(await decide(line, "echo *", `${rule.join(" ")} *`)).toBe("allow");
});
