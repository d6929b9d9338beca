import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createVirtualClock, gate, type VirtualClock } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import { DaemonClient } from "./daemon-client.ts";
import { toPlatformError } from "./errors.ts";

/** What a client makes of a server that answers with `listener`. */
async function against<T>(
  listener: RequestListener,
  look: (client: DaemonClient, clock: VirtualClock) => Promise<T>,
): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const clock = createVirtualClock();
  try {
    return await look(new DaemonClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock), clock);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const never = new AbortController().signal;

async function codeOf(work: Promise<unknown>, options?: { mayBeDone: boolean }): Promise<string> {
  return work.then(
    () => "no error",
    (error: unknown) => {
      const { code, message } = toPlatformError(error, options);
      return `${code}: ${message}`;
    },
  );
}

describe("a server that is no daemon", () => {
  it.each([
    ["a page", "text/html", "<html>Welcome</html>"],
    ["half a document", "application/json", '{"jsonrpc": "2.0", "result": {"times'],
    ["another document", "application/json", "[1, 2]"],
    ["nothing", "application/json", ""],
  ])("a server that is no daemon is recognised by %s", async (_, type, text) => {
    await against(
      (_, response) => void response.writeHead(200, { "content-type": type }).end(text),
      async (client) => {
        expect(await codeOf(client.call("version", {}))).toMatch(
          /^PLATFORM_UNAVAILABLE: .* is no JSON-RPC server; start/,
        );
        expect(await codeOf(client.openEvents(null, never))).toMatch(
          /^PLATFORM_UNAVAILABLE: .* is no stream of events/,
        );
      },
    );
  });
});

describe("what stands before a daemon", () => {
  it.each([
    [429, "PLATFORM_RATE_LIMITED: signal asks Hermes to wait 7 s"],
    [403, "PLATFORM_FORBIDDEN"],
    [421, "PLATFORM_UNAVAILABLE: signal cannot be reached: signal-cli does not know itself by the host name in `url`"],
    [503, "PLATFORM_UNAVAILABLE"],
  ])("tells a proxy that answers %i from the daemon and from Signal", async (status, error) => {
    await against(
      (_, response) => void response.writeHead(status, { "retry-after": "7" }).end("no"),
      async (client) => expect(await codeOf(client.call("send", {}))).toContain(error),
    );
  });
});

it("a message is not said again where a redirect leads", async () => {
  const heard: string[] = [];
  await against(
    (request, response) => {
      heard.push(request.url ?? "");
      response.writeHead(307, { location: "/elsewhere" }).end();
    },
    async (client) => {
      expect(await codeOf(client.call("send", { message: "Private words" }))).toMatch(/PLATFORM_UNAVAILABLE.*307/);
      expect(await codeOf(client.openEvents(null, never))).toMatch(/PLATFORM_UNAVAILABLE.*307/);
    },
  );
  expect(heard).toEqual(["/api/v1/rpc", "/api/v1/events"]);
});

it.each([500, 502, 504])("a send that is answered with %i may have been done", async (status) => {
  await against(
    (_, response) => void response.writeHead(status).end("<html>"),
    async (client) => {
      expect(await codeOf(client.call("send", {}), { mayBeDone: true })).toContain("PLATFORM_UNCERTAIN");
      expect(await codeOf(client.call("listGroups", {}))).toContain("PLATFORM_UNAVAILABLE");
    },
  );
});

describe("an answer that does not come", () => {
  it("a timeout leaves a send uncertain, and another call retryable", async () => {
    const asked = gate();
    await against(
      () => void asked.pass(),
      async (client, clock) => {
        const call = client.call("send", {}, { patienceMs: 60_000 }).catch((error: unknown) => error);
        await asked.reached;
        await clock.advance(60_000);
        const thrown = await call;
        expect(toPlatformError(thrown, { mayBeDone: true }).code).toBe("PLATFORM_UNCERTAIN");
        expect(toPlatformError(thrown).message).toContain("it took too long");
      },
    );
  });

  it("leaves a send uncertain when it breaks off in the middle", async () => {
    await against(
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        response.write('{"jsonrpc": "2.0"', () => response.destroy());
      },
      async (client) =>
        expect(await codeOf(client.call("send", {}), { mayBeDone: true })).toContain("PLATFORM_UNCERTAIN"),
    );
  });
});
