import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

const KEY = "sk-test-0123456789abcdefghij";
const MODELS = [
  { id: "embed-1" },
  { id: "small-1" },
  {
    ...{ id: "large-1", context_length: 32_768, architecture: { input_modalities: ["text", "image"] } },
    pricing: { prompt: "0.000001", completion: "0.000002" },
  },
];

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel(["Hello."], { clock, name: "acme/large-1" }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let server: Server;
beforeEach(async () => {
  bench = await openBench();
  server = createServer(({ headers }, response) => {
    const isKnown = headers.authorization === `Bearer ${KEY}`;
    response.writeHead(isKnown ? 200 : 401);
    response.end(JSON.stringify(isKnown ? { data: MODELS } : { error: { message: `no ${headers.authorization}` } }));
  });
  const baseUrl = await urlOf(server);
  const stopped = createServer();
  const gone = await urlOf(stopped);
  stopped.close();
  const providers = {
    acme: { baseUrl, apiKey: KEY },
    wrong: { baseUrl, apiKey: "sk-wrong-0123456789abcdefghij" },
    gone: { baseUrl: gone },
  };
  const known = { "acme/small-1": { window: 8_192 } };
  const config = { model: "acme/large-1", models: { known }, providers };
  writeFileSync(join(bench.home, "hermes.config.json"), JSON.stringify(config));
});
afterEach(async () => {
  server.close();
  await bench[Symbol.asyncDispose]();
});

test("`hermes models` lists what each provider offers, and why one does not answer", async () => {
  const { stdout, code } = await bench.hermes("models");
  expect(code).toBe(0);
  const text = stdout.replaceAll(/ +/g, " ");
  expect(text).toMatch(
    /acme\/large-1 \(in use\) │ 32,768 │ \$1 in, \$2 out │ yes\b[\s\S]*acme\/small-1 │ 8,192 │ unknown/,
  );
  expect(text).toContain("wrong does not accept the key in providers.wrong.apiKey in the config (HTTP 401");
  expect(text).toContain("gone did not list its models: nobody listens at http://127.0.0.1:");
  expect(text).not.toMatch(/embed-1|sk-wrong|ollama/);
});

test("`hermes models` of one provider shows the models whose name has a text", async () => {
  const { stdout, code } = await bench.hermes("models", "acme", "small");
  expect([stdout.includes("acme/small-1"), stdout.includes("acme/large-1"), code]).toEqual([true, false, 0]);
  expect((await bench.hermes("models", "gone")).code).toBe(1);
  expect((await bench.hermes("models", "nothing-like-it")).stdout).toContain("It has none with “nothing-like-it”");
});

test("`hermes models --json` prints one document with all that is known", async () => {
  const document = (await bench.hermes("models", "--json")).json();
  expect(document).toMatchObject({ inUse: "acme/large-1", providers: expect.any(Array) });
  const [acme, wrong] = document.providers;
  expect(acme.models[0]).toEqual({
    ...{ model: "acme/large-1", inUse: true, window: 32_768, maxOutput: null, images: true, pdf: null },
    ...{ prices: { input: 1, output: 2 }, dated: null },
  });
  expect(wrong).toMatchObject({ provider: "wrong", error: { code: "AGENT_KEY_REFUSED" }, models: [] });
  expect(JSON.stringify(document)).not.toContain("sk-");
});

test("`hermes chat --model` gives a session its model, if the provider has it", async () => {
  const asked = await bench.hermes("chat", "-q", "Hi", "--model", "acme/small-1", "--json");
  expect(await bench.host.store.sessions.get(asked.json().sessionId)).toMatchObject({ model: "acme/small-1" });
  const { code, stderr } = await bench.hermes("chat", "-q", "Hi", "--model", "acme/smal-1");
  expect([code, stderr]).toEqual([1, expect.stringContaining("acme has no model smal-1 (did you mean acme/small-1?)")]);
});

test("`hermes chat --model` says that a provider could not be asked, and goes on", async () => {
  const { code, stderr } = await bench.hermes("chat", "-q", "Hi", "--model", "gone/any");
  expect([code, stderr]).toEqual([0, expect.stringContaining("Could not check whether gone/any exists")]);
});
