import { request as httpRequest } from "node:http";
import { Script } from "node:vm";
import type { AdapterEvents, Choice, InboundMessage, Press } from "@hermes/core";
import { PNG_FILE } from "@hermes/testing";
import { type LoopbackEmulator, startLoopbackEmulator } from "@hermes/testing/loopback-emulator";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../emulator.ts";
import { answerJson, type LoopbackServer, listenOnLoopback } from "../loopback-server.ts";
import { type ServedEmulator, serveEmulator } from "../serve-emulator.ts";
import { PAGE_FILES } from "./page.ts";

let platform: LoopbackEmulator;
let http: LoopbackServer;
let served: ServedEmulator;

/** The loopback platform behind a server that identifies its own answers. */
async function startEmulator(options?: EmulatorOptions) {
  platform = startLoopbackEmulator();
  http = await listenOnLoopback((_, response) => answerJson(response, 418, "the platform's own"), options);
  return Object.create(platform, { url: { value: http.url }, close: { value: () => http.close() } });
}

beforeEach(async () => {
  served = await serveEmulator({ startEmulator });
});
afterEach(() => served[Symbol.asyncDispose]());

function post(name: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(served.consoleUrl + name, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

async function get(name: string): Promise<ReturnType<typeof JSON.parse>> {
  return (await fetch(served.consoleUrl + name)).json();
}

describe("the console of an emulator", () => {
  it("a person can write in the console, which shows each message and its author", async () => {
    const answer = await (await post("receive", { chatId: "home", text: "Hi <b>", userId: "7" })).json();
    const { messages } = await get("messages?chatId=home");
    expect(messages).toMatchObject([{ id: (answer as { messageId: string }).messageId, author: "7", text: "Hi <b>" }]);
  });

  it("the console shows chats with their threads, and whether a client is connected", async () => {
    platform.loopback.threads.push({ id: "t-1", chatId: "team", name: "A plan", mark: "m" });
    const { chats, ...state } = await get("chats");
    expect(state).toEqual({ platform: "loopback", isConnected: false, people: [{ id: "person", name: "Ada" }] });
    expect(chats.find((chat: { id: string }) => chat.id === "team").threads).toMatchObject([{ name: "A plan" }]);
    await post("remove-thread", { chatId: "team", threadId: "t-1" });
    expect(platform.threads("team")).toEqual([]);
  });

  it("the console lists the bot's files with their size, and gives each byte for byte", async () => {
    const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
    const files = [
      { name: "Grüße '1'.bin", mediaType: "text/html", content: bytes },
      { name: "cat.png", mediaType: "image/png", content: PNG_FILE, isPicture: true },
    ];
    const about = {
      id: "m-1",
      author: "bot",
      text: "Here.",
      isEdited: false,
      fileNames: files.map(({ name }) => name),
    };
    platform.messages = () => [{ ...about, raw: { data: bytes }, files }];
    const [message] = (await get("messages?chatId=team&threadId=t-1")).messages;
    expect(message).toMatchObject({
      raw: { data: "(256 bytes)" },
      files: [
        { name: "Grüße '1'.bin", mediaType: "text/html", size: 256, isPicture: false },
        { name: "cat.png", size: PNG_FILE.length, isPicture: true },
      ],
    });
    for (const [at, type, disposition] of [
      [0, "application/octet-stream", "attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%271%27.bin"],
      [1, "image/png", "inline; filename*=UTF-8''cat.png"],
    ] as const) {
      const response = await fetch(served.consoleUrl + message.files[at].url);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(files[at]?.content);
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("content-disposition")).toBe(disposition);
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
    const none = await fetch(`${served.consoleUrl}file?chatId=team&messageId=m-1&file=7`);
    expect([none.status, await none.json()]).toEqual([404, { error: expect.stringContaining("no such file") }]);
  });

  it("a person can send files in the console: texts, and any bytes in base64", async () => {
    const heard: InboundMessage[] = [];
    platform.loopback.listening.add({ receive: async (message) => void heard.push(message) } as AdapterEvents);
    const files = [
      { name: "notes.txt", mediaType: "text/plain", content: "plum" },
      { name: "cat.png", mediaType: "image/png", base64: PNG_FILE.toString("base64") },
    ];
    expect((await post("receive", { chatId: "home", text: "", files })).status).toBe(200);
    const contents = heard[0]?.attachments?.map((file) =>
      file.download?.({ signal: AbortSignal.timeout(5_000), most: 1e6 }),
    );
    const [notes, cat] = await Promise.all(contents ?? []);
    expect([Buffer.from(notes as Uint8Array).toString(), Buffer.from(cat as Uint8Array)]).toEqual(["plum", PNG_FILE]);
    const large = Buffer.alloc(25 * 1024 ** 2, 7);
    const film = { name: "film.mp4", mediaType: "video/mp4", base64: large.toString("base64") };
    expect((await post("receive", { chatId: "home", text: "", files: [film] })).status).toBe(200);
    expect(heard[1]?.attachments).toMatchObject([{ name: "film.mp4", size: large.length }]);
    for (const wrong of [{ base64: "cat!" }, { content: "plum", base64: "" }, {}]) {
      const refused = { chatId: "home", text: "", files: [{ name: "a", mediaType: "b/c", ...wrong }] };
      expect((await post("receive", refused)).status).toBe(400);
    }
  });

  it("a person can press a choice in the console", async () => {
    const pressed: Press[] = [];
    platform.loopback.listening.add({ choose: async (press) => void pressed.push(press) } as AdapterEvents);
    const choices: Choice[] = [{ id: "q.yes", label: "Yes", style: "plain" }];
    platform.loopback.messages.push({
      id: "m-1",
      chatId: "team",
      threadId: undefined,
      key: "k",
      text: "Go on?",
      choices,
    });
    expect((await get("messages?chatId=team")).messages).toMatchObject([{ choices: ["Yes"] }]);
    const press = { chatId: "team", messageId: "m-1", label: "Yes", userId: "7" };
    expect((await post("press", press)).status).toBe(200);
    expect(pressed).toMatchObject([{ messageId: "m-1", choiceId: "q.yes", sender: { id: "7" } }]);
    expect((await post("press", { ...press, label: "Maybe" })).status).toBe(422);
    platform.press = undefined;
    expect((await post("press", press)).status).toBe(422);
  });

  it("the console scripts failures and cancels them", async () => {
    const failure = { operation: "send", times: 2, kind: { is: "rate-limit", retryAfterMs: 10 } };
    expect((await post("fail", failure)).status).toBe(200);
    await expect(platform.loopback.called("send")).rejects.toMatchObject({ code: "PLATFORM_RATE_LIMITED" });
    await post("heal", {});
    await platform.loopback.called("send");
    expect((await get("log")).log).toHaveLength(2);
  });

  it("the console lists playable failures and refuses others with that list", async () => {
    const { failures } = await get("failures");
    expect(failures).toContainEqual({
      is: "refuse",
      code: "muted",
      operations: expect.arrayContaining(["send", "edit"]),
      description: "The bot may not write there.",
    });
    for (const [failure, words] of [
      [
        { operation: "send", kind: { is: "refuse", code: "banana" } },
        'send cannot be refused with "banana" here, only',
      ],
      [{ operation: "peel", kind: { is: "break" } }, "break cannot happen to peel here, only to send, edit"],
      [{ operation: "send", kind: { is: "out-of-order" } }, "out-of-order cannot happen to send here, only to deliver"],
    ] as const) {
      const response = await post("fail", failure);
      expect(response.status).toBe(422);
      expect(await response.json()).toEqual({ error: expect.stringContaining(words), failures });
    }
    await platform.loopback.called("send");
  });

  it.each([
    ["no JSON", "{", 400, /no JSON/],
    ["a field of the wrong kind", { chatId: 7, text: "x" }, 400, /^chatId: .*string/],
    ["a field that is missing", { chatId: "home" }, 400, /^text: /],
    ["a field that is not known", { chatId: "home", text: "x", colour: "red" }, 400, /colour/],
    [
      "what the platform does not have",
      { chatId: "home", text: "x", isOwn: true, isBot: true },
      422,
      /not another one/,
    ],
    ["far too much", { chatId: "home", text: "x".repeat(37_000_000) }, 413, /longer than/],
  ])("the console refuses %s and says what is wrong", async (_, body, status, error) => {
    const response = await post("receive", body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: string }).error).toMatch(error);
  });

  it("the console refuses requests that another page makes the browser send", async () => {
    const body = { chatId: "home", text: "x" };
    expect((await post("receive", body, { origin: "http://evil.example" })).status).toBe(403);
    expect((await post("receive", JSON.stringify(body), { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("heal", "", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post("receive", body, { origin: http.url })).status).toBe(200);
    expect(platform.messages("home")).toHaveLength(1);
  });

  it("the console answers only requests for its own host names", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: "rebound.example" };
      httpRequest(`${served.consoleUrl}chats`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(421);
    expect((await fetch(`http://localhost:${http.port}/_emulator/chats`)).status).toBe(200);
  });

  it("the console leaves every other path to the platform", async () => {
    expect((await fetch(`${http.url}/api/send`)).status).toBe(418);
    expect((await fetch(`${http.url}/_emulatorx`)).status).toBe(418);
    expect((await fetch(`${http.url}/`)).status).toBe(418);
    const page = await fetch(`${http.url}/`, { headers: { accept: "text/html" } });
    expect(page.url).toBe(served.consoleUrl);
    expect(await page.text()).toContain("<!doctype html>");
  });

  it("the console answers unknown paths, threads and people with what exists", async () => {
    const nothing = await fetch(`${served.consoleUrl}nothing`);
    expect(nothing.status).toBe(404);
    expect(await nothing.json()).toMatchObject({ error: expect.stringContaining("only GET /_emulator/chats") });
    const gone = await post("remove-thread", { chatId: "team", threadId: "t-9" });
    expect(gone.status).toBe(400);
    const error =
      "there is no thread t-9 in team. /_emulator/chats lists the chats, threads and people that there are.";
    expect(await gone.json()).toEqual({ error });
    const unknown = await fetch(`${served.consoleUrl}receive`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "[]",
    });
    expect(await unknown.json()).toEqual({
      error: expect.stringMatching(/expected object.* Send something like {"chatId":"home","text":"Hello"}\.$/),
    });
    expect((await fetch(`${served.consoleUrl}messages`)).status).toBe(400);
  });
});

describe("the console's page", () => {
  it("the console's page may load only its own files, and parses no text as HTML", async () => {
    const response = await fetch(served.consoleUrl);
    expect(response.headers.get("content-security-policy")).toMatch(/default-src 'none'; script-src 'self'/);
    const script = PAGE_FILES["page.js"]?.body ?? "";
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval/);
    expect(() => new Script(script)).not.toThrow();
    const page = PAGE_FILES[""]?.body ?? "";
    const named = [...script.matchAll(/\bat\("(\w+)"\)/g)].map(([, id]) => id);
    for (const id of named) expect(page).toContain(`id="${id}"`);
  });
});
