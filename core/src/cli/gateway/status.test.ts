import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, it } from "vitest";
import type { AdapterHealth } from "../../adapter/capabilities.ts";
import type { Agent } from "../../agent/agent.ts";
import { ModelHealth } from "../../agent/model-health.ts";
import { createTestBench } from "../test-bench.ts";

const UP: AdapterHealth = { state: "up" };
const DOWN: AdapterHealth = { state: "down", detail: "no route" };

it.each([
  ["no gateway runs", null, 1],
  ["a gateway reaches one of its platforms", [DOWN, UP], 0],
  ["a gateway reaches none of its platforms", [DOWN, DOWN], 1],
] as const)("hermes status --healthy tells by its exit code that %s", async (_what, states, code) => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const { holder, store } = bench.host;
  if (states !== null) {
    const platforms = states.map((health, index) => ({
      ...{ platform: `pager-${index}`, health, standby: false, takesHandoffs: true, home: null },
    }));
    await store.gateways.heartbeat({ id: "gw", holder, startedAt: clock.now(), configPath: null, platforms });
  }
  expect((await bench.hermes("status", "--healthy")).code).toBe(code);
  expect((await bench.hermes("status")).code).toBe(0);
  if (states === null) return;
  // A gateway that says nothing any more hangs.
  await clock.advance(60_000);
  expect((await bench.hermes("status", "--healthy")).code).toBe(1);
});

it("hermes status shows the models with their windows, and which did not answer last", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const config = {
    model: "openai/gpt-5.4",
    models: { fallback: ["mine/m"] },
    providers: { mine: { baseUrl: "http://m/v1" } },
  };
  writeFileSync(join(bench.home, "hermes.config.json"), JSON.stringify(config));
  new ModelHealth(bench.home, clock).failed("openai/gpt-5.4", "is overloaded");
  await clock.advance(3 * 60_000);
  const { stdout } = await bench.hermes("status");
  expect(stdout).toContain("model: openai/gpt-5.4 (window 1,050,000 tokens; $2.5 in, $15 out a million tokens");
  expect(stdout).toContain("  is overloaded, 3 min ago when it was asked last");
  expect(stdout).toContain("fallback: mine/m (window unknown");
  expect((await bench.hermes("status", "--json")).json().models).toMatchObject([
    { model: "openai/gpt-5.4", isFallback: false, window: 1_050_000, failure: { why: "is overloaded" } },
    { model: "mine/m", isFallback: true, window: null, failure: null },
  ]);
});

it("a terminal and a script are told which model answers instead", async () => {
  const clock = createVirtualClock();
  const model: Agent = {
    modelOf: () => "a/b",
    async *run() {
      yield { type: "fallback", text: "a/b is overloaded; c/d answers" };
      yield { type: "text", delta: "At noon." };
      yield { type: "message", text: "At noon.", calls: [], model: "c/d" };
    },
  };
  await using bench = await createTestBench({ clock, model });
  const { stdout, stderr } = await bench.hermes("chat", "-q", "When?");
  expect([stdout, stderr]).toEqual(["At noon.\n", expect.stringContaining("a/b is overloaded; c/d answers")]);
});
