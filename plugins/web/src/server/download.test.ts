import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutboundFile, Piece } from "@hermes/core";
import { PDF_FILE, PNG_FILE } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrowserClient } from "../../test/browser-client.ts";
import { type RunningWeb, startWeb } from "../../test/running-web.ts";
import type { ErrorAnswer, MessagesAnswer, WireFile } from "./wire/thread.ts";

const HOME = { platform: "web", chatId: "home", kind: "dm" } as const;
const DAY_MS = 24 * 60 * 60_000;

let web: RunningWeb;
let browser: BrowserClient;
beforeEach(async () => {
  web = await startWeb();
  browser = await web.browser();
});
afterEach(() => web[Symbol.asyncDispose]());

let count = 0;

/** Sends a file on the page; returns what the page is told of it. */
async function sendFile(name: string, content: Uint8Array): Promise<WireFile & { readonly path: string }> {
  const id = `message-${++count}`;
  const files = [await (await browser.upload(name, "text/plain", content)).json()];
  expect((await browser.post("/api/threads/home/messages", { id, text: "", files })).status).toBe(201);
  const { messages } = await browser.get<MessagesAnswer>("/api/threads/home/messages");
  const [file] = messages.find((message) => message.id === id)?.files ?? [];
  if (file === undefined) throw new Error(`${name} is not shown`);
  return { ...file, path: file.path ?? "" };
}

async function refusalOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as ErrorAnswer).error.code];
}

describe("a file of a message", () => {
  it("a picture is shown as it was sent, and may do nothing", async () => {
    const file = await sendFile("cat.html", PNG_FILE);
    const response = await browser.request(file.path);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG_FILE);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "content-disposition": `inline; filename="cat.html"; filename*=UTF-8''cat.html`,
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
  });

  it("a file that is no picture is saved, byte for byte, and never opened", async () => {
    const { path, picture } = await sendFile("plan.pdf", PDF_FILE);
    expect(picture).toBeNull();
    const response = await browser.request(path);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PDF_FILE);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment;/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("a name with any signs stays within its header and is given whole", async () => {
    const name = `a"; \\ b\r\nSet-Cookie: x=y 'é' 猫 %41 (1)*.png`;
    const { path } = await sendFile(name, PNG_FILE);
    const said = (await browser.request(path)).headers.get("content-disposition") ?? "";
    const [, plain, whole = ""] =
      /^inline; filename="([ !#-[\]-~]*)"; filename\*=UTF-8''([\w.!%~-]+)$/.exec(said) ?? [];
    expect(plain).toBe("a_; _ b__Set-Cookie: x=y '_' _ _41 (1)*.png");
    expect(decodeURIComponent(whole)).toBe(name);
  });

  it("a text is Hermes' alone, and the page keeps its name", async () => {
    const { path, name } = await sendFile("notes.txt", Buffer.from("The word is plum."));
    expect([path, name]).toEqual(["", "notes.txt"]);
    await web.until(() => readdirSync(join(web.folder, "uploads")).length === 0);
    expect(readdirSync(web.folder)).not.toContain("files");
  });

  it("nobody but a signed-in browser gets a file, and no other site has it fetched", async () => {
    const { path } = await sendFile("cat.png", PNG_FILE);
    const stranger = new BrowserClient(web.baseUrl);
    expect(await refusalOf(await stranger.request(path))).toEqual([401, "NOT_SIGNED_IN"]);
    const elsewhere = { headers: { "sec-fetch-site": "cross-site" } };
    expect(await refusalOf(await browser.request(path, elsewhere))).toEqual([403, "WRONG_ORIGIN"]);
    expect((await browser.request(path, { headers: { "sec-fetch-site": "same-origin" } })).status).toBe(200);
    expect(statSync(join(web.folder, "files", path.split("/").at(-1) ?? "")).mode & 0o777).toBe(0o600);
  });

  it("a file is there under its own message and thread alone", async () => {
    const { path, id } = await sendFile("cat.png", PNG_FILE);
    const { conversation } = await web.adapter.createHandoffThread("home", "A plan", {
      home: { chatId: "home" },
      mark: "mark",
      signal: AbortSignal.timeout(30_000),
    });
    const threadId = conversation.threadId ?? "";
    const at = (thread: string, message: string, file = id) =>
      `/api/threads/${thread}/messages/${message}/files/${file}`;
    const message = `message-${count}`;
    expect(path).toBe(at("home", message));
    for (const [asked, refusal] of [
      [at(threadId, message), [410, "MESSAGE_GONE"]],
      [at("thr_none", message), [410, "THREAD_GONE"]],
      [at("home", "message-0"), [410, "MESSAGE_GONE"]],
      [at("home", message, "0".repeat(64)), [410, "NOT_KEPT"]],
      [at("home", message, "..%2f..%2fweb.db"), [410, "NOT_KEPT"]],
    ] as const) {
      expect(await refusalOf(await browser.request(asked)), asked).toEqual(refusal);
    }
    rmSync(join(web.folder, "files", id));
    expect(await refusalOf(await browser.request(path))).toEqual([410, "NOT_KEPT"]);
  });
});

describe("a file that Hermes sends", () => {
  const options = { key: "key", sessionId: "ses_1", signal: AbortSignal.timeout(30_000) };
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);

  /** As core does: rendered, stored as JSON, and sent with its content. */
  async function sendOut(file: OutboundFile, content: Uint8Array): Promise<void> {
    const pieces: readonly Piece[] = web.adapter.render({ kind: "answer", markdown: "", files: [file] });
    for (const piece of JSON.parse(JSON.stringify(pieces)) as Piece[]) {
      await web.adapter.send(HOME, piece, { ...options, content });
    }
  }

  it.each([
    ["a picture", "cat.png", PNG_FILE, { width: 1, height: 1 }, "image/png"],
    ["a PDF", "plan.pdf", PDF_FILE, null, "application/octet-stream"],
    ["a page", "index.html", Buffer.from("<script>alert(1)</script>"), null, "application/octet-stream"],
    ["a file of all bytes", "all.bin", bytes, null, "application/octet-stream"],
  ])("%s is on the page once, with its caption and content", async (_, name, content, picture, type) => {
    const file = { name, mediaType: "text/html", size: content.length, hash: "0".repeat(64), caption: "A *file*." };
    await sendOut(file, content);
    await sendOut(file, content);
    const { messages } = await browser.get<MessagesAnswer>("/api/threads/home/messages");
    expect(messages).toMatchObject([
      { kind: "answer", author: "agent", text: "A \\*file\\*.", files: [{ name, picture }] },
    ]);
    const response = await browser.request(messages[0]?.files[0]?.path ?? "");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from(content));
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("content-disposition")?.split(";")[0]).toBe(picture ? "inline" : "attachment");
  });

  it("a file that cannot be kept is sent later, and no message names it before", async () => {
    writeFileSync(join(web.folder, "files"), "in the way");
    const file = { name: "all.bin", mediaType: "a/b", size: bytes.length, hash: "0".repeat(64) };
    await expect(sendOut(file, bytes)).rejects.toMatchObject({ code: "PLATFORM_UNAVAILABLE", retryable: true });
    expect((await browser.get<MessagesAnswer>("/api/threads/home/messages")).messages).toEqual([]);
    rmSync(join(web.folder, "files"));
    await sendOut(file, bytes);
    expect((await browser.get<MessagesAnswer>("/api/threads/home/messages")).messages).toHaveLength(1);
  });
});

it("a file goes with its session, and one that another message names too stays", async () => {
  const gone = new Set<string>();
  const prune = () => web.adapter.prune(async (sessions) => sessions.filter((id) => gone.has(id)));
  const answer = (sessionId: string) =>
    web.adapter.send(HOME, { text: "I see." }, { key: sessionId, sessionId, signal: AbortSignal.timeout(30_000) });
  const kept = () => readdirSync(join(web.folder, "files")).sort();
  const [cat, plan] = [await sendFile("cat.png", PNG_FILE), await sendFile("plan.pdf", PDF_FILE)];
  await answer("ses_deleted");
  const again = await sendFile("plan.pdf", PDF_FILE);
  await answer("ses_kept");
  expect(again.id).toBe(plan.id);
  await web.clock.advance(2 * DAY_MS);
  await prune();
  expect(kept()).toEqual([cat.id, plan.id].sort());
  gone.add("ses_deleted");
  await prune();
  await web.clock.advance(30 * DAY_MS);
  await prune();
  expect(kept()).toEqual([plan.id]);
  expect((await browser.request(again.path)).status).toBe(401);
  browser = await web.browser();
  expect((await browser.request(again.path)).status).toBe(200);
  expect(await refusalOf(await browser.request(cat.path))).toEqual([410, "MESSAGE_GONE"]);
});
