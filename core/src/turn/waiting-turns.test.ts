import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../agent/agent.ts";
import { silentLogger } from "../base/logger.ts";
import { createConcealer } from "../base/redact.ts";
import type { Approval, ApprovalDecision } from "../model/approval.ts";
import { OPERATOR, type SessionId } from "../model/session.ts";
import type { PermissionContext } from "../permissions/judge.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import { questionTool } from "../tools/question.ts";
import { LeasedTurns } from "./leased-turns.ts";
import { testPolicy } from "./test-policy.ts";

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Tools that note what ran: `look` needs no yes, `touch` and `burn` do. */
function notingTools() {
  const ran: string[] = [];
  const tool = (name: string, effect: Tool["effect"]): Tool => ({
    ...{ name, description: name, input: z.object({ at: z.string().default("x") }), effect },
    summary: (input) => `${name} ${(input as { at: string }).at}`,
    subjects: (input, { directory }) => {
      const { at } = input as { at: string };
      return effect === "reads" ? [] : [effect === "writes" ? join(directory ?? "/", at) : at];
    },
    run: async (input) => {
      ran.push(`${name} ${(input as { at: string }).at}`);
      return { text: `did ${name}` };
    },
  });
  return {
    ran,
    tools: [
      questionTool as Tool,
      tool("look", "reads"),
      tool("touch", "runs"),
      tool("burn", "runs"),
      tool("save", "writes"),
    ],
  };
}

async function machine(
  script: Parameters<typeof scriptedModel>[0],
  more: { readonly context?: Partial<PermissionContext>; readonly refusal?: () => string | null } = {},
) {
  const machineFolder = mkdtempSync(join(tmpdir(), "hermes-waits-"));
  cleanUps.push(() => rmSync(machineFolder, { recursive: true, force: true }));
  const folder = join(machineFolder, "work");
  mkdirSync(folder);
  const clock = createVirtualClock();
  let ids = 0;
  const store = await openSqliteStore({
    ...{ file: join(machineFolder, "store", "hermes.db"), clock, probe: { fate: () => "alive" } },
    ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(6, "0")}` },
  });
  cleanUps.push(() => store.close());
  const { ran, tools } = notingTools();
  const model = scriptedModel(script, { clock });
  const policy = {
    ...testPolicy(tools, more.context, ["look"]),
    refusalOf: async () => more.refusal?.() ?? null,
  };
  const processNamed = (id: string) => {
    const holder = { id, host: "laptop", pid: 1, pidStart: "1", role: "terminal" } as const;
    const secrets = [(text: string) => text, createConcealer([])] as const;
    return new LeasedTurns(store, clock, silentLogger, holder, policy, ...secrets, model);
  };
  const session = await store.sessions.create({
    ...{ user: OPERATOR, origin: "terminal", originChat: null, workingDirectory: folder },
  });
  const ask = (text = "Go") =>
    processNamed("prc_a").run({
      ...{ sessionId: session.id, cause: { kind: "terminal" }, surface: "terminal", tools: true },
      message: { role: "user", text },
    });
  const decide = async (approval: Approval | undefined, decision: ApprovalDecision) => {
    if (approval === undefined) throw new Error("nothing is asked");
    const by = { name: "you", author: "terminal" } as const;
    return store.approvals.decide({ id: approval.id, decision, by, surface: "terminal" });
  };
  const open = () => store.approvals.open(session.id);
  const resume = async (holder = "prc_b") => {
    const [turn] = await store.turns.resumable("terminal");
    if (turn === undefined) throw new Error("no turn can be resumed");
    return processNamed(holder).resume({ turnId: turn.id });
  };
  return { ...{ folder, clock, store, ran, model, session, ask, decide, open, resume } };
}

async function results(store: Store, session: SessionId): Promise<string[]> {
  return (await store.transcripts.read(session)).filter(({ role }) => role === "tool").map(({ text }) => text);
}

const calls = (...called: [name: string, at?: string][]) => ({
  call: called.map(([name, at]) => ({ name, input: at === undefined ? {} : { at } })),
});

it("a call that needs a yes waits for it, and then runs in another process", async () => {
  const { store, session, ran, ask, open, decide, resume } = await machine([[calls(["touch"]), { say: "Done." }]]);
  expect(await ask()).toMatchObject({ state: "parked", approvals: [{ tool: "touch", summary: "touch x" }] });
  expect(ran).toEqual([]);
  expect(await store.turns.running(session.id)).toMatchObject({ state: "waiting", waitsFor: "approval" });
  await decide((await open())[0], { kind: "once" });
  expect(await resume()).toMatchObject({ state: "done", text: "Done." });
  expect(ran).toEqual(["touch x"]);
});

it("nothing but reading runs before all questions of a message are answered", async () => {
  const step = calls(["look", "1"], ["touch", "2"], ["look", "3"], ["burn", "4"]);
  const { ran, ask, open, decide, resume } = await machine([[step, { say: "Done." }]]);
  await ask();
  expect(ran).toEqual(["look 1"]);
  const asked = await open();
  expect(asked.map(({ summary }) => summary)).toEqual(["touch 2", "burn 4"]);
  await decide(asked[0], { kind: "once" });
  await expect(resume()).rejects.toThrow("no turn can be resumed");
  await decide(asked[1], { kind: "once" });
  await resume();
  expect(ran).toEqual(["look 1", "touch 2", "look 3", "burn 4"]);
});

it("calls behind a no do not run, except those that only read", async () => {
  const step = calls(["touch", "1"], ["look", "2"], ["burn", "3"]);
  const { store, session, ran, ask, open, decide, resume } = await machine([[step, { say: "I see." }]]);
  await ask();
  const [first, second] = await open();
  await decide(second, { kind: "once" });
  await decide(first, { kind: "no", word: "not today" });
  expect(await resume()).toMatchObject({ state: "done", text: "I see." });
  expect(ran).toEqual(["look 2"]);
  expect(await results(store, session.id)).toEqual([
    expect.stringContaining("refused: not today"),
    "did look",
    expect.stringContaining("an earlier call was refused"),
  ]);
});

it("what was refused is not asked about again in the same turn", async () => {
  const script = [[calls(["touch"]), calls(["touch"]), calls(["touch", "y"]), { say: "Done." }]];
  const { ask, open, decide, resume } = await machine(script);
  await ask();
  await decide((await open())[0], { kind: "no" });
  expect(await resume()).toMatchObject({ state: "parked" });
  expect((await open()).map(({ summary }) => summary)).toEqual(["touch y"]);
});

it("what was allowed for the session needs no yes again, in this turn and the next", async () => {
  const script = [
    [calls(["touch"]), calls(["touch"]), { say: "One." }],
    [calls(["touch"]), { say: "Two." }],
  ];
  const { ran, ask, open, decide, resume } = await machine(script);
  await ask();
  await decide((await open())[0], { kind: "session" });
  expect(await resume()).toMatchObject({ state: "done", text: "One." });
  expect(await ask()).toMatchObject({ state: "done", text: "Two." });
  expect(ran).toHaveLength(3);
});

it("what somebody else allowed for the session holds for this turn alone", async () => {
  const script = [
    [calls(["touch"]), calls(["touch"]), { say: "One." }],
    [calls(["touch"]), { say: "Two." }],
  ];
  const { store, ask, open, resume } = await machine(script);
  await ask();
  const conversation = { platform: "p", chatId: "ada", kind: "dm" } as const;
  const author = { platform: "p", account: undefined, senderId: "ada", aliases: [], conversation };
  const [{ id } = { id: "" as Approval["id"] }] = await open();
  await store.approvals.decide({ id, decision: { kind: "session" }, by: { name: "Ada", author }, surface: "terminal" });
  expect(await resume()).toMatchObject({ state: "done", text: "One." });
  expect(await ask()).toMatchObject({ state: "parked" });
});

it("the operator is asked each time where others read, for reading too", async () => {
  const script = [[calls(["look"]), calls(["look"]), { say: "Done." }]];
  const { ask, open, decide, resume } = await machine(script, { context: { shared: true } });
  await ask();
  const [asked] = await open();
  expect(asked?.rules).toEqual([]);
  await decide(asked, { kind: "session" });
  expect(await resume()).toMatchObject({ state: "parked" });
});

it("a person who lost the right to tools gets no further call, though it was allowed", async () => {
  let refusal: string | null = null;
  const parts = await machine([[calls(["touch"]), { say: "Done." }]], { refusal: () => refusal });
  const { store, session, ran, ask, open, decide, resume } = parts;
  await ask();
  await decide((await open())[0], { kind: "once" });
  refusal = "Bob may not use tools";
  await resume();
  expect(ran).toEqual([]);
  expect(await results(store, session.id)).toEqual(["Not run: Bob may not use tools."]);
});

it("the agent's own question is answered by words, which are the call's result", async () => {
  const asks = { call: [{ name: "question", input: { question: "Tea?", answers: ["Yes", "Coffee"] } }] };
  const { store, session, ask, open, decide, resume } = await machine([[asks, { say: "Brewing." }]]);
  await ask();
  expect(await store.turns.running(session.id)).toMatchObject({ waitsFor: "question" });
  await decide((await open())[0], { kind: "answer", text: "Coffee" });
  expect(await resume()).toMatchObject({ state: "done", text: "Brewing." });
  expect(await results(store, session.id)).toEqual(["Coffee"]);
});

it("a message that waits for the turn is answered after it", async () => {
  const { model, ask, open, decide, resume } = await machine([[calls(["touch"]), { say: "First." }], "Second."]);
  await ask("one");
  const second = ask("two");
  await decide((await open())[0], { kind: "once" });
  await resume();
  expect(await second).toMatchObject({ state: "done", text: "Second." });
  expect(
    model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "user")
      .map(({ text }) => text),
  ).toEqual(["one", "two"]);
});

it("a file that changed since its change was allowed is asked about anew", async () => {
  const parts = await machine([[calls(["save", "a.txt"]), { say: "Done." }]]);
  const { folder, ran, ask, open, decide, resume } = parts;
  writeFileSync(join(folder, "a.txt"), "old");
  await ask();
  writeFileSync(join(folder, "a.txt"), "of somebody else");
  await decide((await open())[0], { kind: "once" });
  expect(await resume()).toMatchObject({ state: "parked" });
  expect(ran).toEqual([]);
  await decide((await open())[0], { kind: "once" });
  expect(await resume()).toMatchObject({ state: "done" });
  expect(ran).toEqual(["save a.txt"]);
});

it("a folder that became a link to another since a call was allowed is asked anew", async () => {
  const { folder, ran, ask, open, decide, resume } = await machine([[calls(["touch"]), { say: "Done." }]]);
  await ask();
  renameSync(folder, `${folder}-before`);
  mkdirSync(`${folder}-other`);
  symlinkSync(`${folder}-other`, folder);
  await decide((await open())[0], { kind: "once" });
  expect(await resume()).toMatchObject({ state: "parked" });
  expect(ran).toEqual([]);
});

it("a question says where, why and for whom a call is to run, and for what rules", async () => {
  const { ask, open } = await machine([[calls(["touch", "`a` __b__"]), { say: "Done." }]]);
  await ask("Do it");
  const [asked] = await open();
  const text = asked?.messages.at(-1)?.markdown ?? "";
  expect(text).toContain("On laptop, in `");
  expect(text).toContain("without a sandbox, for “Do it” (typed in the terminal). It asks because no rule allows it.");
  expect(text).toMatch(/“This session” allows `+ ?touch\(.*\) ?`+ from now on\./);
  expect(text).toContain("```\ntouch `a` __b__\n```");
});

it.each(["curl http://a:$(touch${IFS}x)@b", "echo -----BEGIN PRIVATE KEY-----\nshutdown now aaaaaaaaaaaaaaaa"])(
  "a call is not asked about of which people would not see a part: %j",
  async (at) => {
    const { store, session, ran, ask, open } = await machine([[calls(["touch", at]), { say: "I see." }]]);
    expect(await ask()).toMatchObject({ state: "done" });
    expect(await open()).toEqual([]);
    expect(ran).toEqual([]);
    expect(await results(store, session.id)).toEqual([expect.stringContaining("cannot be shown for approval")]);
  },
);

it("a call with a token in it is asked about: redacted, it is one word still", async () => {
  const { ask, open } = await machine([[calls(["touch", "curl https://me:secret-1@example.com"]), { say: "Done." }]]);
  expect(await ask()).toMatchObject({ state: "parked" });
  expect(await open()).toHaveLength(1);
});
