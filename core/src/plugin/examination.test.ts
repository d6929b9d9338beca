import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { platformErrors } from "../adapter/platform-errors.ts";
import { useProxy } from "../base/proxy/use-proxy.ts";
import { askApi, Findings } from "./examination.ts";

async function answering(listener: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-secret`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const signal = AbortSignal.timeout(60_000);

describe("findings", () => {
  it("stand in the order of importance", () => {
    const found = new Findings();
    found.ok("One.");
    found.warning("Two.", "Do.");
    found.problem("Three.", "Do.");
    expect(found.toExamination().findings.map(({ state }) => state)).toEqual(["problem", "warning", "ok"]);
  });

  it("hold the platform's error that ended a part, with a hint for a person who waits", async () => {
    const { unavailable, rateLimited, forbidden } = platformErrors("acme");
    const found = new Findings();
    for (const error of [unavailable("it is away"), rateLimited(3_000), forbidden("it is locked", "Unlock it.")]) {
      await found.during(() => Promise.reject(error));
    }
    expect(found.toExamination()).toEqual({
      account: null,
      findings: [
        { state: "problem", message: "acme cannot be reached: it is away.", hint: expect.stringMatching(/network/) },
        { state: "problem", message: "acme asks Hermes to wait 3 s.", hint: "Wait that long, then check again." },
        { state: "problem", message: "acme does not permit it: it is locked.", hint: "Unlock it." },
      ],
    });
  });

  it("let other errors through", async () => {
    const found = new Findings();
    await expect(found.during(() => Promise.reject(new TypeError("a bug")))).rejects.toThrow("a bug");
  });
});

describe("a call of an API", () => {
  it("resolves with the status and the JSON of a refusal too", async () => {
    await using server = await answering((_, response) => response.writeHead(401).end('{"error":"no"}'));
    expect(await askApi("acme", server.url, { signal })).toMatchObject({ status: 401, body: { error: "no" } });
  });

  it.each<[string, RequestListener, RegExp]>([
    ["a page", (_, response) => response.end("<html>"), /what answered \(200\) is not its API/],
    ["a broken server", (_, response) => response.writeHead(502).end("{}"), /its server answered 502/],
    ["a connection that is cut", (request) => request.socket.destroy(), /the connection failed \(ECONNRESET\)/],
  ])("names %s without the address", async (_, listener, reason) => {
    await using server = await answering(listener);
    const thrown = await askApi("acme", server.url, { signal }).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: "PLATFORM_UNAVAILABLE", message: expect.stringMatching(reason) });
    expect(String(thrown)).not.toContain("a-secret");
  });

  it("names a proxy that cannot be reached", async () => {
    const undo = useProxy({ HTTPS_PROXY: "http://127.0.0.1:1" });
    try {
      const asked = askApi("acme", "https://api.example/", { signal });
      await expect(asked).rejects.toThrow("acme cannot be reached: the proxy 127.0.0.1:1 cannot be reached");
    } finally {
      await undo();
    }
  });

  it("follows no redirect to another host", async () => {
    let taken = 0;
    await using other = await answering((_, response) => {
      taken++;
      response.end("{}");
    });
    await using server = await answering((_, response) => response.writeHead(307, { location: other.url }).end());
    const asked = askApi("acme", server.url, { method: "POST", body: "a password", signal });
    await expect(asked).rejects.toThrow(/redirects elsewhere \(307\)/);
    expect(taken).toBe(0);
  });

  it("ends with its signal, whatever the reason of that", async () => {
    const ended = new AbortController();
    await using server = await answering(() => ended.abort(new Error("enough")));
    await expect(askApi("acme", server.url, { signal: ended.signal })).rejects.toThrow(/took too long/);
  });
});
