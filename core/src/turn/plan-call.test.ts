import { expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../agent/agent.ts";
import { EVERY_SESSION, type Session } from "../model/session.ts";
import { planCall } from "./plan-call.ts";

const tool: Tool = {
  ...{ name: "write", description: "writes", input: z.looseObject({ path: z.string() }), effect: "writes" },
  summary: () => "",
  subjects: (input) => [(input as { path: string }).path],
  run: async () => ({ text: "" }),
};

function planOf(path: string, ...sessionRules: string[]) {
  return planOfInput({ path }, ...sessionRules);
}

function planOfInput(input: object, ...sessionRules: string[]) {
  const call = { id: "1.1", name: "write", input };
  return planCall(call, {
    ...{ tools: [tool], approvals: [], refusal: null, sessionRules },
    where: {
      ...{ session: {} as Session, directory: "/nowhere", signal: new AbortController().signal, turnId: "t" as never },
      ...{ callId: "1.1", visible: EVERY_SESSION, report: () => {}, noteProcess: async () => {} },
    },
    context: {
      ...{ rules: { allow: [], ask: [], deny: [] }, mode: "default", directory: "/nowhere", home: "/nobody" },
      ...{ shared: false, isOperator: true },
    },
  });
}

it("a rule of the session that cannot be read keeps no other call from being asked", async () => {
  expect(await planOf("a.txt", "write(notes )")).toMatchObject({ do: "ask" });
  expect(await planOf("a.txt", "write(notes )", "write(a.txt)")).toMatchObject({ do: "run" });
});

it("a rule of the session with a star in it, which nobody was shown, allows nothing", async () => {
  expect(await planOf("src/other.ts", "write(src/*)")).toMatchObject({ do: "ask" });
});

it.each([{ keys: "rm -rf ~\n" }, { deep: [{ token: "$(evil)" }] }, { password: "\u202eevil" }])(
  "a call with more than a word under a secret's name is not asked about: %j",
  async (fields) => {
    expect(await planOfInput({ path: "a.txt", ...fields })).toMatchObject({ do: "end", isError: true });
  },
);

it.each([{ token: "abc123" }, { key: "a b" }, { keys: ["rm -rf ~"] }, { text: "rm -rf ~\n" }])(
  "a call of which people see all but a word is asked about: %j",
  async (fields) => {
    expect(await planOfInput({ path: "a.txt", ...fields })).toMatchObject({ do: "ask" });
  },
);
