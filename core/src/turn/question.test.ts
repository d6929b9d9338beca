import { expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../agent/agent.ts";
import { judgeCall } from "../permissions/judge-call.ts";
import { askAbout } from "./question.ts";
import { shownSummary } from "./run-tool.ts";

const ABOUT = { host: "here", directory: "/work", request: "Do it", isShared: false, author: null, ttlMs: null };

const tool: Tool = {
  ...{ name: "shell", description: "runs", input: z.object({}), effect: "runs" },
  summary: () => "echo \u202eexe",
  subjects: () => ["echo \u202eexe"],
  run: async () => ({ text: "" }),
};

it("nothing that a question says holds a hidden character, but its number", async () => {
  const verdict = await judgeCall(
    { tool: "shell", effect: "runs", subjects: ["echo \u202eexe"] },
    {
      ...{ rules: { allow: [], ask: [], deny: [] }, mode: "default", directory: "/work" },
      ...{ home: "/home", shared: false, isOperator: true },
    },
  );
  const { messages } = await askAbout(
    { id: "1.1", name: "shell", input: {} },
    { tool, input: {}, verdict, digest: "x" },
    {
      host: "here",
      directory: "/wo\u202erk",
      request: "Do \u202eit",
      isShared: false,
      detail: "",
      author: null,
      ttlMs: null,
    },
  );
  const text = messages.map(({ markdown }) => markdown).join("\n");
  expect(text).not.toContain("\u202e");
  expect(text).toContain("echo \\u202eexe");
});

it("a question says which rule nearly allows the call, and which one would", async () => {
  const verdict = await judgeCall(
    { tool: "shell", effect: "runs", subjects: ["docker run x"] },
    {
      ...{ rules: { allow: ["shell(docker *)"], ask: [], deny: [] }, mode: "default", directory: "/work" },
      ...{ home: "/home", shared: false, isOperator: true },
    },
  );
  const asked = await askAbout(
    { id: "1.1", name: "shell", input: {} },
    { tool, input: {}, verdict, digest: "x" },
    { ...ABOUT, detail: "" },
  );
  expect(asked.messages.at(-1)?.markdown.replaceAll("\\", "")).toContain(
    "It asks because the rule `shell(docker *)` does not reach so far: no star stands for `run`, with which docker may run or write something else; a rule that says all of it would: `shell(docker run x)`.",
  );
});

it("a question too long for a chat says where it can be allowed, and offers no yes", async () => {
  const asked = await askAbout(
    { id: "1.1", name: "shell", input: {} },
    { tool, input: {}, verdict: null, digest: "x" },
    { ...ABOUT, detail: `echo ${"x".repeat(12_000)}` },
  );
  const [shown, question] = asked.messages;
  expect(shown?.markdown).toMatch(/xx…\n\[cut\]\n```$/);
  expect(question?.markdown).toContain("open the session in a terminal: `hermes resume`");
  expect(question?.markdown).toContain(`(code ${asked.code})`);
  expect(question?.choices?.map(({ label }) => label)).toEqual(["No"]);
  const whole = await askAbout(
    { id: "1.1", name: "shell", input: {} },
    { tool, input: {}, verdict: null, digest: "x" },
    { ...ABOUT, detail: `echo ${"x".repeat(11_000)}` },
  );
  expect(whole.messages.at(-1)?.choices?.map(({ label }) => label)).toEqual(["Allow once", "No"]);
});

it("a tool whose summary throws is asked about by its name", async () => {
  const broken: Tool = {
    ...tool,
    summary: () => {
      throw new Error("no words");
    },
  };
  const asked = await askAbout(
    { id: "1.1", name: "shell", input: {} },
    { tool: broken, input: {}, verdict: null, digest: "x" },
    { ...ABOUT, detail: "echo" },
  );
  expect(asked.summary).toBe("shell");
  expect(await shownSummary({ id: "1.1", name: "shell", input: {} }, [broken])).toBe("");
});

it("a question shows no secret of a call's input, as its line elsewhere does not", async () => {
  const signIn: Tool = {
    ...{ name: "sign_in", description: "signs in", input: z.object({ at: z.string(), password: z.string() }) },
    ...{ effect: "network", subjects: () => [], run: async () => ({ text: "" }) },
    summary: (input) => {
      const { at, password } = input as { readonly at: string; readonly password: string };
      return `signs in at ${at} with ${password}`;
    },
  };
  const input = { at: "https://ada:secret-1@example.com", password: "hunter-22" };
  const call = { id: "1.1", name: "sign_in", input } as const;
  const asked = await askAbout(call, { tool: signIn, input, verdict: null, digest: "x" }, { ...ABOUT, detail: "" });
  expect(asked.summary).toBe("signs in at https://ada:[redacted]@example.com with [redacted]");
  expect(JSON.stringify(asked.messages)).not.toMatch(/secret-1|hunter-22/);
});
