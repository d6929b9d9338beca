import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding } from "@hermes/core";
import { setupContext } from "@hermes/testing";
import { afterEach, describe, expect, it } from "vitest";
import { startWeb } from "../test/running-web.ts";
import { webOptions } from "./config.ts";
import { setup } from "./setup.ts";

const undo: (() => void)[] = [];
afterEach(() => {
  for (const one of undo.splice(0)) one();
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hermes-web-"));
  undo.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function findingsOf(config: object, folder = emptyFolder()): Promise<readonly Finding[]> {
  const { findings } = await setup.examine(webOptions.parse(config), setupContext({ folder }));
  return findings;
}

const messagesOf = (findings: readonly Finding[]) => findings.map(({ state, message }) => `${state}: ${message}`);

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("the set-up of the page", () => {
  it("asks for nothing and needs no home channel", () => {
    expect(setup.ways).toEqual([{ name: "page", title: "a page on this machine", questions: [], needsHome: false }]);
  });

  it("finds the port free before the first gateway, and makes no file", async () => {
    const port = await freePort();
    const folder = emptyFolder();
    expect(await findingsOf({ port }, folder)).toEqual([
      { state: "ok", message: `Port ${port} on 127.0.0.1 is free for the page.` },
      {
        state: "ok",
        message: "No browser is signed in yet.",
        hint: "`hermes web open` prints a link that signs one in.",
      },
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("promises any free port where the config leaves it open", async () => {
    expect(messagesOf(await findingsOf({ port: 0 }))[0]).toBe(
      "ok: The gateway serves the page on any port of 127.0.0.1 that is free.",
    );
  });

  it("knows the page of a running gateway, whose browsers stay signed in", async () => {
    await using web = await startWeb();
    const browser = await web.browser();
    expect(messagesOf(await findingsOf({ port: 0 }, web.folder))).toEqual([
      `ok: The page is served at ${web.baseUrl}.`,
      "ok: 1 browser is signed in.",
    ]);
    expect(await browser.get("/api/chats")).toMatchObject({ home: { id: "home" } });
  });

  it("counts the page of another home as a port in use", async () => {
    await using web = await startWeb();
    const port = Number(new URL(web.baseUrl).port);
    expect((await findingsOf({ port }))[0]).toEqual({
      state: "problem",
      message: `Port ${port} on 127.0.0.1 is in use by the page of another Hermes.`,
      hint: "End that, or set `port` of the web plugin to another, or to 0 for any that is free.",
    });
  });

  it("names a port that another web server has", async () => {
    const port = await portOf(createHttpServer((_request, response) => response.end("ok\n")));
    expect(messagesOf(await findingsOf({ port }))[0]).toBe(
      `problem: Port ${port} on 127.0.0.1 is in use by another program.`,
    );
  });

  it.each([
    ["hangs up", (socket: Socket) => socket.destroy()],
    ["speaks no HTTP", (socket: Socket) => socket.end("220 mail\r\n")],
  ])("names a port whose program %s", async (_what, answer) => {
    const port = await portOf(createServer((socket) => answer(socket.on("error", () => {}))));
    expect(messagesOf(await findingsOf({ port }))[0]).toBe(
      `problem: Port ${port} on 127.0.0.1 is in use by another program.`,
    );
  });

  it("names a port on which browsers open no page", async () => {
    expect((await findingsOf({ port: 6000 }))[0]).toEqual({
      state: "problem",
      message: "Browsers open no page on port 6000.",
      hint: "Set `port` of the web plugin to another.",
    });
  });

  it("names a host that is none of this machine", async () => {
    expect((await findingsOf({ host: "192.0.2.1", port: 0 }))[0]).toEqual({
      state: "problem",
      message: "192.0.2.1 is no address of this machine.",
      hint: "Set `host` of the web plugin to one that is.",
    });
  });

  it("warns that others on the network reach the page", async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((one) => one?.family === "IPv4" && !one.internal)?.address;
    const findings = await findingsOf({ host: address ?? "192.0.2.1", port: 8765 });
    expect(messagesOf(findings)).toContain(
      `warning: Others on the network reach the page at http://${address ?? "192.0.2.1"}:8765, by plain HTTP.`,
    );
  });

  it("warns of a public address without HTTPS, and of one that leads elsewhere", async () => {
    await using web = await startWeb();
    const elsewhere = await portOf(createHttpServer((_request, response) => response.end()));
    expect(messagesOf(await findingsOf({ port: 0, publicUrl: "http://hermes.invalid" }, web.folder))).toEqual([
      `ok: The page is served at ${web.baseUrl}.`,
      "warning: http://hermes.invalid is plain HTTP: whoever can read the network's traffic reads along, and can take the sign-in.",
      "warning: http://hermes.invalid cannot be reached from this machine.",
      "ok: No browser is signed in yet.",
    ]);
    const findings = await findingsOf({ port: 0, publicUrl: `http://127.0.0.1:${elsewhere}` }, web.folder);
    expect(messagesOf(findings)[1]).toBe(`warning: What answers at http://127.0.0.1:${elsewhere} is not this page.`);
  });

  it("finds out that a public address leads to the page", async () => {
    await using web = await startWeb();
    const findings = await findingsOf({ port: 0, publicUrl: web.baseUrl }, web.folder);
    expect(messagesOf(findings)).toContain(`ok: ${web.baseUrl} leads to the page.`);
  });

  it("reports a file of the page that cannot be read", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "web.db"), "no database, but long enough to be looked at as one");
    const [finding] = await findingsOf({ port: 0 }, folder);
    expect(finding?.state).toBe("problem");
    expect(finding?.message).toMatch(/^The page's file cannot be read: /);
    expect(finding?.hint).toContain("Move `web.db` out of `plugins/web`");
  });
});
