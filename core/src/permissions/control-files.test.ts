import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shellVariables } from "../tools/shell/shell-variables.ts";
import { judgeCall } from "./judge-call.ts";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hermes-control-")));
  execFileSync("git", ["init", "-q"], { cwd: folder });
  for (const path of ["bare/HEAD", "rails/config/routes.rb"]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "ref: refs/heads/main\n");
  }
  mkdirSync(join(folder, "src/Head"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The decision in the mode `edits`, with a rule for each program. */
async function decide(tool: "write" | "shell", subject: string) {
  const rules = { allow: ["shell"], ask: [], deny: [] };
  const context = { rules, mode: "edits", directory: folder, home: "/nobody/.hermes" } as const;
  const effect = tool === "shell" ? "runs" : "writes";
  const call = { tool, effect, subjects: [tool === "shell" ? subject : join(folder, subject)] } as const;
  return (await judgeCall(call, { ...context, shared: false, isOperator: true })).decision;
}

it.each([
  ...[".git", ".git/commondir", ".git/config.worktree", ".git/HEAD", "sub/.git/refs/heads/main"],
  ...[
    "new/HEAD",
    "bare/config",
    "bare/config.worktree",
    "bare/commondir",
    "bare/hooks/pre-commit",
    "bare/info/attributes",
  ],
  ...[
    ".pre-commit-config.yaml",
    "lefthook.yml",
    ".lefthook.yaml",
    ".cargo/config.toml",
    "mise.toml",
    ".mise.local.toml",
  ],
  ...[".devcontainer.json", ".devcontainer/devcontainer.json", "a.code-workspace", ".gdbinit", ".exrc", ".sqliterc"],
  ...[
    ".config/autostart/a.desktop",
    ".config/systemd/user/a.service",
    ".config/git/config",
    ".config/fish/config.fish",
  ],
  ...[".xprofile", ".ssh/config", "Library/LaunchAgents/a.plist"],
])("the mode edits asks before it writes %s, which says what may run", async (path) => {
  expect(await decide("write", path)).toBe("ask");
});

it.each([
  "new/config",
  "rails/config/routes.rb",
  "bare/refs/a",
  "src/header.ts",
  "gitignore",
  ".gitignore",
  "cargo/a.rs",
])("the mode edits writes %s without a question", async (path) => {
  expect(await decide("write", path)).toBe("allow");
});

it.each([
  "cp a .git/commondir",
  "cp a new/HEAD",
  "cp a HEAD",
  "cp a bare/config",
  "find .git -delete",
  "rg --pre=./x . .git/hooks",
])("a command that names a control file is asked past every rule: %s", async (line) => {
  expect(await decide("shell", line)).toBe("ask");
});

it.each([
  ...["git diff HEAD", "git log origin/HEAD", "vitest --changed HEAD", "nx affected --base=HEAD"],
  ...["find . -not -path '*/.git/*'", "rg -n a .git/HEAD", "git add src/Head", "vitest run src/Head"],
])("a command that names a commit, or only reads, needs no question: %s", async (line) => {
  expect(await decide("shell", line)).toBe("allow");
});

it("git runs nothing of a folder like a repository, and keeps its variables", () => {
  const bare = join(folder, "looks");
  for (const path of ["objects", "refs"]) mkdirSync(join(bare, path), { recursive: true });
  writeFileSync(join(bare, "HEAD"), "ref: refs/heads/main\n");
  const config = `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "touch '${folder}/ran'; false"\n`;
  writeFileSync(join(bare, "config"), config);
  const status = (env: NodeJS.ProcessEnv) => {
    try {
      execFileSync("git", ["status"], { cwd: bare, env, stdio: "ignore" });
    } catch {}
    return existsSync(join(folder, "ran"));
  };
  const own = { PATH: process.env.PATH, GIT_CONFIG_COUNT: "2" };
  const named = { GIT_CONFIG_KEY_0: "user.name", GIT_CONFIG_VALUE_0: "Ada" };
  const header = { GIT_CONFIG_KEY_1: "http.extraHeader", GIT_CONFIG_VALUE_1: "Authorization: secret" };
  const env = shellVariables({ ...own, ...named, ...header });
  expect(status(env)).toBe(false);
  expect(execFileSync("git", ["config", "user.name"], { cwd: folder, env, encoding: "utf8" })).toBe("Ada\n");
  expect(JSON.stringify(env)).not.toContain("Authorization");
  // Without it, it would have run.
  expect(status({ PATH: process.env.PATH })).toBe(true);
});
