import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ApprovalId } from "../../model/approval.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** A session in the terminal whose turn waits until people say whether files may be written. */
async function waiting(...files: readonly string[]) {
  const { store, holder } = bench.host;
  const { id: sessionId } = await bench.begin("please write");
  const message = { role: "user", text: "please write", surface: "terminal" } as const;
  const request = { cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000, message } as const;
  const started = await store.turns.startTurn({ sessionId, holder, ...request });
  if (!started.ok) throw new Error(started.reason);
  const { turn, fence } = started;
  const toolCalls = files.map((path, at) => ({ id: `1.${at + 1}`, name: "write", input: { path } }));
  await store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls }]);
  const approvals = files.map((path, at) => ({
    ...{ id: `0123456789abcdef-${at}` as ApprovalId, code: `code${at}`, callId: `1.${at + 1}`, kind: "call" as const },
    ...{ tool: "write", summary: path, detail: "", digest: path, rules: [`write(${path})`], answers: [], ttlMs: null },
    messages: [{ kind: "question" as const, markdown: "May I?" }],
  }));
  await store.turns.parkTurn({ turnId: turn.id, fence, reason: "approval", approvals, shownAt: [], outbox: [] });
  return store.approvals.open();
}

test("hermes approvals lists what waits, with code, session, age and place", async () => {
  expect((await bench.hermes("approvals")).stdout).toBe("Nothing waits for an answer.\n");
  const [asked] = await waiting("a.txt");
  await clock.advance(300_000);
  const { stdout } = await bench.hermes("approvals");
  expect(stdout).toBe(`${asked?.code}  write: a.txt\n       please write · 5 min ago · shown in the terminal\n`);
  const { json } = await bench.hermes("approvals", "list", "--json");
  expect(json()).toMatchObject({
    approvals: [{ code: asked?.code, kind: "call", tool: "write", title: "please write", places: ["in the terminal"] }],
  });
  // With the reason, as at every other place.
  expect(json()).toMatchObject({ approvals: [{ question: "May I?" }] });
});

test("Tab completes the codes of what waits, and says what each asks", async () => {
  await waiting("a.txt", "b.txt");
  const { stdout } = await bench.hermes("complete", "--shell", "zsh", "--", "approvals", "allow", "");
  expect(stdout).toBe("code0\twrite: a.txt\ncode1\twrite: b.txt\n");
  expect((await bench.hermes("sessions")).stdout).toContain("waits for an answer");
});

test("hermes approvals allow allows it, and says who goes on with the turn", async () => {
  const [asked] = await waiting("a.txt");
  const { code, stdout } = await bench.hermes("approvals", "allow", `${asked?.code}`);
  expect(code).toBe(0);
  expect(stdout).toContain("Allowed once by you (write: a.txt).\n");
  expect(stdout).toContain("The terminal that asked goes on with it, if the session is still open there; else");
  expect(await bench.host.store.approvals.get(`${asked?.id}` as ApprovalId)).toMatchObject({
    decision: { kind: "once" },
  });
});

test("hermes approvals deny takes the reason, and says what else is open", async () => {
  const [first] = await waiting("a.txt", "b.txt");
  const { stdout } = await bench.hermes("approvals", "deny", `${first?.code}`, "use", "notes/");
  expect(stdout).toContain("Denied by you: “use notes/” (write: a.txt).\n1 question of this turn is still open.");
});

test("a decided question is reported with its decider, and the command exits with 1", async () => {
  const [asked] = await waiting("a.txt");
  await bench.hermes("approvals", "allow", `${asked?.code}`, "--session");
  const { code, stdout } = await bench.hermes("approvals", "deny", `${asked?.code}`);
  expect(code).toBe(1);
  expect(stdout).toContain("This was over before (write: a.txt): Allowed for this session by you");
});

test("a code that nobody gave is an error with a next step", async () => {
  const { code, stderr } = await bench.hermes("approvals", "allow", "zzzzz");
  expect(code).toBe(1);
  expect(stderr).toBe("There is no question zzzzz.\n`hermes approvals` lists the open ones.\n");
});
