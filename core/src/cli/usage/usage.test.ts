import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { UserId } from "../../model/session.ts";
import type { NewUsage } from "../../model/usage.ts";
import { createTestBench } from "../test-bench.ts";

const DAY_MS = 24 * 60 * 60_000;
const MODEL = "anthropic/claude-sonnet-4-5";

// The middle of a day, in every zone: the tests go from one day to the next.
const clock = createVirtualClock(new Date(2026, 0, 10, 12).getTime());
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock, name: MODEL }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

function used(more: Partial<NewUsage> = {}): NewUsage {
  return {
    ...{ kind: "message", model: MODEL, person: "operator" as UserId, isEstimated: false, cost: 1_234_567 },
    ...{ input: 2_000, cacheRead: 40_000, cacheWrite: 3_000, output: 1_500 },
    ...more,
  };
}

/** A session with one turn, in which a request used `usage`. */
async function spent(title: string, usage: readonly NewUsage[], question = "When is high water?"): Promise<void> {
  const { store, holder } = bench.host;
  const [found] = await store.sessions.find(title, { kind: "all" });
  const { id } = found ?? (await bench.begin(title));
  const message = { role: "user", text: question } as const;
  const begin = { sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000 } as const;
  const started = await store.turns.startTurn({ ...begin, message });
  if (!started.ok) throw new Error(started.reason);
  const messages = [{ role: "assistant", text: "At noon." }] as const;
  const { turn, fence } = started;
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [], usage });
}

describe("hermes usage", () => {
  test("shows that nothing was used before anything was", async () => {
    const { stdout, code } = await bench.hermes("usage");
    expect([stdout, code]).toEqual(["Since 2025-12-11 12:00: nothing.\n", 0]);
  });

  test("shows what each day cost in a table that fits on 80 columns", async () => {
    await spent("plan", [used()]);
    await clock.advance(DAY_MS);
    await spent("plan", [used(), used({ cost: null, model: "mine/new", input: 12_000, isEstimated: true })]);
    const { stdout } = await bench.hermes("usage");
    const said =
      "at least $2.47 for 3 requests: 145k tokens sent (120k of them from the cache), 4.5k written; 56.5k tokens have " +
      "an unknown price; the tokens of 1 request are estimated.";
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(`Since 2025-12-12 12:00: ${said}`);
    expect(stdout).toMatch(
      /2026-01-11 │ +2 │ +~100k │ +~80k │ +~3k │ at least \$1\.23\n2026-01-10 │ +1 │ +45k │ +40k │ +1\.5k │ +\$1\.23\n/,
    );
    const rows = stdout.split("\n").filter((line) => line.includes("│"));
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain("\u001b");
  });

  test("shows each turn of a session, and how full its window was", async () => {
    await spent("plan", [used()], "When is high water?");
    await spent("plan", [used({ cost: null })], "And low water?");
    await spent("other", [used()]);
    const { stdout } = await bench.hermes("usage", "--session", "plan");
    expect(stdout).toMatch(/^plan\nwindow: 45k of 200k tokens of anthropic\/claude-sonnet-4-5 \(23 %\)\n/);
    expect(stdout).toMatch(/And low water\? +│ .* unknown\nWhen is high water\? +│ .* \$1\.23\n/);
    expect(stdout).not.toContain("other");
  });

  test("shows persons and models by name, and what deleted sessions used", async () => {
    const ada = await bench.host.store.people.add({ name: "Ada", role: "member" });
    await spent("plan", [used({ person: ada.id })]);
    const [plan] = await bench.host.store.sessions.find("plan", { kind: "all" });
    if (plan) await bench.host.store.sessions.delete(plan.id);
    expect((await bench.hermes("usage", "--by", "person")).stdout).toMatch(/\nAda +│ +1 │/);
    expect((await bench.hermes("usage", "--by", "model")).stdout).toMatch(/\nanthropic\/claude-sonnet-4-5 +│ +1 │/);
    expect((await bench.hermes("usage", "--by", "session")).stdout).toMatch(/\ndeleted sessions +│ +1 │/);
  });

  test("prints one document, in which a price that is not known is null", async () => {
    await spent("plan", [used({ cost: null })]);
    const document = (await bench.hermes("usage", "--session", "plan", "--by", "model", "--json")).json();
    const sum = {
      ...{ requests: 1, dollars: null, unpricedTokens: 46_500, estimatedRequests: 0 },
      said: expect.stringMatching(/^an unknown price for 1 request: .*; 46\.5k tokens have an unknown price$/),
      tokens: { input: 2_000, cacheRead: 40_000, cacheWrite: 3_000, output: 1_500, total: 46_500 },
    };
    const at = new Date(clock.now()).toISOString();
    expect(document).toEqual({
      ...{ session: { id: expect.any(String), title: "plan" }, since: null, by: "model", ...sum },
      window: { model: MODEL, tokens: 45_000, of: 200_000, isEstimated: false, at },
      groups: [{ key: MODEL, name: MODEL, sessionId: null, ...sum, firstAt: at, lastAt: at }],
    });
  });

  test("counts from a day or a time on", async () => {
    await spent("plan", [used()]);
    await clock.advance(3 * DAY_MS);
    await spent("plan", [used()]);
    const requests = async (since: string) => (await bench.hermes("usage", "--since", since, "--json")).json().requests;
    expect(await requests("2d")).toBe(1);
    expect(await requests("1w")).toBe(2);
    expect((await bench.hermes("usage", "--since", "30m")).stdout).toMatch(/^Since 2026-01-14 11:30: /);
    expect((await bench.hermes("usage", "--since", "2026-01-14")).stdout).toMatch(/^Since 2026-01-14: /);
    const { code, stderr } = await bench.hermes("usage", "--since", "2026-02-30");
    expect([code, stderr]).toEqual([2, expect.stringContaining("it has to be an age such as 30s")]);
  });
});
