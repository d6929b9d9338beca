import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrowserClient } from "../../test/browser-client.ts";
import { type RunningWeb, startWeb } from "../../test/running-web.ts";
import { webOptions } from "../config.ts";
import { openWebFile } from "../storage/web-file.ts";
import { startWebServer } from "./web-server.ts";
import type { ChatsAnswer, ErrorAnswer, MessagesAnswer } from "./wire/thread.ts";

const signal = new AbortController().signal;
const HOME = { platform: "web", chatId: "home", kind: "dm" } as const;

let web: RunningWeb;
beforeEach(async () => {
  web = await startWeb();
});
afterEach(async () => {
  await web[Symbol.asyncDispose]();
});

async function refusalOf(response: Response): Promise<{ status: number; code: string }> {
  return { status: response.status, code: ((await response.json()) as ErrorAnswer).error.code };
}

/** With headers that fetch does not let one set. */
function statusWith(
  headers: Record<string, string>,
  path = "/",
  port: number | string | null = new URL(web.baseUrl).port,
): Promise<number | undefined> {
  const hostname = "127.0.0.1";
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
}

describe("signing in", () => {
  it("works once with a link", async () => {
    const link = await web.link();
    expect((await new BrowserClient(web.baseUrl).signIn(link)).status).toBe(204);
    const second = await new BrowserClient(web.baseUrl).signIn(link);
    expect(await second.json()).toEqual({
      error: { code: "LINK_USED", text: "This link was used or is too old; run `hermes web open` for a new one." },
    });
  });

  it("one of two browsers with the same link gets in", async () => {
    const link = await web.link();
    const both = await Promise.all([1, 2].map(() => new BrowserClient(web.baseUrl).signIn(link)));
    expect(both.map(({ status }) => status).sort()).toEqual([204, 403]);
  });

  it("a sign-in link expires after two minutes", async () => {
    const link = await web.link();
    await web.clock.advance(2 * 60_000);
    expect((await new BrowserClient(web.baseUrl).signIn(link)).status).toBe(403);
  });

  it("sets a cookie that scripts and other pages cannot use, and a visit renews", async () => {
    const browser = new BrowserClient(web.baseUrl);
    const response = await browser.signIn(await web.link());
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^hermes-\w+=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await browser.request("/api/chats")).headers.getSetCookie()).toEqual([]);
    await web.clock.advance(24 * 60 * 60_000);
    expect((await browser.request("/api/chats")).headers.getSetCookie()).toHaveLength(1);
    browser.cookie = browser.cookie?.replace(/.$/, "_") ?? null;
    expect(await refusalOf(await browser.request("/api/chats"))).toEqual({ status: 401, code: "NOT_SIGNED_IN" });
  });

  it("the cookie is Secure if the page is served by HTTPS", async () => {
    await using secure = await startWeb({ publicUrl: "https://hermes.example.org" });
    const port = openWebFile(secure.folder, { now: 0 }).meta.port;
    const response = await fetch(`http://127.0.0.1:${port}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://hermes.example.org" },
      body: JSON.stringify({ code: new URL(await secure.link()).hash.replace("#code=", "") }),
    });
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-hermes-.*; Secure; SameSite=Strict$/);
  });

  describe("with wrong codes", () => {
    const guess = (browser: BrowserClient) => browser.post("/api/login", { code: "guess" });

    /** Whether `answer` is held back while the clock stands: others that were asked for later are there before it. */
    async function isHeldBack(answer: Promise<Response>): Promise<boolean> {
      const others = async () => {
        for (let i = 0; i < 5; i++) await fetch(`${web.baseUrl}/healthz`);
        return null;
      };
      return (await Promise.race([answer, others()])) === null;
    }

    it("answers five of a browser at once, and a further one after a wait that doubles", async () => {
      const browser = new BrowserClient(web.baseUrl);
      for (let i = 0; i < 6; i++) {
        const response = await guess(browser);
        expect(await refusalOf(response)).toEqual({ status: 403, code: "LINK_USED" });
        // Its first one gave it an id.
        browser.cookie ??= response.headers.getSetCookie()[0]?.split(";")[0] ?? null;
      }
      for (const seconds of [1, 2, 4, 8, 10, 10]) {
        const answer = guess(browser);
        expect(await isHeldBack(answer), `${seconds} s`).toBe(true);
        await web.clock.advance(seconds * 1_000 - 1);
        expect(await isHeldBack(answer), `${seconds} s`).toBe(true);
        await web.clock.advance(1);
        expect((await answer).status).toBe(403);
      }
    });

    it("lets the owner in at once, however many others at the same address tried", async () => {
      const waiting = Array.from({ length: 90 }, () => guess(new BrowserClient(web.baseUrl)));
      const answered = await Promise.all(
        waiting.map(async (answer) => Promise.race([answer.then(({ status }) => status), isHeldBack(answer)])),
      );
      expect(answered).toContain(429);
      const owner = new BrowserClient(web.baseUrl);
      expect((await owner.signIn(await web.link())).status).toBe(204);
      expect((await owner.request("/api/chats")).status).toBe(200);
      await web.clock.advance(10_000);
      await Promise.all(waiting);
    });

    it("lets a browser in at once whose own codes were wrong before", async () => {
      const browser = new BrowserClient(web.baseUrl);
      const tries = Array.from({ length: 12 }, () => guess(browser));
      for (let i = 0; i < 5; i++) await tries[i];
      expect((await browser.signIn(await web.link())).status).toBe(204);
      await web.clock.advance(10_000);
      await Promise.all(tries);
    });

    it("counts a browser that makes its id up with those that have none", async () => {
      const answers = Array.from({ length: 7 }, (_, at) => {
        const browser = new BrowserClient(web.baseUrl);
        browser.cookie = `hermes-${openWebFile(web.folder, { now: 0 }).meta.epoch}-try=made-up-${at}`;
        return guess(browser);
      });
      const held = await Promise.all(answers.map(isHeldBack));
      expect(held.filter(Boolean)).toHaveLength(2);
      await web.clock.advance(10_000);
      await Promise.all(answers);
    });

    it("forgets them after ten minutes", async () => {
      for (let i = 0; i < 5; i++) await guess(new BrowserClient(web.baseUrl));
      await web.clock.advance(10 * 60_000 + 1);
      expect((await guess(new BrowserClient(web.baseUrl))).status).toBe(403);
    });
  });

  it("leaves neither codes nor cookies in the file or the log", async () => {
    const link = await web.link();
    const browser = new BrowserClient(web.baseUrl);
    await browser.signIn(link);
    const { readFileSync, readdirSync } = await import("node:fs");
    const kept = readdirSync(web.folder)
      .map((name) => readFileSync(`${web.folder}/${name}`, "latin1"))
      .join("");
    for (const secret of [new URL(link).hash.slice("#code=".length), browser.cookie?.split("=")[1] ?? "none"]) {
      expect(secret).toMatch(/^[\w-]{43}$/);
      expect(kept + web.logged.join("\n")).not.toContain(secret);
    }
  });
});

it("refuses a host name that stands for every address without a public address", async () => {
  const { publicUrl: _, ...options } = webOptions.parse({
    host: "0",
    port: 0,
    publicUrl: "https://hermes.example.org",
  });
  using file = openWebFile(web.folder, { now: 0 });
  const parts = { file, clock: web.clock, limits: options.limits } as unknown as Parameters<typeof startWebServer>[0];
  const address = { ...options, publicUrl: undefined };
  const live = { close() {} };
  await expect(startWebServer(Object.assign(parts, { live }), address, () => {})).rejects.toThrow("every address");
});

describe("who is let in", () => {
  it("the server lets nobody in without a cookie", async () => {
    const stranger = new BrowserClient(web.baseUrl);
    for (const path of ["/api/chats", "/api/threads/home/messages", "/api/events"]) {
      expect((await stranger.request(path)).status, path).toBe(401);
    }
    expect((await stranger.post("/api/threads/home/messages", { id: "message-1", text: "x" })).status).toBe(401);
    expect(web.received).toEqual([]);
  });

  it("the server answers only by the page's own names", async () => {
    const { port } = new URL(web.baseUrl);
    expect(await statusWith({ host: "evil.example" })).toBe(421);
    expect(await statusWith({ host: `evil.example:${port}` }, "/api/chats")).toBe(421);
    expect(await statusWith({ host: "127.0.0.1:1" })).toBe(421);
    expect(await statusWith({ host: `LOCALHOST:${port}` }, "/healthz")).toBe(200);
    expect(await statusWith({ host: `[::1]:${port}` }, "/healthz")).toBe(200);
  });

  it("the server answers by its public name, where it has one", async () => {
    await using open = await startWeb({ publicUrl: "https://hermes.example.org/" });
    using file = openWebFile(open.folder, { now: 0 });
    const at = { host: "hermes.example.org", port: file.meta.port };
    expect(await statusWith({ host: at.host }, "/healthz", at.port)).toBe(200);
    expect(await statusWith({ host: `${at.host}:${at.port}` }, "/healthz", at.port)).toBe(421);
  });

  it("the server takes nothing from a page of another origin", async () => {
    const browser = await web.browser();
    const body = { id: "message-1", text: "x" };
    for (const origin of ["https://evil.example", "null", web.baseUrl.replace("http:", "https:")]) {
      const response = await browser.post("/api/threads/home/messages", body, { origin });
      expect(await refusalOf(response), origin).toEqual({ status: 403, code: "WRONG_ORIGIN" });
      expect((await browser.request("/api/events", { headers: { origin } })).status).toBe(403);
    }
    const crossSite = { headers: { "sec-fetch-site": "cross-site" } };
    expect((await browser.request("/api/events", crossSite)).status).toBe(403);
    const cookie = browser.cookie ?? "";
    const noOrigin = await fetch(`${web.baseUrl}/api/threads/home/read`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: '{"seq":1}',
    });
    expect(noOrigin.status).toBe(403);
  });

  it("no form of another page: only JSON is taken", async () => {
    const browser = await web.browser();
    const response = await browser.post("/api/threads/home/messages", '{"id":"message-1","text":"x"}', {
      "content-type": "text/plain",
    });
    expect(response.status).toBe(415);
  });

  it("every answer forbids what a page might be tricked into", async () => {
    for (const path of ["/", "/nothing", "/api/chats", "/api/nothing"]) {
      const { headers } = await fetch(web.baseUrl + path);
      expect(headers.get("content-security-policy"), path).toContain("default-src 'none'");
      expect(headers.get("content-security-policy"), path).not.toContain("unsafe");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("referrer-policy"), path).toBe("no-referrer");
      expect(headers.get("cross-origin-opener-policy"), path).toBe("same-origin");
      expect(headers.get("cross-origin-resource-policy"), path).toBe("same-origin");
      expect(headers.get("access-control-allow-origin"), path).toBeNull();
    }
  });

  it("no path leads out of the page's folder", async () => {
    for (const path of ["/../package.json", "/..%2fpackage.json", "/assets/..%2f..%2fadapter.js", "/%00"]) {
      expect(await statusWith({ host: new URL(web.baseUrl).host }, path), path).toBeGreaterThanOrEqual(400);
    }
  });
});

describe("posting", () => {
  it("twice under one id is one message", async () => {
    const browser = await web.browser();
    const body = { id: "message-1", text: "hello" };
    expect((await browser.post("/api/threads/home/messages", body)).status).toBe(201);
    expect((await browser.post("/api/threads/home/messages", body)).status).toBe(200);
    await web.clock.advance(0);
    expect(web.received).toHaveLength(1);
  });

  it("a message under the id of another one is refused", async () => {
    const sent = await web.adapter.send(HOME, { text: "x" }, { key: "k", signal });
    const response = await (await web.browser()).post("/api/threads/home/messages", { id: sent.messageId, text: "y" });
    expect(await refusalOf(response)).toEqual({ status: 409, code: "ID_TAKEN" });
  });

  it("a post that is too large, empty or malformed is refused", async () => {
    const browser = await web.browser();
    const post = async (body: unknown) => (await browser.post("/api/threads/home/messages", body)).status;
    expect(await post({ id: "message-1", text: "x".repeat(300_000) })).toBe(413);
    expect(await post({ id: "message-1", text: "x".repeat(65_537) })).toBe(413);
    expect(await post({ id: "message-1", text: " \n" })).toBe(422);
    expect(await post({ id: "short", text: "x" })).toBe(422);
    expect(await post("{")).toBe(422);
    expect(web.received).toEqual([]);
  });

  it("a browser may post sixty times a minute", async () => {
    const [browser, other] = [await web.browser(), await web.browser()];
    for (let i = 0; i < 60; i++) {
      await browser.post("/api/threads/home/messages", { id: `message-${i}`, text: "x" });
    }
    const refused = await browser.post("/api/threads/home/messages", { id: "message-60", text: "x" });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await other.post("/api/threads/home/messages", { id: "message-61", text: "x" })).status).toBe(201);
  });
});

describe("reading", () => {
  it("goes back page by page", async () => {
    for (let i = 0; i < 60; i++) await web.adapter.send(HOME, { text: `${i}` }, { key: `k${i}`, signal });
    const browser = await web.browser();
    const last = await browser.get<MessagesAnswer>("/api/threads/home/messages");
    const before = await browser.get<MessagesAnswer>(`/api/threads/home/messages?before=${last.messages[0]?.seq}`);
    expect(last.messages.map(({ text }) => Number(text))).toEqual(Array.from({ length: 50 }, (_, i) => i + 10));
    expect(before.messages.map(({ text }) => Number(text))).toEqual(Array.from({ length: 10 }, (_, i) => i));
    expect([last.hasMore, before.hasMore]).toEqual([true, false]);
  });

  it("clears the mark of what is unread, and keeps it so over a restart", async () => {
    const browser = await web.browser();
    for (const key of ["k1", "k2"]) await web.adapter.send(HOME, { text: key }, { key, signal });
    const { home } = await browser.get<ChatsAnswer>("/api/chats");
    expect(home).toMatchObject({ unread: 2, preview: { text: "k2" } });
    await browser.post("/api/threads/home/read", { seq: home.preview?.seq });
    await web.restart();
    expect((await browser.get<ChatsAnswer>("/api/chats")).home.unread).toBe(0);
  });

  it("threads are listed by latest activity", async () => {
    const threads = [];
    for (const name of ["first", "second"]) {
      const options = { home: { chatId: "home" }, mark: name, signal };
      threads.push(await web.adapter.createHandoffThread("home", name, options));
      await web.clock.advance(1_000);
    }
    const names = async () =>
      (await (await web.browser()).get<ChatsAnswer>("/api/chats")).threads.map(({ name }) => name);
    expect(await names()).toEqual(["second", "first"]);
    const first = threads[0]?.conversation ?? HOME;
    await web.adapter.send(first, { text: "news" }, { key: "k", signal });
    expect(await names()).toEqual(["first", "second"]);
  });
});

describe("live updates", () => {
  it("tell of messages, their growth, threads and typing as they happen", async () => {
    const events = await (await web.browser()).follow();
    const { messageId } = await web.adapter.send(HOME, { text: "One" }, { key: "k", signal });
    expect(await events.take(2)).toMatchObject([
      { type: "message", message: { id: messageId, text: "One" } },
      { type: "thread", thread: { id: "home", unread: 1 } },
    ]);
    await web.adapter.edit(HOME, messageId, { text: "One, two" });
    expect(await events.take(1)).toMatchObject([{ type: "message", message: { id: messageId, text: "One, two" } }]);
    await web.adapter.typing(HOME);
    expect(await events.take(1)).toEqual([{ type: "typing", threadId: "home", forMs: 6_000, id: null }]);
    const options = { home: { chatId: "home" }, mark: "m", signal };
    const thread = await web.adapter.createHandoffThread("home", "New", options);
    await web.adapter.deleteThread(thread);
    const seen = [await events.next()];
    if (seen[0]?.type === "thread") seen.push(await events.next());
    expect(seen.at(-1)).toMatchObject({ type: "thread-gone", threadId: thread.conversation.threadId });
    await events.close();
  });

  it("pages are told what is said elsewhere; it is kept nowhere, and goes soon after", async () => {
    const browser = await web.browser();
    const events = await browser.follow(undefined, "p1");
    expect(web.adapter.watched()).toEqual([]);
    expect((await browser.post("/api/viewing", { page: "p1", threadId: "home" })).status).toBe(204);
    expect(web.adapter.watched()).toEqual([HOME]);
    const said = { place: "in the terminal", asked: "When?", text: "At" };
    web.adapter.showGrowing(HOME, said);
    expect(await events.next()).toEqual({ type: "growing", threadId: "home", said, id: null });
    web.adapter.showGrowing(HOME, null);
    await web.clock.advance(2_000);
    expect(await events.next()).toEqual({ type: "growing", threadId: "home", said: null, id: null });
    expect((await browser.get<{ messages: unknown[] }>("/api/threads/home/messages")).messages).toEqual([]);
    await browser.post("/api/viewing", { page: "p1", threadId: null });
    expect(web.adapter.watched()).toEqual([]);
    await events.close();
  });

  it("each page that shows a thread is told who else reads it", async () => {
    const browser = await web.browser();
    const [first, second] = [await browser.follow(undefined, "p1"), await browser.follow(undefined, "p2")];
    await browser.post("/api/viewing", { page: "p1", threadId: "home" });
    const readers = ["Ada in #general on pager can read this session."];
    web.adapter.showReaders(HOME, readers);
    expect(await first.next()).toEqual({ type: "readers", threadId: "home", readers, id: null });
    await browser.post("/api/viewing", { page: "p2", threadId: "home" });
    expect(await second.next()).toEqual({ type: "readers", threadId: "home", readers, id: null });
    await Promise.all([first.close(), second.close()]);
  });

  it("go on over a restart of the gateway, with nothing lost and nothing twice", async () => {
    const browser = await web.browser();
    const before = await browser.follow();
    for (const key of ["k1", "k2"]) await web.adapter.send(HOME, { text: key }, { key, signal });
    const seen = await before.take(4);
    const lastId = seen.at(-1)?.id ?? "";
    await web.adapter.send(HOME, { text: "k3" }, { key: "k3", signal });
    await web.restart();
    await web.adapter.send(HOME, { text: "k4" }, { key: "k4", signal });
    const after = await browser.follow(lastId);
    const texts = (await after.take(3)).flatMap((event) => (event.type === "message" ? [event.message.text] : []));
    expect(texts).toEqual(["k3", "k4"]);
    await after.close();
  });

  it("events tell a page that missed too much, or follows another file, to reload", async () => {
    const browser = await web.browser();
    const { eventId } = await browser.get<ChatsAnswer>("/api/chats");
    for (let i = 0; i < 1_001; i++) await web.adapter.send(HOME, { text: `${i}` }, { key: `k${i}`, signal });
    const latest = (await browser.get<ChatsAnswer>("/api/chats")).eventId;
    for (const lastId of [eventId, "another-7", "nonsense", latest.replace(/\d+$/, "99999")]) {
      const events = await browser.follow(lastId);
      expect(await events.next(), lastId).toEqual({ type: "reset", eventId: latest, id: null });
      await events.close();
    }
  });

  it("end when the browser is signed out", async () => {
    const browser = await web.browser();
    const events = await browser.follow();
    using file = openWebFile(web.folder, { now: web.clock.now() });
    file.signIns.forgetAll();
    await web.clock.advance(15_000);
    expect(await events.next()).toBeNull();
  });

  it("nothing is told to a browser that was signed out, from that moment on", async () => {
    const browser = await web.browser();
    const events = await browser.follow();
    using file = openWebFile(web.folder, { now: web.clock.now() });
    file.signIns.forgetAll();
    await web.adapter.send(HOME, { text: "not for them" }, { key: "k1", signal });
    expect(await events.next()).toBeNull();
  });

  it("a browser may follow eight live streams; the ninth has to wait", async () => {
    const browser = await web.browser();
    const open = await Promise.all(Array.from({ length: 8 }, () => browser.follow()));
    const refused = await browser.request("/api/events");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    await Promise.all(open.map((events) => events.close()));
  });
});
