import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PermissionContext } from "./judge.ts";
import { type JudgedCall, judgeCall } from "./judge-call.ts";
import type { PermissionRules } from "./rule.ts";

let root: string;
let directory: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "hermes-judge-")));
  directory = join(root, "project");
  mkdirSync(join(directory, "src"), { recursive: true });
  mkdirSync(join(root, "home"));
  writeFileSync(join(root, "elsewhere"), "");
  symlinkSync(join(root, "elsewhere"), join(directory, "src/out"));
  symlinkSync(join(directory, "AGENTS.md"), join(directory, "notes"));
  symlinkSync("../../nothing", join(directory, "src/new"));
  writeFileSync(join(directory, "AGENTS.md"), "");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Given extends Partial<Omit<PermissionContext, "rules">>, Partial<PermissionRules> {}

function judge(call: JudgedCall, { allow = [], ask = [], deny = [], ...given }: Given = {}) {
  return judgeCall(call, {
    ...{ mode: "default", directory, home: join(root, "home"), shared: false, isOperator: true },
    ...given,
    rules: { allow, ask, deny },
  });
}

const shell = (line: string, given?: Given) => judge({ tool: "shell", effect: "runs", subjects: [line] }, given);
const file = (effect: "reads" | "writes", path: string, given?: Given) =>
  judge({ tool: effect === "reads" ? "read" : "write", effect, subjects: [path] }, given);
const decisionOf = async (verdict: ReturnType<typeof judge>) => (await verdict).decision;

describe("without a rule", () => {
  it.each([
    ["reads", "src/a.ts", "allow"],
    ["reads", "AGENTS.md", "allow"],
    ["reads", ".env", "ask"],
    ["reads", ".env.local", "ask"],
    ["reads", "deploy/id_ed25519", "ask"],
    ["reads", "certs/server.pem", "ask"],
    ["reads", ".aws/credentials", "ask"],
    ["reads", ".git/config", "ask"],
    ["reads", "../elsewhere", "ask"],
    ["reads", "src/out", "ask"],
    ["reads", "../home/store/hermes.db", "ask"],
    ["writes", "src/a.ts", "ask"],
  ] as const)("%s %s: %s", async (effect, path, decision) => {
    expect(await decisionOf(file(effect, path))).toBe(decision);
  });

  it("asks for commands, and for what goes out", async () => {
    expect(await decisionOf(shell("ls"))).toBe("ask");
    const call = { tool: "fetch", effect: "network", subjects: ["https://example.com"] } as const;
    expect(await decisionOf(judge(call))).toBe("ask");
  });

  it("asks for reading where the session has no directory", async () => {
    expect(await decisionOf(file("reads", "src/a.ts", { directory: null }))).toBe("ask");
  });
});

describe("the rules", () => {
  it("deny beats ask, which beats allow", async () => {
    const rule = ["write(src/**)"];
    const decide = (given: Given) => decisionOf(file("writes", "src/a.ts", given));
    expect(await decide({ allow: rule })).toBe("allow");
    expect(await decide({ allow: rule, ask: rule })).toBe("ask");
    expect(await decide({ allow: rule, ask: rule, deny: rule })).toBe("deny");
  });

  it("allow a call only if each of its subjects is allowed", async () => {
    const allow = ["shell(npm test)", "shell(git status)"];
    expect(await decisionOf(shell("npm test && git status", { allow }))).toBe("allow");
    expect(await shell("npm test && git push", { allow })).toMatchObject({ decision: "ask", subject: "git push" });
  });

  it("a rule for write covers edit, and one for read covers search and send_file", async () => {
    const edit = { tool: "edit", effect: "writes", subjects: ["src/a.ts"] } as const;
    expect(await decisionOf(judge(edit, { deny: ["write(src/**)"] }))).toBe("deny");
    const search = { tool: "search", effect: "reads", subjects: ["src"] } as const;
    expect(await decisionOf(judge(search, { deny: ["read(src/**)"] }))).toBe("deny");
    const sent = { tool: "send_file", effect: "reads", subjects: ["src/a.pdf"] } as const;
    expect(await decisionOf(judge(sent, { deny: ["read(src/**)"] }))).toBe("deny");
    expect(await decisionOf(judge(sent, {}))).toBe("allow");
    expect(await decisionOf(judge({ ...sent, subjects: [".env"] }, {}))).toBe("ask");
    expect(await decisionOf(judge(sent, { shared: true }))).toBe("ask");
  });

  it("allow nothing behind a link that leads out of them", async () => {
    expect(await decisionOf(file("writes", "src/out", { allow: ["write(src/**)"] }))).toBe("ask");
    expect(await decisionOf(file("writes", "src/new", { allow: ["write(src/**)"], mode: "edits" }))).toBe("ask");
    expect(await decisionOf(file("reads", "src/out", { deny: ["read(src/**)"] }))).toBe("deny");
  });

  it("name places outside of the directory by whole paths", async () => {
    expect(await decisionOf(file("reads", "../elsewhere", { allow: [`read(${root}/else*)`] }))).toBe("allow");
  });

  it("a rule without a pattern covers every call of its tool", async () => {
    const call = { tool: "issue_tracker", effect: "runs", subjects: [] } as const;
    expect(await decisionOf(judge(call, { allow: ["issue_tracker"] }))).toBe("allow");
    expect(await decisionOf(judge(call, { allow: ["issue_tracker(x)"] }))).toBe("ask");
  });

  it("name origins with a star for a part", async () => {
    const call = { tool: "fetch", effect: "network", subjects: ["https://api.example.com"] } as const;
    expect(await decisionOf(judge(call, { allow: ["fetch(https://*.example.com)"] }))).toBe("allow");
  });

  it("the verdict names the rule to the model and to a person, or the rule to add", async () => {
    const denied = await shell("git push", { deny: ["shell(git push *)"] });
    expect(denied).toMatchObject({ decision: "deny", by: { kind: "deny", rule: "shell(git push *)" } });
    expect(denied.forModel).toBe(
      "Not run, and it must not be tried another way (shell: git push): the rule `shell(git push *)` forbids it.",
    );
    const asked = await shell("npm test; rm -r 'a b'");
    expect(asked.addable).toEqual(["shell(npm test)", "shell(rm -r 'a b')"]);
    expect(asked.why).toBe("no rule allows it");
    expect(await decisionOf(shell("npm test; rm -r 'a b'", { allow: asked.addable }))).toBe("allow");
  });
});

describe("control files", () => {
  it.each(["hermes.config.ts", ".env", ".mcp.json", "AGENTS.md", "sub/Agents.MD", ".git/hooks/pre-commit", "notes"])(
    "a write of %s asks past every allow rule and mode",
    async (path) => {
      expect(await decisionOf(file("writes", path, { allow: ["write"], mode: "edits" }))).toBe("ask");
    },
  );

  it.each(["rm AGENTS.md", "cp a .git/hooks/x", "echo x > .mcp.json", "tool --into=.vscode/tasks.json", "tool notes"])(
    "a command asks where it names a control file: %s",
    async (line) => {
      expect(await decisionOf(shell(line, { allow: ["shell", "write"] }))).toBe("ask");
    },
  );
});

describe("a mode", () => {
  it("edits allows writing below the directory, and nothing else that asks", async () => {
    expect(await decisionOf(file("writes", "src/a.ts", { mode: "edits" }))).toBe("allow");
    expect(await decisionOf(file("writes", "../elsewhere", { mode: "edits" }))).toBe("ask");
    expect(await decisionOf(file("writes", "src/out", { mode: "edits" }))).toBe("ask");
    expect(await decisionOf(shell("ls", { mode: "edits" }))).toBe("ask");
  });

  it("plan refuses what does more than read, whatever a rule says", async () => {
    expect(await decisionOf(file("reads", "src/a.ts", { mode: "plan" }))).toBe("allow");
    expect(await decisionOf(file("writes", "src/a.ts", { mode: "plan", allow: ["write"] }))).toBe("deny");
    expect(await decisionOf(shell("ls", { mode: "plan", allow: ["shell"] }))).toBe("deny");
  });
});

describe("who and where", () => {
  it("refuses all tools to who is no operator", async () => {
    expect(await decisionOf(file("reads", "src/a.ts", { isOperator: false }))).toBe("deny");
  });

  it("asks for everything in a place that others read", async () => {
    expect(await decisionOf(file("reads", "src/a.ts", { shared: true, allow: ["read"] }))).toBe("ask");
    expect(await decisionOf(file("reads", "src/a.ts", { shared: true, deny: ["read"] }))).toBe("deny");
  });
});

it("the model is told what a mode refuses, with the tool's name once", async () => {
  expect((await shell("touch a", { mode: "plan" })).forModel).toBe(
    "Not run, and it must not be tried another way (shell): the session is in the mode plan, in which the agent only reads.",
  );
});

describe("a file with several names (hard links)", () => {
  beforeAll(() => {
    writeFileSync(join(directory, "config.pem"), "KEY=1");
    linkSync(join(directory, "config.pem"), join(directory, "readme.txt"));
    mkdirSync(join(directory, "node_modules/left-pad"), { recursive: true });
    writeFileSync(join(root, "stored"), "");
    linkSync(join(root, "stored"), join(directory, "node_modules/left-pad/index.js"));
  });

  it.each(["reads", "writes"] as const)(
    "a file with several names is asked about past every allow rule (%s)",
    async (effect) => {
      const allow = ["read", "write", "read(readme.txt)", "write(readme.txt)"];
      const verdict = await file(effect, "readme.txt", { allow, mode: "edits" });
      expect(verdict).toMatchObject({ decision: "ask", addable: [] });
      expect(verdict.why).toBe("it has other names (hard links), and may be a file that no rule lets out");
      expect(await decisionOf(shell("cat < readme.txt", { allow: ["shell(cat)", ...allow] }))).toBe("ask");
    },
  );

  it("a name that is forbidden stays so", async () => {
    expect(await decisionOf(file("reads", "readme.txt", { deny: ["read(readme.txt)"] }))).toBe("deny");
  });

  it("a file that a package manager linked is judged by its path", async () => {
    expect(await decisionOf(file("reads", "node_modules/left-pad/index.js"))).toBe("allow");
  });
});
