import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkModel, findLocalServers } from "./check-model.ts";
import { hasModel, listModels } from "./list-models.ts";
import { readListed } from "./listed-model.ts";
import type { ProviderAccess } from "./provider-access.ts";

const KEY = "sk-test-0123456789abcdefghij";
const { signal } = new AbortController();

/** A server of a provider, as its protocol has it. */
function serverOf(provider: string, more: Partial<ProviderAccess> = {}): ProviderAccess {
  const protocol = provider === "anthropic" || provider === "google" ? provider : "compatible";
  return { provider, protocol, baseUrl, apiKey: KEY, keySource: null, ...more };
}

const idsOf = (models: readonly { readonly id: string }[] | null) => models?.map(({ id }) => id);

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
    const { models, sentAt } = await listModels(serverOf(provider), signal);
    expect(idsOf(models)).toEqual(["large-1", "qwen3:latest"]);
    expect(Math.abs(Date.now() - (sentAt ?? 0))).toBeLessThan(60_000);
    expect(requests[0]?.url).toBe(url);
    expect(requests[0]?.headers).toMatchObject(headers);
  });

  it("an OpenRouter key is checked by a request of its own, since the list is public", async () => {
    answer = (path, response) => void response.writeHead(path === "/v1/key" ? 401 : 200).end("{}");
    const failed = listModels(serverOf("openrouter"), signal);
    await expect(failed).rejects.toMatchObject({ code: "AGENT_KEY_REFUSED" });
  });

  it("an error names the source of a rejected key, and never contains the key", async () => {
    failWith(401, { error: { message: `Incorrect API key provided: ${KEY}.` } });
    const failed = listModels(serverOf("openai", { keySource: "OPENAI_API_KEY" }), signal);
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
    const failed = listModels(serverOf("openai"), signal);
    await expect(failed).rejects.toMatchObject({
      code: "AGENT_MODELS_UNKNOWN",
      message: expect.stringContaining(words),
    });
  });

  it("a server without a model list is accepted, one that sends no JSON is refused", async () => {
    failWith(404, {});
    expect((await listModels(serverOf("acme", { apiKey: null }), signal)).models).toBeNull();
    failWith(200, "<html>");
    const failed = listModels(serverOf("acme", { apiKey: null }), signal);
    await expect(failed).rejects.toThrow("is no list of models");
  });

  it("the error names an address at which nothing listens", async () => {
    server.close();
    const failed = listModels(serverOf("ollama", { apiKey: null }), signal);
    await expect(failed).rejects.toThrow(`nobody listens at ${new URL(baseUrl).origin}`);
  });

  it("listing models ends with the signal when the server does not answer", async () => {
    answer = () => {};
    const controller = new AbortController();
    const failed = listModels(serverOf("acme", { apiKey: null }), controller.signal);
    controller.abort(new Error("the time is up"));
    await expect(failed).rejects.toThrow("the time is up");
  });
});

/** Answers each path with its JSON. */
const answerWith = (pages: Readonly<Record<string, unknown>>) => {
  answer = (path, response) => void response.end(JSON.stringify(pages[path] ?? { data: [] }));
};

describe("a list of models", () => {
  it("a list that Anthropic sends page by page is read to its end", async () => {
    answerWith({
      "/v1/models?limit=1000": { data: [{ id: "large-1" }], has_more: true, last_id: "large-1" },
      "/v1/models?limit=1000&after_id=large-1": {
        ...{ has_more: false, last_id: "small-1" },
        data: [
          {
            ...{ id: "small-1", max_input_tokens: 200_000, max_tokens: 64_000 },
            capabilities: { image_input: { supported: true }, pdf_input: { supported: false } },
          },
        ],
      },
    });
    const { models } = await listModels(serverOf("anthropic"), signal);
    expect(models).toEqual([
      { id: "large-1", talks: true, facts: {} },
      { id: "small-1", talks: true, facts: { window: 200_000, maxOutput: 64_000, images: true, pdf: false } },
    ]);
  });

  it("a list that Google sends page by page is read to its end", async () => {
    answerWith({
      "/v1/models?pageSize=1000": {
        nextPageToken: "a/b",
        models: [{ name: "models/embed-1", supportedGenerationMethods: ["embedContent"] }],
      },
      "/v1/models?pageSize=1000&pageToken=a%2Fb": {
        models: [
          {
            ...{ name: "models/gemini-9", inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 },
            supportedGenerationMethods: ["generateContent"],
          },
        ],
      },
    });
    const { models } = await listModels(serverOf("google"), signal);
    expect(models).toEqual([
      { id: "embed-1", talks: false, facts: {} },
      { id: "gemini-9", talks: true, facts: { window: 1_048_576, maxOutput: 65_536 } },
    ]);
    expect(requests[0]?.headers).toMatchObject({ "x-goog-api-key": KEY });
  });

  it("tells window, prices and pictures where OpenRouter does", async () => {
    answerWith({
      "/v1/models": {
        data: [
          {
            ...{ id: "acme/large", context_length: 400_000, top_provider: { max_completion_tokens: 32_000 } },
            architecture: { input_modalities: ["text", "image", "file"] },
            pricing: { prompt: "0.00000125", completion: "0.00001", input_cache_read: "0.000000125" },
          },
          { id: "openrouter/auto", pricing: { prompt: "-1", completion: "-1" } },
        ],
      },
    });
    const { models } = await listModels(serverOf("openrouter"), signal);
    expect(models?.map(({ facts }) => facts)).toEqual([
      {
        ...{ window: 400_000, maxOutput: 32_000, images: true, pdf: true },
        prices: { input: 1.25, output: 10, cacheRead: 0.125 },
      },
      {},
    ]);
  });

  it("a list that is no object is read, and one that never ends is left", async () => {
    answer = (_path, response) => void response.end(JSON.stringify([{ id: "m" }, { id: 7 }, null, "m"]));
    expect(idsOf((await listModels(serverOf("together"), signal)).models)).toEqual(["m"]);
    answer = (_path, response) => void response.end('{"data":[{"id":"m"}],"has_more":true,"last_id":"m"}');
    expect((await listModels(serverOf("anthropic"), signal)).models).toHaveLength(20);
  });

  it("a list of Google is refused for a key that it answers with HTTP 400", async () => {
    failWith(400, { error: { code: 400, message: "API key not valid. Please pass a valid API key." } });
    const failed = listModels(serverOf("google", { keySource: "GEMINI_API_KEY" }), signal);
    await expect(failed).rejects.toThrow("google does not accept the key in GEMINI_API_KEY (HTTP 400: API key not");
  });
});

describe("hasModel", () => {
  it.each([
    ["ollama", "large-1", true],
    ["ollama", "qwen3", true],
    ["ollama", "llama3", false],
  ])("hasModel tells whether %s has %s", async (provider, model, expected) => {
    const models = ["large-1", "qwen3:latest"].flatMap((id) => readListed({ id }) ?? []);
    expect(await hasModel(serverOf(provider), model, models, signal)).toBe(expected);
  });

  it("an alias that Anthropic's list leaves out is looked up by a request of its own", async () => {
    answer = (path, response) => void response.writeHead(path === "/v1/models/large" ? 200 : 404).end("{}");
    const access = serverOf("anthropic");
    expect(await hasModel(access, "large", [], signal)).toBe(true);
    expect(await hasModel(access, "small", [], signal)).toBe(false);
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
    const found = await findLocalServers(signal, addresses);
    expect(found.map(({ provider, models }) => [provider, idsOf(models)])).toEqual([
      ["ollama", ["large-1", "qwen3:latest"]],
    ]);
  });
});
