import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { HttpClient, type HttpClientOptions } from "./http-client.ts";
import { platformErrors } from "./platform-errors.ts";

const { forbidden } = platformErrors("pager");
const TOKEN = "a-secret-token";
const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${TOKEN}/`;
}

const client = (url: string, more: Partial<HttpClientOptions> = {}) =>
  new HttpClient({ platform: "pager", url, headers: { authorization: `Bearer ${TOKEN}` }, ...more });

const send = { method: "POST", path: "messages", json: { text: "Hi" }, mayBeDone: true } as const;

describe("the HTTP client", () => {
  it("sends the token in a header and JSON in the body, and returns the answer's JSON", async () => {
    const seen: unknown[] = [];
    const url = await answering(async (request, response) => {
      const body = await request.toArray();
      seen.push([request.method, request.url, request.headers.authorization, Buffer.concat(body).toString()]);
      response.end('{"id":7}');
    });
    expect(await client(url).call(send)).toEqual({ id: 7 });
    expect(seen).toEqual([["POST", `/${TOKEN}/messages`, `Bearer ${TOKEN}`, '{"text":"Hi"}']]);
  });

  it("an answer without a body is none, and no fault", async () => {
    const url = await answering((_, response) => response.writeHead(204).end());
    expect(await client(url).call({ path: "read" })).toBeNull();
  });

  it.each<[status: number, code: string, codeOfSend: string]>([
    [302, "PLATFORM_UNAVAILABLE", "PLATFORM_UNCERTAIN"],
    [400, "PLATFORM_REJECTED", "PLATFORM_REJECTED"],
    [401, "PLATFORM_UNAUTHORISED", "PLATFORM_UNAUTHORISED"],
    [403, "PLATFORM_FORBIDDEN", "PLATFORM_FORBIDDEN"],
    [404, "PLATFORM_NOT_FOUND", "PLATFORM_NOT_FOUND"],
    [429, "PLATFORM_RATE_LIMITED", "PLATFORM_RATE_LIMITED"],
    [500, "PLATFORM_UNAVAILABLE", "PLATFORM_UNCERTAIN"],
    [502, "PLATFORM_UNAVAILABLE", "PLATFORM_UNCERTAIN"],
    [503, "PLATFORM_UNAVAILABLE", "PLATFORM_UNAVAILABLE"],
    [504, "PLATFORM_UNAVAILABLE", "PLATFORM_UNCERTAIN"],
    [408, "PLATFORM_UNAVAILABLE", "PLATFORM_UNAVAILABLE"],
  ])("a status of %i is %s, and %s of a call that may be done", async (status, code, codeOfSend) => {
    const url = await answering((_, response) => response.writeHead(status, { location: "/elsewhere" }).end("{}"));
    await expect(client(url).call({ path: "me" })).rejects.toMatchObject({ code });
    await expect(client(url).call(send)).rejects.toMatchObject({ code: codeOfSend });
  });

  it("an adapter may name the statuses by which nothing was sent", async () => {
    const url = await answering(({ url: path }, response) =>
      response.writeHead(path?.endsWith("/503") ? 503 : 502).end(),
    );
    const api = client(url, { notDone: [502] });
    const sent = (path: string) => api.call({ method: "POST", path, mayBeDone: true });
    await expect(sent("502")).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    await expect(sent("503")).rejects.toMatchObject({ code: "PLATFORM_UNCERTAIN" });
  });

  it("a page instead of JSON leaves open whether it was sent", async () => {
    const url = await answering((_, response) => response.end("<html>"));
    await expect(client(url).call({ path: "me" })).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
    await expect(client(url).call(send)).rejects.toMatchObject({ code: "PLATFORM_UNCERTAIN" });
  });

  it.each<[said: string | null, waitMs: (wait: number | null) => boolean]>([
    ["7", (wait) => wait === 7_000],
    ["0.5", (wait) => wait === 500],
    [new Date(Date.now() + 60_000).toUTCString(), (wait) => wait !== null && wait > 50_000 && wait <= 60_000],
    ["soon", (wait) => wait === null],
    [null, (wait) => wait === null],
  ])("a wait of %s is taken over", async (said, isRight) => {
    const url = await answering((_, response) => {
      response.writeHead(429, said === null ? {} : { "retry-after": said }).end("{}");
    });
    const thrown = await client(url)
      .call(send)
      .catch((error: { retryAfterMs: number | null }) => error.retryAfterMs);
    expect(isRight(thrown as number | null)).toBe(true);
  });

  it("the platform's own word goes before the status, where it says something", async () => {
    const url = await answering((_, response) => response.writeHead(400).end('{"code":"MUTED"}'));
    const refusal = ({ body }: { readonly body: unknown }) =>
      Object(body).code === "MUTED" ? forbidden("the bot is muted", "Unmute it.") : null;
    await expect(client(url, { refusal }).call(send)).rejects.toThrow("the bot is muted");
    await expect(client(url, { refusal: () => null }).call(send)).rejects.toMatchObject({ code: "PLATFORM_REJECTED" });
  });

  it("nothing that was never sent is uncertain, and a lost answer is", async () => {
    const gone = await answering(() => {});
    servers.splice(0).map((server) => server.close());
    await expect(client(gone).call(send)).rejects.toThrow("the connection failed (ECONNREFUSED)");
    const url = await answering((request) => request.socket.destroy());
    await expect(client(url).call(send)).rejects.toMatchObject({ code: "PLATFORM_UNCERTAIN" });
    await expect(client(url).call({ path: "me" })).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE" });
  });

  it("a call ends at its deadline and with its signal", async () => {
    const url = await answering(() => {});
    await expect(client(url).call({ ...send, withinMs: 50 })).rejects.toThrow("the answer was lost (it took too long)");
    const signal = AbortSignal.abort(new Error(TOKEN));
    await expect(client(url).call({ path: "me", signal })).rejects.toThrow("the connection failed (it took too long)");
  });

  it("an answer that is too long to be read is an error that says so", async () => {
    const long = gzipSync(Buffer.alloc(65 * 1024 * 1024));
    const url = await answering((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(long));
    const reason = "(the answer is longer than 64 MiB)";
    await expect(client(url).call({ path: "me" })).rejects.toThrow(`the connection failed ${reason}`);
    const form = new URLSearchParams({ a: "b" });
    await expect(client(url).call({ ...send, json: undefined, body: form })).rejects.toThrow(
      `the answer was lost ${reason}`,
    );
  });

  it("no error holds the token, in the address or a header", async () => {
    const url = await answering((request, response) => {
      if (request.url?.endsWith("cut")) request.socket.destroy();
      else response.writeHead(500).end("<html>");
    });
    for (const path of ["cut", "broken"]) {
      const thrown: Error = await client(url)
        .call({ path })
        .then(() => new Error("it was answered"))
        .catch((error) => error);
      expect(JSON.stringify([String(thrown), thrown.cause, { ...thrown }])).not.toContain(TOKEN);
    }
    await expect(client(`not an address ${TOKEN}`).call(send)).rejects.not.toThrow(TOKEN);
  });

  it("no redirect takes the token along", async () => {
    let asked = 0;
    const other = await answering((_, response) => {
      asked++;
      response.end("{}");
    });
    const url = await answering((_, response) => response.writeHead(307, { location: other }).end());
    await expect(client(url).call(send)).rejects.toThrow("redirects elsewhere (307)");
    expect(asked).toBe(0);
  });
});
