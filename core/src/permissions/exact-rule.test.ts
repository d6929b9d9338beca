import { expect, it } from "vitest";
import type { PermissionContext } from "./judge.ts";
import { type JudgedCall, judgeCall } from "./judge-call.ts";
import { readRule } from "./rule.ts";

const context: PermissionContext = {
  ...{ rules: { allow: [], ask: [], deny: [] }, mode: "default", directory: "/nowhere", home: "/nobody/.hermes" },
  ...{ shared: false, isOperator: true },
};

/** The rules that are offered for a call. */
async function offered(call: JudgedCall, more: Partial<PermissionContext> = {}): Promise<readonly string[]> {
  return (await judgeCall(call, { ...context, ...more })).addable;
}

async function decisionBy(allow: readonly string[], call: JudgedCall) {
  return (await judgeCall(call, { ...context, rules: { allow, ask: [], deny: [] } })).decision;
}

const write = (path: string): JudgedCall => ({ tool: "write", effect: "writes", subjects: [path] });
const shell = (line: string): JudgedCall => ({ tool: "shell", effect: "runs", subjects: [line] });
const deploy = (...subjects: string[]): JudgedCall => ({ tool: "deploy", effect: "runs", subjects });

it.each([
  "src/*",
  "**",
  "a?",
  "notes ",
  " notes",
  "a\nb",
  "a\tb",
  "a\u202eb",
  "a\u200bb",
  "a\u3164b",
  "a\ud800",
  "~/x",
])("a file named %j can be allowed once only", async (name) => {
  expect(await offered(write(`/nowhere/${name}`))).toEqual([]);
});

it.each([
  ["a call of another tool", deploy("production*")],
  ["a call of another tool that says nothing, but may", deploy("")],
  ["a command with a line break", shell("echo 'a\nb'")],
  ["a command with a password in an address", shell("echo https://ada:passw0rd@example.com/x")],
  ["a line of which one part has no rule", shell("ls; echo x > 'src/*'")],
])("%s can be allowed once only", async (_, call) => {
  expect(await offered(call)).toEqual([]);
});

it("a file whose path holds a secret of Hermes can be allowed once only", async () => {
  const redact = (text: string) => text.replaceAll("my-token", "[redacted]");
  expect(await offered(write("/nowhere/my-token.txt"), { redact })).toEqual([]);
  expect(await offered(write("/nowhere/other.txt"), { redact })).toEqual(["write(other.txt)"]);
});

it.each([
  write("/nowhere/a b (c) [d]{e}+^$|.txt"),
  write("/nowhere/été/日本.txt"),
  write("/elsewhere/a.txt"),
  shell("echo '*' 'a?' \"it's\" '$(id)'"),
  shell("'[' -f a ']'"),
  deploy("staging"),
  deploy(),
])("the rule that is offered can be read, and allows what was asked", async (call) => {
  const rules = await offered(call);
  expect(rules).toHaveLength(1);
  expect(rules.map((rule) => readRule(rule).problem)).toEqual([null]);
  expect(await decisionBy(rules, call)).toBe("allow");
});

it("a rule that is offered for quoted stars allows no other command", async () => {
  const rules = await offered(shell("rm '*'"));
  expect(await decisionBy(rules, shell("rm a"))).toBe("ask");
  expect(await decisionBy(rules, shell("rm '*' a"))).toBe("ask");
});
