import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createFailureScript } from "./failure-script.ts";
import { answerJson, type LoopbackServer, listenOnLoopback } from "./loopback-server.ts";
import { readBody } from "./request-body.ts";
import { createRequestLog } from "./request-log.ts";

const servers: LoopbackServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(answer: Parameters<typeof listenOnLoopback>[0], options = {}): Promise<LoopbackServer> {
  const server = await listenOnLoopback(answer, options);
  servers.push(server);
  return server;
}

describe("scripted failures", () => {
  it("scripted failures hit only the named call, in order and `times` times", () => {
    const script = createFailureScript();
    script.fail({ operation: "send", times: 2, kind: { is: "break" } });
    script.fail({ operation: "send", kind: { is: "rate-limit", retryAfterMs: 5 } });
    expect(script.take("edit")).toBeNull();
    expect([1, 2, 3, 4].map(() => script.take("send")?.is)).toEqual(["break", "break", "rate-limit", undefined]);
  });

  it("a scripted failure also matches the platform's own method name", () => {
    const script = createFailureScript();
    script.fail({ operation: "postMessage", kind: { is: "hang" } });
    expect(script.take("send", "postMessage")).toEqual({ is: "hang" });
  });

  it("a scripted disconnect cuts the client's connections at once", () => {
    let cuts = 0;
    const script = createFailureScript({ disconnect: () => cuts++ });
    script.fail({ operation: "connect", kind: { is: "disconnect" } });
    expect(cuts).toBe(1);
    expect(script.take("connect")).toBeNull();
  });

  it("heal removes scripted failures and releases calls that hang", async () => {
    const script = createFailureScript();
    script.fail({ operation: "connect", times: 99, kind: { is: "hang" } });
    const waiting = script.untilHealed();
    script.heal();
    await waiting;
    expect(script.take("connect")).toBeNull();
  });
});

describe("the log of requests", () => {
  it("the request log contains no token, wherever it was in a request", () => {
    const log = createRequestLog({ secrets: ["1234-very-secret"] });
    log.add("/bot1234-very-secret/send", { text: "say 1234-very-secret", headers: { authorization: "x" } }, 200);
    expect(JSON.stringify(log.entries)).not.toContain("very-secret");
    expect(log.entries[0]).toMatchObject({ status: 200, body: { headers: { authorization: "[redacted]" } } });
  });
});

describe("a request's body", () => {
  it.each([
    ["JSON", JSON.stringify({ a: "1 ü" }), "application/json"],
    ["a form", new URLSearchParams({ a: "1 ü" }), undefined],
  ])("readBody parses a body that is %s", async (_, body, type) => {
    const { url } = await serve(async (request, response) =>
      answerJson(response, 200, (await readBody(request)).value),
    );
    const headers = type === undefined ? undefined : { "content-type": type };
    const response = await fetch(url, { method: "POST", body, ...(headers && { headers }) });
    expect(await response.json()).toEqual({ a: "1 ü" });
  });

  it("readBody parses a multipart form with its files", async () => {
    const { url } = await serve(async (request, response) => {
      const { value, files } = await readBody(request);
      answerJson(response, 200, { value, files: files.map((file) => ({ ...file, content: String(file.content) })) });
    });
    const body = new FormData();
    body.set("caption", "here");
    body.set("document", new Blob(["x = 1"], { type: "text/plain" }), "a.txt");
    expect(await (await fetch(url, { method: "POST", body })).json()).toEqual({
      value: { caption: "here" },
      files: [{ field: "document", name: "a.txt", mediaType: "text/plain", content: "x = 1" }],
    });
  });

  it("readBody refuses a body that is too long or does not match its type", async () => {
    const { url } = await serve(async (request, response) => {
      await readBody(request, { maxBytes: 10 });
      answerJson(response, 200, {});
    });
    const post = (body: string) =>
      fetch(url, { method: "POST", body, headers: { "content-type": "application/json" } });
    expect((await post("x".repeat(11))).status).toBe(413);
    expect((await post("{")).status).toBe(400);
  });
});

describe("the server of an emulator", () => {
  it("the server listens only on this machine", async () => {
    const { server } = await serve((_, response) => answerJson(response, 200, {}));
    expect(server.address()).toMatchObject({ address: "127.0.0.1" });
  });

  it("the server's `handle` option can take a request first", async () => {
    const { url } = await serve((_, response) => answerJson(response, 200, "own"), {
      handle: (request: { url?: string }, response: Parameters<typeof answerJson>[0]) => {
        if (request.url !== "/first") return false;
        answerJson(response, 200, "first");
        return true;
      },
    });
    expect(await (await fetch(`${url}/first`)).json()).toBe("first");
    expect(await (await fetch(`${url}/other`)).json()).toBe("own");
  });

  it("the server cuts connections and accepts new ones, and closes with idle ones open", async () => {
    const http = await serve((_, response) => answerJson(response, 200, {}));
    const cut = connect(http.port, "127.0.0.1");
    await new Promise((resolve) => http.server.once("connection", resolve));
    const isCut = new Promise((resolve) => cut.once("close", resolve));
    http.disconnect();
    await isCut;
    await (await fetch(http.url)).json();
    await http.close();
    await http.close();
    await expect(fetch(http.url)).rejects.toThrow();
  });
});
