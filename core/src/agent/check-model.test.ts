import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkModel, findLocalServers, hasModel, listModels } from "./check-model.ts";

const KEY = "sk-test-0123456789abcdefghij";
const { signal } = new AbortController();

let server: Server;
let baseUrl: string;
let requests: IncomingMessage[];
let answer: (path: string, response: ServerResponse) => void;

beforeEach(async () => {
  requests = [];
  answer = (_path, response) =>
    void response.end(JSON.stringify({ data: [{ id: "large-1" }, { id: "qwen3:latest" }] }));
  server = createServer((request, response) => {
    requests.push(request);
    answer(request.url ?? "", response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const failWith = (status: number, body: unknown) => {
  answer = (_path, response) => void response.writeHead(status).end(JSON.stringify(body));
};

describe("listModels", () => {
  it.each([
    ["anthropic", { url: "/v1/models?limit=1000", "x-api-key": KEY, "anthropic-version": "2023-06-01" }],
    ["openai", { url: "/v1/models", authorization: `Bearer ${KEY}` }],
    ["acme", { url: "/v1/models", authorization: `Bearer ${KEY}` }],
  ])("the request for a model list uses the protocol of %s", async (provider, { url, ...headers }) => {
    const { models, sentAt } = await listModels(provider, { key: KEY, baseUrl, signal });
    expect(models).toEqual(["large-1", "qwen3:latest"]);
    expect(Math.abs(Date.now() - (sentAt ?? 0))).toBeLessThan(60_000);
    expect(requests[0]?.url).toBe(url);
    expect(requests[0]?.headers).toMatchObject(headers);
  });

  it("an OpenRouter key is checked by a request of its own, since the list is public", async () => {
    answer = (path, response) => void response.writeHead(path === "/v1/key" ? 401 : 200).end("{}");
    const failed = listModels("openrouter", { key: KEY, baseUrl, signal });
    await expect(failed).rejects.toMatchObject({ code: "AGENT_KEY_REFUSED" });
  });

  it("an error names the source of a rejected key, and never contains the key", async () => {
    failWith(401, { error: { message: `Incorrect API key provided: ${KEY}.` } });
    const failed = listModels("openai", { key: KEY, keySource: "OPENAI_API_KEY", baseUrl, signal });
    await expect(failed).rejects.toThrow(
      "openai does not accept the key in OPENAI_API_KEY (HTTP 401: Incorrect API key provided: [redacted]).",
    );
  });

  it.each([
    [429, "it asks to wait, or the account has used up its quota (HTTP 429: no)"],
    [500, "answered HTTP 500: no"],
    [302, "answered HTTP 302: no"],
  ])("the error for HTTP %s says what it means", async (status, words) => {
    failWith(status, { error: { message: "no" } });
    const failed = listModels("openai", { key: KEY, baseUrl, signal });
    await expect(failed).rejects.toMatchObject({
      code: "AGENT_MODELS_UNKNOWN",
      message: expect.stringContaining(words),
    });
  });

  it("a server without a model list is accepted, one that sends no JSON is refused", async () => {
    failWith(404, {});
    expect((await listModels("acme", { key: null, baseUrl, signal })).models).toBeNull();
    failWith(200, "<html>");
    const failed = listModels("acme", { key: null, baseUrl, signal });
    await expect(failed).rejects.toThrow("is no list of models");
  });

  it("the error names an address at which nothing listens", async () => {
    server.close();
    const failed = listModels("ollama", { key: null, baseUrl, signal });
    await expect(failed).rejects.toThrow(`nobody listens at ${new URL(baseUrl).origin}`);
  });

  it("listing models ends with the signal when the server does not answer", async () => {
    answer = () => {};
    const controller = new AbortController();
    const failed = listModels("acme", { key: null, baseUrl, signal: controller.signal });
    controller.abort(new Error("the time is up"));
    await expect(failed).rejects.toThrow("the time is up");
  });
});

describe("hasModel", () => {
  it.each([
    ["ollama", "large-1", true],
    ["ollama", "qwen3", true],
    ["ollama", "llama3", false],
  ])("hasModel tells whether %s has %s", async (provider, model, expected) => {
    const models = ["large-1", "qwen3:latest"];
    expect(await hasModel(provider, model, models, { key: null, baseUrl, signal })).toBe(expected);
  });

  it("an alias that Anthropic's list leaves out is looked up by a request of its own", async () => {
    answer = (path, response) => void response.writeHead(path === "/v1/models/large" ? 200 : 404).end("{}");
    const request = { key: KEY, baseUrl, signal };
    expect(await hasModel("anthropic", "large", ["large-1"], request)).toBe(true);
    expect(await hasModel("anthropic", "small", ["large-1"], request)).toBe(false);
  });
});

describe("checkModel", () => {
  it("a provider of the config gets its own key, even under a built-in name", async () => {
    const settings = { providers: { anthropic: { baseUrl, apiKey: KEY } }, environment: {} };
    const checked = await checkModel("anthropic/large-1", settings, signal);
    expect(checked).toMatchObject({ isThere: true, access: { keySource: "providers.anthropic.apiKey in the config" } });
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it("a missing key throws before any request is sent", async () => {
    const failed = checkModel("openai/large-1", { providers: {}, environment: { OPENAI_BASE_URL: baseUrl } }, signal);
    await expect(failed).rejects.toMatchObject({ code: "AGENT_KEY_MISSING" });
    expect(requests).toEqual([]);
  });
});

describe("findLocalServers", () => {
  it("findLocalServers returns the servers that run, with their models", async () => {
    const addresses = new Map([
      ["ollama", baseUrl],
      ["lmstudio", "http://127.0.0.1:1/v1"],
    ]);
    expect(await findLocalServers(signal, addresses)).toEqual([
      { provider: "ollama", baseUrl, models: ["large-1", "qwen3:latest"] },
    ]);
  });
});
