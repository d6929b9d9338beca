import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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
      models: [],
      warnings: [],
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
    writeFileSync(file, JSON.stringify({ model: "ollama/qwen3" }));
    expect((await bench.hermes("config", "check", "--config", file)).stdout).toContain("is in order");
  });

  test.each([
    ["nosuch/m", "AGENT_PROVIDER_UNKNOWN"],
    ["claude", "AGENT_MODEL_INVALID"],
    ["anthropic/claude-sonnet-4-5", "AGENT_KEY_MISSING"],
  ])("config check says that the model %s cannot be asked", async (model, code) => {
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, JSON.stringify({ model }));
    const checked = await bench.hermes("config", "check", "--config", file, "--json");
    expect(checked.code).toBe(1);
    expect(checked.json()).toMatchObject({ ok: false, problems: [{ code }] });
  });

  test("config check refuses a config that is null, and takes one with a byte order mark", async () => {
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, "null");
    expect((await bench.hermes("config", "check", "--config", file, "--json")).json()).toMatchObject({
      problems: [{ code: "CONFIG_INVALID" }],
    });
    writeFileSync(file, `\uFEFF${JSON.stringify({ model: "ollama/qwen3" })}`);
    expect((await bench.hermes("config", "check", "--config", file)).stdout).toContain("is in order");
    const yaml = join(bench.folder, "hermes.config.yaml");
    writeFileSync(yaml, "# nothing yet\n");
    expect((await bench.hermes("config", "check", "--config", yaml)).stdout).toContain("is in order");
  });

  test("every command reports an unusable plugin, and still runs", async () => {
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
    expect((await bench.hermes("trust", "--json")).json()).toEqual({
      folder: expect.stringContaining("hermes-cli-"),
      files: [expect.stringContaining("hermes.config.json")],
    });
    const { stdout, stderr } = await bench.hermes("status");
    expect(stderr).toBe("");
    expect(stdout).toContain("hermes.config.json");
  });

  test.each([
    ["/", "everything on this machine lies in it"],
    ["hermes.config.json", "it is a file"],
    ["nowhere", "there is no such folder"],
    ["open", "everybody may write to it"],
  ])("trust refuses %s, since %s", async (folder, reason) => {
    writeFileSync(join(bench.folder, "hermes.config.json"), "{}");
    mkdirSync(join(bench.folder, "open"));
    chmodSync(join(bench.folder, "open"), 0o777);
    const { code, stderr, stdout } = await bench.hermes("trust", folder);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`cannot be trusted: `);
    expect(stderr).toContain(reason);
  });

  test("a config that changed since it was trusted is not loaded unattended", async () => {
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, "{}");
    await bench.hermes("trust");
    writeFileSync(file, `{ "model": "a/b" }`);
    for (const argv of [["sessions"], ["gateway"], ["chat", "-q", "Hello?"], ["config", "check"]]) {
      const { code, stderr } = await bench.hermes(...argv);
      expect([argv, code]).toEqual([argv, 1]);
      expect(stderr).toContain("hermes.config.json changed since");
      expect(stderr).toContain("then run `hermes trust");
    }
    await bench.hermes("trust");
    expect((await bench.hermes("status")).code).toBe(0);
  });

  test("a terminal shows what changed in a config, asks, and takes no for an answer", async () => {
    const file = join(bench.folder, "hermes.config.json");
    writeFileSync(file, "{}\n");
    await bench.hermes("trust");
    writeFileSync(file, `{ "model": "a/b\u202e" }\n`);
    for (const [answer, code] of [
      ["", 1],
      ["n", 1],
      ["y", 0],
    ] as const) {
      const terminal = bench.start(["sessions"], { interactive: true });
      await terminal.printed("Trust it as it stands now? (y/n)");
      expect(terminal.stdout()).toContain(
        'hermes.config.json changed\n       − 1 line\n     1 + { "model": "a/b\\u202e" }',
      );
      terminal.type(answer);
      expect(await terminal.ended).toBe(code);
    }
    const again = bench.start(["sessions"], { interactive: true });
    expect(await again.ended).toBe(0);
    expect(again.stdout()).not.toContain("Trust it");
  });

  test("a home that others can write to runs nothing until `hermes trust --home`", async () => {
    writeFileSync(join(bench.home, "hermes.config.mjs"), `throw new Error("it was run");`);
    chmodSync(bench.home, 0o777);
    for (const argv of [["status"], ["config", "check"], ["trust"], ["emulate", "pager"], ["gateway"]]) {
      const { code, stderr } = await bench.hermes(...argv);
      expect([argv, code]).toEqual([argv, 1]);
      expect(stderr).toContain(`${bench.home} could be written to by others`);
      expect(stderr).toContain("`hermes trust --home`");
    }
    expect((await bench.hermes("trust", "--home", "--json")).json()).toEqual({
      home: bench.home,
      openings: [expect.objectContaining({ path: bench.home, why: "may be written to by others" })],
    });
    expect(statSync(bench.home).mode & 0o777).toBe(0o700);
    expect((await bench.hermes("status")).stderr).toContain("it was run");
    expect((await bench.hermes("trust", "--home")).stdout).toBe(
      `${bench.home} is trusted. Nothing in it was open to others.\n`,
    );
    expect((await bench.hermes("trust", "x", "--home")).code).toBe(2);
  });

  test("status says that a gateway goes on with what its config was", async () => {
    const { store, holder, clock } = bench.host;
    const row = { id: "gw", holder, startedAt: clock.now(), configPath: "/x/hermes.config.ts", platforms: [] };
    await store.gateways.heartbeat({ ...row, configChanged: true });
    const { stderr } = await bench.hermes("status");
    expect(stderr).toContain("/x/hermes.config.ts changed after the gateway");
    expect((await bench.hermes("status", "--json")).json().gateways).toMatchObject([{ configChanged: true }]);
  });

  test("status and gateway stop work with a config that is broken, and say what is wrong", async () => {
    writeFileSync(join(bench.home, "hermes.config.json"), "{ broken");
    for (const [argv, said] of [
      [["status"], "No gateway is running."],
      [["gateway", "stop"], "No gateway is running."],
    ] as const) {
      const { code, stdout, stderr } = await bench.hermes(...argv);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("could not be read") });
      expect(stdout).toContain(said);
    }
    expect((await bench.hermes("status")).stdout).toContain(join(bench.home, "hermes.config.json"));
    expect((await bench.hermes("sessions")).code).toBe(1);
  });

  test("status names a gateway that is silent", async () => {
    const { store, holder, clock: time } = bench.host;
    await store.gateways.heartbeat({ id: "gw", holder, startedAt: time.now(), configPath: null, platforms: [] });
    await clock.advance(20_000);
    const { stdout } = await bench.hermes("status");
    expect(stdout).toContain(`gateway pid ${holder.pid}, silent for 20 s: it is starting`);
    expect(stdout).not.toContain("No gateway is running");
  });

  test("hermes plugins says when no plugin is configured", async () => {
    expect((await bench.hermes("plugins", "--json")).json()).toEqual({ plugins: [] });
  });
});
