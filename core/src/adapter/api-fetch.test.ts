import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { apiFetch } from "./api-fetch.ts";

const servers: Server[] = [];

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<string> {
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const answering = async (listener: RequestListener) => `http://${await listening(createServer(listener))}`;

describe("a call of an API", () => {
  it("sends what fetch sends and returns what it returns", async () => {
    const seen: unknown[] = [];
    const url = await answering(async (request, response) => {
      const { authorization, accept, "user-agent": agent, "content-length": length } = request.headers;
      const body = Buffer.concat(await request.toArray()).toString();
      seen.push({ method: request.method, url: request.url, authorization, accept, agent, length, body });
      response.writeHead(201, "Made", { "x-one": ["a", "b"] }).end('{"text":"ü"}');
    });
    const init = { method: "PUT", headers: new Headers({ authorization: "Bearer t" }), body: "hé" };
    for (const call of [fetch, apiFetch]) {
      const { status, statusText, ok, headers, ...response } = await call(`${url}/a b?c=ü`, init).then(
        async (answer) => ({
          ...{ status: answer.status, statusText: answer.statusText, ok: answer.ok, headers: answer.headers },
          body: await answer.json(),
        }),
      );
      expect({ status, statusText, ok, one: headers.get("x-one"), ...response }).toEqual({
        ...{ status: 201, statusText: "Made", ok: true, one: "a, b", body: { text: "ü" } },
      });
    }
    expect(seen[1]).toEqual(seen[0]);
  });

  it("returns an empty answer and one that says no as they are", async () => {
    const url = await answering((request, response) => response.writeHead(request.url === "/no" ? 500 : 204).end());
    expect(await (await apiFetch(url)).text()).toBe("");
    expect((await apiFetch(`${url}/no`)).status).toBe(500);
  });

  it("unzips an answer", async () => {
    const url = await answering((request, response) => {
      expect(request.headers["accept-encoding"]).toContain("gzip");
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("a long answer"));
    });
    expect(await (await apiFetch(url)).text()).toBe("a long answer");
  });

  it("follows no redirect, whatever is sent", async () => {
    let asked = 0;
    const url = await answering((_, response) => {
      asked += 1;
      response.writeHead(307, { location: "/there" }).end();
    });
    for (const body of ["x", new URLSearchParams({ a: "b" })]) {
      expect((await apiFetch(url, { method: "POST", body })).status).toBe(307);
    }
    expect(asked).toBe(2);
  });

  it("sends a form as fetch does", async () => {
    const url = await answering(async (request, response) => {
      response.end(Buffer.concat(await request.toArray()));
    });
    expect(await (await apiFetch(url, { method: "POST", body: new URLSearchParams({ a: "b" }) })).text()).toBe("a=b");
  });

  it("fails with the signal's reason, before the call and while it lasts", async () => {
    const calling = new AbortController();
    const url = await answering((_, response) => {
      response.write("half");
      calling.abort(new Error("enough"));
    });
    await expect(apiFetch(url, { signal: calling.signal })).rejects.toThrow("enough");
    await expect(apiFetch(url, { signal: calling.signal })).rejects.toThrow("enough");
  });

  it("names the code of a connection that is refused", async () => {
    const server = createTcpServer();
    const url = `http://${await listening(server)}`;
    server.close();
    await expect(apiFetch(url)).rejects.toMatchObject({ name: "TypeError", cause: { code: "ECONNREFUSED" } });
  });

  it("fails where the answer breaks off", async () => {
    const url = await answering((_, response) => {
      response.writeHead(200, { "content-length": "9" }).write("half", () => response.destroy());
    });
    await expect(apiFetch(url)).rejects.toMatchObject({ name: "TypeError", cause: { code: "ECONNRESET" } });
  });

  it("fails where another protocol is answered", async () => {
    const server = createTcpServer((socket) => {
      socket.once("data", () =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      );
    });
    await expect(apiFetch(`http://${await listening(server)}`)).rejects.toThrow("fetch failed");
  });

  it("an empty answer that claims to be compressed is read as empty", async () => {
    const url = await answering((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end());
    expect(await (await apiFetch(url)).text()).toBe("");
  });

  const [most, more] = [64, 65].map((mebibytes) => Buffer.alloc(mebibytes * 1024 * 1024)) as [Buffer, Buffer];
  it.each([
    ["plain", most, more, {}, undefined],
    ["compressed", gzipSync(most), gzipSync(more), { "content-encoding": "gzip" }, undefined],
    ["to a form", most, more, {}, new URLSearchParams({ a: "b" })],
  ])("an answer of more than 64 MiB is not read to its end, %s", async (_, whole, long, headers, form) => {
    const url = await answering((request, response) => {
      response.writeHead(200, headers).end(request.url === "/long" ? long : whole);
    });
    const init = form && { method: "POST", body: form };
    expect((await (await apiFetch(url, init)).arrayBuffer()).byteLength).toBe(most.length);
    await expect(apiFetch(`${url}/long`, init)).rejects.toMatchObject({
      name: "TypeError",
      cause: { message: "the answer is longer than 64 MiB" },
    });
  });

  it("fails where no connection is made within ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const server = createTcpServer((socket) => socket.once("data", () => vi.advanceTimersByTime(10_000)));
    const failed = await apiFetch(`https://${await listening(server)}`).catch((error: unknown) => error);
    expect(failed).toMatchObject({ cause: { code: "UND_ERR_CONNECT_TIMEOUT" } });
  });

  it("a call reuses the last connection, unless that was idle for four seconds", async () => {
    const waits: { readonly socket: Socket; readonly ms: number }[] = [];
    const { setTimeout: wait } = Socket.prototype;
    vi.spyOn(Socket.prototype, "setTimeout").mockImplementation(function (this: Socket, ms, ...then) {
      waits.push({ socket: this, ms });
      return wait.call(this, ms, ...then);
    });
    const connections = new Set<Socket>();
    const url = await answering(({ socket }, response) => {
      connections.add(socket);
      response.end();
    });
    const call = () => apiFetch(url).then(() => new Promise(setImmediate));
    await call();
    await call();
    expect(connections.size).toBe(1);
    const [connection] = connections;
    const last = waits.findLast(({ socket }) => socket.localPort === connection?.remotePort);
    expect(last?.ms).toBe(4_000);
    // As Node says when that time is over.
    last?.socket.emit("timeout");
    await once(last?.socket ?? new Socket(), "close");
    await call();
    expect(connections.size).toBe(2);
  });
});
