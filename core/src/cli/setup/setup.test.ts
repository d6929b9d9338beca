import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { createVirtualClock } from "../../testing/virtual-clock.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("hermes status, config, trust and plugins", () => {
  test("status without a gateway says so", async () => {
    await bench.begin("plan");
    expect((await bench.hermes("status", "--json")).json()).toEqual({
      gateways: [],
      adapters: [],
      sessions: 1,
      handoffs: [],
    });
    expect((await bench.hermes("status")).stdout).toContain("No gateway is running.");
    expect((await bench.hermes("gateway", "stop", "--json")).json()).toEqual({ stopped: [] });
  });

  test("config check names everything that is wrong", async () => {
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, JSON.stringify({ model: 5, log: { level: "loud" } }));
    const { code, json } = await bench.hermes("config", "check", "--config", file, "--json");
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      path: file,
      ok: false,
      problems: [{ code: "CONFIG_INVALID" }, { code: "CONFIG_INVALID" }],
    });
    writeFileSync(file, JSON.stringify({ model: "anthropic/claude-sonnet-4-5" }));
    expect((await bench.hermes("config", "check", "--config", file)).stdout).toContain("is in order");
  });

  test("trust lets the config of a folder be loaded", async () => {
    writeFileSync(join(bench.folder, "hermes.config.json"), JSON.stringify({ model: "anthropic/claude-sonnet-4-5" }));
    expect((await bench.hermes("status")).stderr).toContain("was not loaded");
    expect((await bench.hermes("trust", "--json")).json()).toEqual({ folder: expect.stringContaining("hermes-cli-") });
    const { stdout, stderr } = await bench.hermes("status");
    expect(stderr).toBe("");
    expect(stdout).toContain("hermes.config.json");
  });

  test("plugins says that there is none", async () => {
    expect((await bench.hermes("plugins", "--json")).json()).toEqual({ plugins: [] });
  });
});
