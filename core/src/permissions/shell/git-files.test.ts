import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { judgeCall } from "../judge-call.ts";

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-git-")));
  for (const path of ["a/.env", "b/x", "home/x"])
    for (const folder of ["empty", "real", "linked", "wrong"]) {
      mkdirSync(join(root, folder, path, ".."), { recursive: true });
      writeFileSync(join(root, folder, path), "KEY=1\n");
    }
  mkdirSync(join(root, "empty/.git"));
  mkdirSync(join(root, "real/-b"));
  writeFileSync(join(root, "wrong/.git"), "gitdir: ../gone\n");
  const git = (...words: string[]) => execFileSync("git", ["-C", join(root, "real"), ...words], { stdio: "ignore" });
  git("init");
  git("-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "--allow-empty", "-m", "x");
  rmSync(join(root, "linked"), { recursive: true });
  git("worktree", "add", "-f", "../linked", "HEAD");
  mkdirSync(join(root, "linked/a"));
  writeFileSync(join(root, "linked/a/.env"), "KEY=1\n");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function judge(folder: string, line: string, allow = "git *") {
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  const places = { directory: join(root, folder), home: join(root, folder, "home") };
  const rules = { allow: [`shell(${allow})`], ask: [], deny: [] };
  return judgeCall(call, { rules, mode: "default", ...places, shared: false, isOperator: true });
}
const decide = async (...given: Parameters<typeof judge>) => (await judge(...given)).decision;

it.each(["git diff a b", "git diff --stat -p a b", "git diff b a --stat", "git diff -S x a b", "git diff made a"])(
  "git that finds no repository compares no folder with keys unasked: %s",
  async (line) => {
    for (const folder of ["empty", "wrong"]) {
      expect(await decide(folder, line)).toBe("ask");
      expect(await decide(folder, line, "git diff *")).toBe("ask");
    }
    expect((await judge("empty", line)).why).toContain("/empty/a/.env may hold keys or passwords");
  },
);

it.each(["git diff a b", "git diff made ../made a", "git diff /made a", "git diff --no-ind a b", "git grep --untr X"])(
  "git that may leave its repository reads no folder with keys unasked: %s",
  async (line) => {
    expect(await decide("real", line)).toBe("ask");
  },
);

it.each(["git diff HEAD a", "git diff HEAD -- a b", "git diff main...dev -- .", "git diff a", "git grep X a"])(
  "a star stands for what git shows of its repository beside files with keys: %s",
  async (line) => {
    expect(await decide("real", line)).toBe("allow");
    expect(await decide("linked", line)).toBe("allow");
  },
);

it.each([
  ["git -C a *", "git -C a grep --no-index KEY"],
  ["git --no-pager -C a *", "git --no-pager -C a grep --no-index KEY"],
  ["git -C . -C a *", "git -C . -C a diff --no-index . ../b"],
  ["git -C a/.. diff *", "git -C a/.. diff a b"],
])("%s reads no key in the folder that git is sent to: %s", async (rule, line) => {
  expect(await decide("empty", line, rule)).toBe("ask");
});

it.each([
  ...["git add -f .", "git add --force a", "git add -Af", "git stage --forc .", "git stash -a", "git stash push --all"],
])("git takes no ignored file with keys to show it later: %s", async (line) => {
  expect(await decide("real", line)).toBe("ask");
});

it.each(["cd b && git stash -a", "cd b && git stash push -a -- x", "cd b && git add -Af", "cd b && git add --all -f"])(
  "git takes no ignored file with keys from beside the folder that it runs in: %s",
  async (line) => {
    expect(await decide("real", line)).toBe("ask");
  },
);

it.each([
  ...["ls -A | git hash-object -w --stdin-paths", "ls -A | git update-index --add --stdin", "git var -l"],
  ...["git apply a.patch", "git apply --stat --apply a.patch", "git apply --check --build-fake-ancestor=x a.patch"],
  ...["git am a.patch", "git mailinfo a b < x"],
])("a star of git's does not stand for files that are named elsewhere: %s", async (line) => {
  const call = { tool: "shell", effect: "runs", subjects: [line] } as const;
  const rules = { allow: ["shell(git *)", "shell(ls *)"], ask: [], deny: [] };
  const places = { directory: join(root, "real"), home: join(root, "real/home") };
  const context = { rules, mode: "edits", ...places, shared: false, isOperator: true } as const;
  expect((await judgeCall(call, context)).decision).toBe("ask");
});

it.each([
  ...["git add .", "git add -A", "git stash", "git stash push -m x", "git apply --stat a.patch", "git am --abort"],
  ...["git apply --check --numstat a.patch"],
])("a star of git's stands for its everyday calls: %s", async (line) => {
  expect(await decide("real", line)).toBe("allow");
});
