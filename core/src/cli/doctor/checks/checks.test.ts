import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { startProxyServer } from "@hermes/testing/proxy-server";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { checkModel } from "../../../agent/check-model.ts";
import type { ProcessProbe } from "../../../base/process-identity.ts";
import type { LoadedConfig } from "../../../config/config.ts";
import { defaultConfig } from "../../../config/load-config.ts";
import type { GatewayRow, ServedPlatform } from "../../../model/gateway-row.ts";
import type { StoreContent, StoreReport } from "../../../store/store-report.ts";
import type { DoctorContext } from "../check.ts";
import { installPager } from "../test-doctor.ts";
import { clockCheck } from "./clock.ts";
import { diskCheck } from "./disk.ts";
import { gatewayCheck } from "./gateway.ts";
import { homeCheck } from "./home.ts";
import { modelCheck } from "./model.ts";
import { networkCheck } from "./network.ts";
import { nodeCheck } from "./node.ts";
import { storeCheck } from "./store.ts";
import { hintForCopy, isMet } from "./versions.ts";

const { signal } = new AbortController();
const clock = createVirtualClock(Date.now());
const MB = 1024 * 1024;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hermes-checks-"));
  // For SQLite, an empty database.
  writeFileSync(join(folder, "hermes.db"), "");
});
afterEach(() => rmSync(folder, { recursive: true }));

const EMPTY: StoreContent = { waiting: 0, failed: 0, notIndexed: 0, newestAt: 0, alive: [], silent: [], homes: [] };

function contextOf(parts: Partial<DoctorContext> = {}, content: Partial<StoreContent> = {}): DoctorContext {
  const report: StoreReport = {
    ...{ file: join(folder, "hermes.db"), size: 4096, logSize: 0, version: 1, knownVersion: 1 },
    content: { ...EMPTY, ...content },
  };
  return {
    ...{ home: folder, workingDirectory: folder, environment: {}, clock, checked: null, redact: (text) => text },
    probe: { fate: () => "alive", isStopped: () => false },
    machine: {
      nodeVersion: "24.1.0",
      diskOf: async () => ({ freeBytes: 9_000 * MB, freeFiles: null }),
      mounts: () => "",
    },
    store: async () => report,
    model: async () => null,
    ...parts,
  };
}

const checkedAs = (config: Partial<LoadedConfig>): Pick<DoctorContext, "checked"> => {
  const loaded = defaultConfig(folder, config);
  return { checked: { path: loaded.path, config: loaded, problems: [], warnings: [], envFile: null } };
};

describe("the check of Node.js", () => {
  it.each([
    ["20.19.0", "problem"],
    ["22.12.0", "problem"],
    ["22.13.0", "ok"],
    ["23.5.0", "warning"],
    ["24.0.0", "ok"],
    ["27.0.0", "ok"],
  ])("judges %s: %s", async (nodeVersion, state) => {
    const context = contextOf();
    const found = await nodeCheck.run({ ...context, machine: { ...context.machine, nodeVersion } }, signal);
    expect(found).toMatchObject([{ state }]);
  });
});

describe("the check of the disk", () => {
  it.each([
    [9_000 * MB, null, "ok", "free."],
    [300 * MB, null, "warning", "300.0 MB free, which is little"],
    [20 * MB, null, "problem", "Hermes stops as soon as it is full"],
    [9_000 * MB, 12, "warning", "takes only 12 more files"],
    [9_000 * MB, 0, "problem", "takes only 0 more files"],
  ])("judges %s bytes and %s files: %s", async (freeBytes, freeFiles, state, words) => {
    const context = contextOf();
    const diskOf = async () => ({ freeBytes, freeFiles });
    const found = await diskCheck.run({ ...context, machine: { ...context.machine, diskOf } }, signal);
    expect(found[0]).toMatchObject({ state, message: expect.stringContaining(words) });
    expect(found[0]?.hint === undefined).toBe(state === "ok");
  });
});

test("a home that cannot be made is a problem, and nothing is offered to mend it", async () => {
  const [found, ...more] = await homeCheck.run(contextOf({ home: join(folder, "hermes.db", "home") }), signal);
  const message = expect.stringContaining(`nothing can be written in ${join(folder, "hermes.db")}.`);
  expect({ found, more }).toMatchObject({ found: { state: "problem", message }, more: [] });
  expect(found).not.toHaveProperty("fix");
});

describe("the check of the store", () => {
  it("warns of a store on a network file system, and says where to put it", async () => {
    const context = contextOf();
    const mounts = () => `/dev/sda1 / ext4 rw 0 0\nserver:/export ${folder} nfs4 rw 0 0\n`;
    const found = await storeCheck.run({ ...context, machine: { ...context.machine, mounts } }, signal);
    expect(found).toContainEqual(
      expect.objectContaining({ state: "warning", message: expect.stringContaining("network file system (nfs4)") }),
    );
    expect((await storeCheck.run(context, signal)).map(({ state }) => state)).toEqual(["ok"]);
  });

  it("offers to empty a log that has grown", async () => {
    const report = { ...(await contextOf().store()), logSize: 100 * MB };
    const found = await storeCheck.run(contextOf({ store: async () => report }), signal);
    expect(found).toContainEqual(
      expect.objectContaining({ state: "warning", message: "The store's write-ahead log has grown to 100.0 MB." }),
    );
    const fix = found.find((finding) => finding.fix)?.fix;
    expect(await fix?.()).toBe("Emptied the write-ahead log.");
  });

  it("tables of an older Hermes are in order: the next command updates them", async () => {
    const report = { ...(await contextOf().store()), version: 3, knownVersion: 17, content: null };
    const [found] = await storeCheck.run(contextOf({ store: async () => report }), signal);
    expect(found).toMatchObject({ state: "ok", message: expect.stringContaining("(tables 3 of 17)") });
  });
});

describe("the check of the network", () => {
  it("goes through the proxy to the model's server, and shows what goes without", async () => {
    await using proxy = await startProxyServer({ portOf: () => 1 });
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "localhost,.lan" };
    const at = (host: string) => checkedAs({ model: "far/x", providers: { far: { baseUrl: `http://${host}/v1` } } });
    const found = await networkCheck.run(contextOf({ environment, ...at("models.example") }), signal);
    expect(found).toMatchObject([
      { state: "problem", message: expect.stringContaining("No way to models.example:80") },
    ]);
    expect(proxy.asked).toEqual(["models.example:80"]);
    expect(await networkCheck.run(contextOf({ environment, ...at("box.lan") }), signal)).toEqual([
      { state: "ok", message: "A proxy is set, and box.lan is reached without it. NO_PROXY: localhost,.lan." },
    ]);
  });

  it("names the password that a proxy asks for", async () => {
    await using proxy = await startProxyServer({ credentials: "ada:secret" });
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
    const config = checkedAs({ model: "far/x", providers: { far: { baseUrl: "http://models.example/v1" } } });
    const [found] = await networkCheck.run(contextOf({ environment, ...config }), signal);
    expect(found?.message).toContain("asks for a user and a password (407)");
  });
});

describe("the check of the model", () => {
  const withKey = "with the key in providers.local.apiKey in the config";
  let server: Server;
  let context: DoctorContext;
  const ask = (model: string) => {
    const providers = {
      local: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: "k" },
    };
    const config = checkedAs({ model, providers });
    context = contextOf({ ...config, model: () => checkModel(model, { providers, environment: {} }, signal) });
    return modelCheck.run(context, signal);
  };

  beforeEach(async () => {
    const date = new Date(clock.now() - 3 * 60 * 60_000).toUTCString();
    server = createServer((_request, response) => {
      response
        .setHeader("date", date)
        .end(JSON.stringify({ data: [{ id: "large-1", max_model_len: 32_768 }, { id: "small-1" }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(() => void server.close());

  it.each([
    ["local/large-1", "ok", `local/large-1 can be asked ${withKey}; it reads 32,768 tokens.`],
    ["local/small-1", "ok", `local/small-1 can be asked ${withKey}; how much it reads is not known.`],
    ["local/larg-1", "problem", "Did you mean local/large-1? Set `model` in the config."],
    ["local/other", "problem", "It has large-1, small-1. Set `model` in the config to one of them."],
  ])("judges %s: %s", async (model, state, words) => {
    const [found] = await ask(model);
    expect(found?.state).toBe(state);
    expect(found?.hint ?? found?.message).toBe(words);
  });

  it("lends its answer's date to the check of the clock", async () => {
    await ask("local/large-1");
    expect(await clockCheck.run(context, signal)).toMatchObject([
      { state: "warning", message: "The clock is 3 h ahead of that of the model's server." },
    ]);
  });
});

describe("the check of the gateway", () => {
  const served: ServedPlatform = {
    platform: "pager",
    health: { state: "up" },
    standby: false,
    takesHandoffs: true,
    home: null,
  };
  const gateway = (parts: Partial<GatewayRow> = {}): GatewayRow => ({
    ...{ id: "gw", startedAt: Date.now() + 60_000, heartbeatAt: clock.now(), configPath: null, platforms: [served] },
    holder: { id: "gw", host: "here", pid: 4711, pidStart: "1", role: "gateway" },
    ...parts,
  });
  const look = (content: Partial<StoreContent>, parts: Partial<DoctorContext> = {}) =>
    gatewayCheck.run(contextOf({ ...checkedAs({ plugins: [installPager(folder, null)] }), ...parts }, content), signal);

  it("finds nothing against one that serves every platform", async () => {
    const found = await look({ alive: [gateway()] });
    expect(found.map(({ state }) => state)).toEqual(["ok", "ok"]);
  });

  it.each<readonly [string, GatewayRow, string, string, string]>([
    [
      "changed config",
      gateway({ configChanged: true }),
      "warning",
      "before the config changed",
      "`hermes gateway restart`",
    ],
    [
      "another config",
      gateway({ configPath: "/x.json" }),
      "warning",
      "another config than this command: /x.json",
      "--config /x.json",
    ],
    [
      "earlier Hermes",
      gateway({ startedAt: 1_000 }),
      "warning",
      "before this Hermes was installed",
      "`hermes gateway restart`",
    ],
    ["platform left out", gateway({ platforms: [] }), "warning", "No gateway serves pager", "`hermes gateway restart`"],
    [
      "platform that is down",
      gateway({ platforms: [{ ...served, health: { state: "down", detail: "the token is refused" } }] }),
      ...(["problem", "pager: down, the token is refused.", "the log in Hermes' home"] as const),
    ],
  ])("names a gateway with one fault: %s", async (_fault, row, state, message, hint) => {
    expect(await look({ alive: [row] })).toContainEqual(
      expect.objectContaining({
        state,
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  it("lets a stopped gateway go on, also before it counts as silent", async () => {
    const probe: ProcessProbe = { fate: () => "alive", isStopped: () => true };
    for (const content of [{ alive: [gateway()] }, { silent: [gateway()] }]) {
      const [found] = await look(content, { probe });
      expect(found).toMatchObject({ state: "problem", hint: "`kill -CONT 4711` resumes it." });
    }
  });

  it("names one that is silent, and one that stands by", async () => {
    const silent = await look({ silent: [gateway({ heartbeatAt: clock.now() - 60_000 })] });
    expect(silent).toMatchObject([{ state: "problem", message: "The gateway (pid 4711) has said nothing for 1 min." }]);
    const standby = await look({ alive: [gateway({ platforms: [{ ...served, standby: true }] })] });
    expect(standby[1]).toEqual({ state: "ok", message: "pager: standing by for another gateway." });
  });
});

describe("isMet", () => {
  it.each([
    ["^0.1.0", "0.1.4", true],
    ["^0.1.0", "0.2.0", false],
    ["^1.2.0", "1.10.0", true],
    ["^1.2.3", "1.2.1", false],
    ["~1.2.0", "1.3.0", false],
    ["1.2.3", "1.2.3", true],
    ["1.2.3", "1.2.4", false],
    [">=1 <3", "9.0.0", true],
  ])("judges %s for %s: %s", (range, version, expected) => {
    expect(isMet(range, version)).toBe(expected);
  });
});

it.each([
  ["/p/node_modules/@hermes/core", "/p/node_modules/x/node_modules/@hermes/core", /`npm dedupe` in \/p\./],
  ["/usr/lib/node_modules/@hermes/core", "/p/node_modules/@hermes/core", /copy of \/p, with `npx hermes`/],
  ["/usr/lib/node_modules/@hermes/core", "/usr/lib/node_modules/x/node_modules/@hermes/core", /`npm uninstall -g`/],
])("the hint for the copies %s and %s is a step that helps there", (own, other, hint) => {
  expect(hintForCopy(own, other)).toMatch(hint);
});
