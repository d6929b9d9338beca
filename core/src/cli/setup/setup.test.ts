import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scriptedModel } from "../../testing/scripted-model.ts";
import { createVirtualClock } from "../../testing/virtual-clock.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock, otherwise: () => "An answer." }) });
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

  test("one plugin that cannot be used is told by every command, and takes down none", async () => {
    await bench.begin("plan");
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, JSON.stringify({ plugins: [["hermes-plugin-nowhere", { account: "b" }]] }));
    const problem = `${file}: plugins[0]: The plugin hermes-plugin-nowhere was not found`;

    for (const command of [["status"], ["sessions"], ["chat", "-q", "Hello?"]]) {
      const { code, stderr } = await bench.hermes(...command, "--config", file);
      expect([command, code]).toEqual([command, 0]);
      expect(stderr).toContain(problem);
    }
    const list = await bench.hermes("plugins", "--config", file, "--json");
    expect(list.json()).toMatchObject({
      plugins: [
        {
          ...{ package: "hermes-plugin-nowhere", account: "b", isConfigured: true, isInstalled: false, health: null },
          problem: { code: "PLUGIN_NOT_FOUND", message: expect.stringContaining(problem) },
        },
      ],
    });
    expect((await bench.hermes("plugins", "--config", file)).stdout).toContain(problem);
    const check = await bench.hermes("config", "check", "--config", file);
    expect(check.code).toBe(1);
    expect(check.stderr).toContain(problem);
    expect(check.stdout).toBe("");
    const gateway = await bench.hermes("gateway", "--config", file);
    expect(gateway.code).toBe(1);
    expect(gateway.stderr).toContain(problem);
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
