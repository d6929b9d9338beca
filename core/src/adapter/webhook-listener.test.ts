import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notingLogger } from "@hermes/testing";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { secretPath, WebhookListener, type WebhookListenerParts } from "./webhook-listener.ts";

let taken: string[];
let logged: string[];
let open: WebhookListener[];
beforeEach(() => {
  [taken, logged, open] = [[], [], []];
});
afterEach(async () => {
  for (const listener of open) await listener.close();
});

/** A listener that takes whatever comes, and its address. */
async function listen(parts: Partial<WebhookListenerParts> = {}): Promise<string> {
  const listener = new WebhookListener({
    ...{ platform: "pager", host: "127.0.0.1", port: 0, path: "/pager/secret", logger: notingLogger(logged) },
    take: async (body) => void taken.push(body.toString()),
    ...parts,
  });
  open.push(listener);
  return listener.open();
}

async function post(url: string, body: string): Promise<number> {
  return (await fetch(url, { method: "POST", body })).status;
}

it("a webhook is answered 200 when Hermes has kept what is in it, and 500 when not", async () => {
  const url = await listen();
  expect(await post(`${url}?attempt=2`, "hello")).toBe(200);
  const full = await listen({ take: () => Promise.reject(new Error("the disk is full")) });
  expect(await post(full, "hello")).toBe(500);
  expect(taken).toEqual(["hello"]);
  expect(logged.join()).toContain("a webhook could not be taken");
});

it("the platform's signature decides what a webhook is answered", async () => {
  const url = await listen({ take: async (_, { "x-signature": signature }) => (signature === "good" ? 200 : 403) });
  expect((await fetch(url, { method: "POST", headers: { "x-signature": "good" } })).status).toBe(200);
  expect(await post(url, "forged")).toBe(403);
});

it("nothing is taken at another path, by another method, or of more than its length", async () => {
  const url = await listen({ largest: 10 });
  expect(await post(url.replace(/secret$/, "other"), "hello")).toBe(404);
  expect((await fetch(url)).status).toBe(405);
  expect((await fetch(url, { method: "DELETE" })).status).toBe(405);
  expect(await post(url, "more than ten bytes")).toBe(413);
  expect(taken).toEqual([]);
});

it("a body without a stated length is cut off where it becomes too long", async () => {
  const url = await listen({ largest: 10 });
  const status = await new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST" }, (response) => resolve(response.resume().statusCode)).on(
      "error",
      reject,
    );
    sent.write("more than ");
    sent.write("ten bytes");
  });
  expect(status).toBe(413);
});

it("a webhook is refused where its sender's address is not in the list", async () => {
  expect(await post(await listen({ from: ["127.0.0.1"] }), "mine")).toBe(200);
  expect(await post(await listen({ from: ["192.0.2.7"] }), "a stranger's")).toBe(403);
  expect(taken).toEqual(["mine"]);
  expect(logged.join()).toContain('"sender":"127.0.0.1"');
});

it("a platform that checks the address by a GET is answered by its word", async () => {
  const url = await listen({ greet: (query) => (query.get("token") === "right" ? query.get("challenge") : null) });
  const right = await fetch(`${url}?token=right&challenge=<b>42`);
  expect([right.status, await right.text(), right.headers.get("content-type")]).toEqual([
    200,
    "<b>42",
    "text/plain; charset=utf-8",
  ]);
  expect((await fetch(`${url}?token=wrong&challenge=42`)).status).toBe(403);
});

it("a port that is taken is named in the error", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as { readonly port: number };
  await expect(listen({ port })).rejects.toMatchObject({
    code: "PLATFORM_UNAVAILABLE",
    message: expect.stringContaining(`port ${port} of 127.0.0.1 cannot be had (EADDRINUSE)`),
  });
  other.close();
});

it("a listener that cannot accept one connection goes on with the next", async () => {
  using listening = vi.spyOn(Server.prototype, "listen");
  const url = await listen();
  const [server] = listening.mock.contexts as readonly Server[];
  const emfile = Object.assign(new Error("accept EMFILE"), { code: "EMFILE" });
  for (let times = 0; times < 2; times++) server?.emit("error", emfile);
  expect(await post(url, "hello")).toBe(200);
  expect(logged.join()).toContain('"code":"EMFILE"');
});

it("a secret path is the same after a restart, and another one in another folder", () => {
  const folders = ["one", "two"].map((name) => mkdtempSync(join(tmpdir(), `hermes-webhook-${name}-`)));
  const [one = "", two = ""] = folders;
  expect(secretPath(one, "pager")).toBe(secretPath(one, "pager"));
  expect(secretPath(one, "pager")).not.toBe(secretPath(two, "pager"));
  expect(secretPath(one, "pager")).toMatch(/^\/pager\/[\w-]{32}$/);
  for (const folder of folders) rmSync(folder, { recursive: true });
});
