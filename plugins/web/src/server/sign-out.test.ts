import { connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { BrowserClient } from "../../test/browser-client.ts";
import { type RunningWeb, startWeb } from "../../test/running-web.ts";
import { openWebFile } from "../storage/web-file.ts";

let web: RunningWeb;
beforeEach(async () => {
  web = await startWeb();
});
afterEach(async () => {
  await web[Symbol.asyncDispose]();
});

/** Sends a request up to its body's last byte; what is returned sends the rest, and resolves with the answer. */
async function heldBack(
  browser: BrowserClient,
  path: string,
  body: string,
  type = "application/json",
): Promise<() => Promise<string>> {
  const { host, port, origin } = new URL(browser.baseUrl);
  const socket = connect(Number(port), "127.0.0.1");
  socket.setEncoding("utf8");
  let answer = "";
  socket.on("data", (text: string) => {
    answer += text;
  });
  const head = [
    `POST ${path} HTTP/1.1`,
    ...[`Host: ${host}`, `Origin: ${origin}`, `Cookie: ${browser.cookie}`, `Content-Type: ${type}`],
    ...["Connection: close", `Content-Length: ${Buffer.byteLength(body)}`, "", ""],
  ].join("\r\n");
  await new Promise((resolve) => socket.write(head + body.slice(0, -1), resolve));
  // The server has begun with it once it has answered one that came later.
  await browser.request("/api/chats");
  return async () => {
    socket.write(body.slice(-1));
    await new Promise((resolve) => socket.once("close", resolve));
    return answer;
  };
}

function signOut(): void {
  using file = openWebFile(web.folder, { now: web.clock.now() });
  file.signIns.forgetAll();
}

it("a message whose end comes after its browser was signed out is not taken", async () => {
  const browser = await web.browser();
  const body = JSON.stringify({ id: "message-1", text: "Delete all." });
  const finish = await heldBack(browser, "/api/threads/home/messages", body);
  signOut();
  expect(await finish()).toMatch(/^HTTP\/1.1 401 .*NOT_SIGNED_IN/s);
});

it("a file whose end comes after its browser was signed out is not kept", async () => {
  const browser = await web.browser();
  const finish = await heldBack(browser, "/api/files?name=a.txt&type=text/plain", "Hello!", "application/octet-stream");
  signOut();
  expect(await finish()).toMatch(/^HTTP\/1.1 401 .*NOT_SIGNED_IN/s);
});

it("a link printed before everybody was signed out signs nobody in", async () => {
  const link = await web.link();
  const browser = await web.browser();
  signOut();
  expect((await browser.signIn(link)).status).toBe(403);
});
