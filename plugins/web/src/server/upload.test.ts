import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { PNG_FILE } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrowserClient } from "../../test/browser-client.ts";
import { type RunningWeb, startWeb } from "../../test/running-web.ts";
import type { ErrorAnswer, MessagesAnswer, WireFile } from "./wire/thread.ts";

let web: RunningWeb;
beforeEach(async () => {
  web = await startWeb();
});
afterEach(() => web[Symbol.asyncDispose]());

const uploads = () => (existsSync(join(web.folder, "uploads")) ? readdirSync(join(web.folder, "uploads")) : []);
const hash = createHash("sha256").update(PNG_FILE).digest("hex");
const codeOf = async (response: Response) => ((await response.json()) as ErrorAnswer).error.code;

describe("a file that is attached on the page", () => {
  it("a file reaches Hermes with its message, and its upload is removed then", async () => {
    const browser = await web.browser();
    const kept = Promise.withResolvers<void>();
    web.onReceive = () => kept.promise;
    const file = (await (await browser.upload("cat.png", "text/html", PNG_FILE)).json()) as WireFile;
    expect(file).toMatchObject({ name: "cat.png", mediaType: "image/png", size: PNG_FILE.length });
    expect(statSync(join(web.folder, "uploads", file.id)).mode & 0o777).toBe(0o600);
    const body = { id: "message-1", text: "", files: [file] };
    expect((await browser.post("/api/threads/home/messages", body)).status).toBe(201);
    await web.until(() => web.received.length === 1);
    expect(web.received[0]?.attachments).toEqual([
      { name: "cat.png", mediaType: "image/png", size: PNG_FILE.length, hash },
    ]);
    kept.resolve();
    await web.until(() => uploads().length === 0);
    // The same message again is the one that is there.
    expect((await browser.post("/api/threads/home/messages", body)).status).toBe(200);
    const { messages } = await browser.get<MessagesAnswer>("/api/threads/home/messages");
    const shown = { path: `/api/threads/home/messages/message-1/files/${hash}`, picture: { width: 1, height: 1 } };
    expect(messages).toMatchObject([{ text: "", files: [{ ...file, id: hash, ...shown }] }]);
  });

  it("a file that was sent before waits for the message that names it again", async () => {
    const browser = await web.browser();
    const upload = async () =>
      (await (await browser.upload("a.txt", "text/plain", Buffer.from("plum"))).json()) as WireFile;
    const send = async (id: string, file: WireFile) =>
      (await browser.post("/api/threads/home/messages", { id, text: "", files: [file] })).status;
    const first = await upload();
    const second = await upload();
    expect(await send("message-1", first)).toBe(201);
    await web.until(() => web.received.length === 1);
    await web.until(() => !uploads().includes(first.id));
    expect(uploads()).toEqual([second.id]);
    expect(await send("message-2", second)).toBe(201);
    await web.until(() => web.received.length === 2 && uploads().length === 0);
    expect(web.received[1]?.attachments).toEqual(web.received[0]?.attachments);
  });

  it("the server keeps no file that is too large, of another kind, or somebody else's", async () => {
    const browser = await web.browser();
    const film = await browser.upload("a.png", "image/png", Buffer.from([0, 1, 2, 3]));
    expect([film.status, await codeOf(film)]).toEqual([415, "FILE_NOT_TAKEN"]);
    const large = await browser.upload("a.png", "image/png", Buffer.concat([PNG_FILE, Buffer.alloc(26 * 1024 ** 2)]));
    expect([large.status, await codeOf(large)]).toEqual([413, "FILE_TOO_LARGE"]);
    const stranger = await new BrowserClient(web.baseUrl).upload("a.png", "image/png", PNG_FILE);
    expect(stranger.status).toBe(401);
    const form = await browser.request("/api/files?name=a.png", { method: "POST", body: new Uint8Array(PNG_FILE) });
    expect(form.status).toBe(422);
    expect(uploads()).toEqual([]);
  });

  it("a file of a browser that is not signed in is refused before all of it is read", async () => {
    const answered = Promise.withResolvers<number | undefined>();
    // In chunks: nobody knows how many come.
    const headers = { origin: web.baseUrl, "content-type": "application/octet-stream" };
    const sent = request(`${web.baseUrl}/api/files?name=a.txt&type=text/plain`, {
      ...{ method: "POST", headers, agent: false },
    });
    sent.on("response", ({ statusCode }) => answered.resolve(statusCode)).on("error", answered.reject);
    sent.write("The beginning");
    expect(await answered.promise).toBe(401);
    sent.destroy();
  });

  it("a message that names a file which is not there is refused", async () => {
    const browser = await web.browser();
    const files = [{ id: "0".repeat(64), name: "../../web.db", mediaType: "image/png" }];
    const response = await browser.post("/api/threads/home/messages", { id: "message-1", text: "x", files });
    expect([response.status, await codeOf(response)]).toEqual([410, "FILE_GONE"]);
  });
});
