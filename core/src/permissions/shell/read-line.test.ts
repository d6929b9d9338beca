import { describe, expect, it } from "vitest";
import { readLine } from "./read-line.ts";

describe("a line whose words all stand in it", () => {
  it.each([
    ["npm test", [["npm", "test"]]],
    [
      "ls -la | grep 'a b' && echo \"it's\" c\\ d",
      [
        ["ls", "-la"],
        ["grep", "a b"],
        ["echo", "it's", "c d"],
      ],
    ],
    ["(ls; pwd) & { id; } || ! true # that is all", [["ls"], ["pwd"], ["id"], ["true"]]],
    ["ls\nrm x", [["ls"], ["rm", "x"]]],
    ['echo a"b"\'c\'d "" "\\$x \\y"', [["echo", "abcd", "", "$x \\y"]]],
  ])("%j has these commands", async (line, commands) => {
    expect(await readLine(line)).toMatchObject({ commands, doubts: [] });
  });

  it("the reading lists the files that redirections write and read", async () => {
    expect(await readLine("sort <a >b 2>>c 2>&1 >/dev/null; ls &> d 2>&-")).toMatchObject({
      ...{ commands: [["sort"], ["ls"]], reads: ["a"], writes: ["b", "c", "d"], doubts: [] },
    });
  });

  it("the reading names the folder of a cd that all the rest depends on", async () => {
    expect(await readLine("cd src && ls && id")).toMatchObject({
      folder: "src",
      commands: [["ls"], ["id"]],
      doubts: [],
    });
  });
});

it.each([
  ...["cd src; ls", "cd src || ls", "cd src && ls; id", "ls && cd src && id", "(cd src) && ls", "cd - && ls"].map(
    (line) => [line],
  ),
])("the cd in %j is a command like others", async (line) => {
  const { folder, commands } = await readLine(line);
  expect(folder).toBeNull();
  expect(commands.map(([name]) => name)).toContain("cd");
});

it.each([
  ["an assignment", "A=b ls"],
  ["an assignment alone", "PATH=x"],
  ["a declaration", "export PATH=x"],
  ["a variable", "ls $x"],
  ["a variable in quotes", 'ls "$x"'],
  ["a substitution", "ls $(id)"],
  ["backquotes", "ls `id`"],
  ["a glob", "ls *.ts"],
  ["braces", "ls {a,b}"],
  ["braces as a command", "{ls,-l}"],
  ["a tilde", "ls ~"],
  ["a tilde behind the sign of an assignment", "make a=~/x"],
  ["a tilde behind a colon", "make a=b:~/x"],
  ["quotes of C", "ls $'\\x41'"],
  ["quotes that are translated", 'ls $"a"'],
  ["a document", "cat <<E\n$(id)\nE"],
  ["a string as input", "cat <<< a"],
  ["another process as input", "cat <(id)"],
  ["another process as output", "ls > >(id)"],
  ["a function", "ls() { id; }; ls"],
  ["a loop", "for x in a; do ls; done"],
  ["a condition", "if true; then ls; fi"],
  ["a test", "[[ -f x ]] && ls"],
  ["arithmetic", "(( a[$(id)] ))"],
  ["a case", "case a in a) ls;; esac"],
  ["a word behind a redirection", "ls > a b"],
  ["a target that is worked out", "ls > $x"],
  ["a connection", "ls > /dev/tcp/localhost/1"],
  ["a carriage return", "ls\rrm x"],
  ["a space that is none", "ls\u00a0rm"],
  ["letters that run backwards", "ls \u202e rm"],
  ["a NUL", "ls \0 rm"],
  ["a line that goes on", "ls \\\n rm"],
  ["a word that goes on", "l\\\ns"],
  ["an open quotation mark", "ls 'a"],
  ["an empty line", " # nothing"],
  ["history", "ls !$"],
  ["a job", "%1"],
  ["two semicolons", "ls;; rm x"],
  ["another stream", "ls 3<> x"],
  ["a process beside", "coproc { ls; }"],
])("%s is a doubt", async (_, line) => {
  expect((await readLine(line)).doubts).not.toEqual([]);
});

it("commands within what is doubted are found, so that they can be denied", async () => {
  const { commands } = await readLine('for x in a; do ls "$(rm b)"; done; f() { id; }');
  expect(commands).toEqual([["ls", null], ["rm", "b"], ["id"]]);
});

it("a line that is too long, or too deep, is not read and asked about", async () => {
  expect((await readLine(`ls ${"a".repeat(10_000)}`)).doubts).toEqual(["it is too long to be read"]);
  expect((await readLine(`${"(".repeat(3_000)}ls${")".repeat(3_000)}`)).doubts).not.toEqual([]);
});
