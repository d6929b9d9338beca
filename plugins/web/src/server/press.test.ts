import type { Conversation, OutboundMessage } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BrowserClient } from "../../test/browser-client.ts";
import { type RunningWeb, startWeb } from "../../test/running-web.ts";
import type { ChatsAnswer, ErrorAnswer, MessagesAnswer, WireChoice } from "./wire/thread.ts";

const signal = new AbortController().signal;
const HOME: Conversation = { platform: "web", chatId: "home", kind: "dm" };
const ALLOW = { id: "apr-c0ffee.once", label: "Allow once", style: "primary" } as const;
const DENY = { id: "apr-c0ffee.no", label: "No", style: "danger" } as const;
const FORGED = "apr-forged.once";

let web: RunningWeb;
beforeEach(async () => {
  web = await startWeb();
});
afterEach(async () => {
  await web[Symbol.asyncDispose]();
});

function piecesOf(choices: readonly WireChoice[], markdown = "Run `make`?") {
  const message: OutboundMessage = { kind: "question", markdown, ...(choices.length > 0 ? { choices } : {}) };
  return web.adapter.render(message);
}

async function ask(at = HOME, key = "k", choices: readonly WireChoice[] = [ALLOW, DENY]): Promise<string> {
  const [piece] = piecesOf(choices);
  if (!piece) throw new Error("a question renders to nothing");
  return (await web.adapter.send(at, piece, { key, signal })).messageId;
}

const refusalOf = async (response: Response) =>
  [response.status, ((await response.json()) as ErrorAnswer).error.code] as const;

const messagesOf = async (browser: BrowserClient) =>
  (await browser.get<MessagesAnswer>("/api/threads/home/messages")).messages;

describe("a press on the page", () => {
  it("a press carries its thread, message and choice, and the page's person", async () => {
    const options = { home: { chatId: "home" }, mark: "mark", signal };
    const thread = (await web.adapter.createHandoffThread("home", "Fix the build", options)).conversation;
    const [atHome, inThread] = [await ask(), await ask(thread)];
    const browser = await web.browser();
    await browser.post("/api/threads/home/messages", { id: "message-1", text: "hello" });
    for (const [threadId, messageId, choiceId] of [
      ["home", atHome, ALLOW.id],
      [thread.threadId, inThread, DENY.id],
    ]) {
      const response = await browser.post(`/api/threads/${threadId}/press`, { messageId, choiceId });
      expect(response.status).toBe(204);
    }
    const sender = web.received[0]?.sender;
    expect(sender).toEqual({ id: "owner" });
    expect(web.pressed).toEqual([
      { conversation: web.received[0]?.conversation, messageId: atHome, choiceId: ALLOW.id, sender },
      { conversation: thread, messageId: inThread, choiceId: DENY.id, sender },
    ]);
  });

  it("a press is acknowledged only once Hermes has kept it", async () => {
    let keep = () => {};
    web.onChoose = () =>
      new Promise((resolve) => {
        keep = resolve;
      });
    const browser = await web.browser();
    const press = browser.post("/api/threads/home/press", { messageId: await ask(), choiceId: ALLOW.id });
    await web.until(() => web.pressed.length === 1);
    const others = async () => {
      for (let i = 0; i < 5; i++) await fetch(`${web.baseUrl}/healthz`);
      return null;
    };
    expect(await Promise.race([press, others()])).toBeNull();
    keep();
    expect((await press).status).toBe(204);
  });

  it("a press that Hermes could not keep is refused, and can be made again", async () => {
    web.onChoose = async () => {
      if (web.pressed.length === 1) throw new Error("the store is busy");
    };
    const browser = await web.browser();
    const press = { messageId: await ask(), choiceId: ALLOW.id };
    expect(await refusalOf(await browser.post("/api/threads/home/press", press))).toEqual([503, "BUSY"]);
    expect(web.logged.join("\n")).toContain("the store is busy");
    expect(web.logged.join("\n")).not.toContain(ALLOW.id);
    expect((await browser.post("/api/threads/home/press", press)).status).toBe(204);
  });

  it("a choice that is forged or of another message is reported, and named nowhere", async () => {
    const messageId = await ask();
    await ask(HOME, "k2", [{ ...ALLOW, id: "apr-other.once" }]);
    const browser = await web.browser();
    const answers: string[] = [];
    for (const choiceId of [FORGED, "apr-other.once"]) {
      const response = await browser.post("/api/threads/home/press", { messageId, choiceId });
      answers.push(`${response.status}${await response.text()}`);
    }
    expect(answers).toEqual(["204", "204"]);
    expect(web.pressed.map(({ choiceId }) => choiceId)).toEqual([FORGED, "apr-other.once"]);
    expect(web.logged.join("\n")).not.toMatch(/apr-/);
    expect(JSON.stringify(await messagesOf(browser))).not.toContain(FORGED);
  });

  it("a press on a message of another thread, or none, is refused", async () => {
    const options = { home: { chatId: "home" }, mark: "mark", signal };
    const { conversation } = await web.adapter.createHandoffThread("home", "Fix the build", options);
    const browser = await web.browser();
    const press = { messageId: await ask(conversation), choiceId: ALLOW.id };
    expect(await refusalOf(await browser.post("/api/threads/home/press", press))).toEqual([410, "MESSAGE_GONE"]);
    const nowhere = { ...press, messageId: "msg_nowhere" };
    expect(await refusalOf(await browser.post("/api/threads/home/press", nowhere))).toEqual([410, "MESSAGE_GONE"]);
    expect(await refusalOf(await browser.post("/api/threads/thr_gone/press", press))).toEqual([410, "THREAD_GONE"]);
    expect(web.pressed).toEqual([]);
  });

  it("a press is checked as a message is: cookie, origin, type, form and rate", async () => {
    const messageId = await ask();
    const press = { messageId, choiceId: ALLOW.id };
    const path = "/api/threads/home/press";
    const browser = await web.browser();
    expect(await refusalOf(await new BrowserClient(web.baseUrl).post(path, press))).toEqual([401, "NOT_SIGNED_IN"]);
    const origin = { origin: "https://evil.example" };
    expect(await refusalOf(await browser.post(path, press, origin))).toEqual([403, "WRONG_ORIGIN"]);
    const type = { "content-type": "text/plain" };
    expect(await refusalOf(await browser.post(path, JSON.stringify(press), type))).toEqual([415, "NOT_JSON"]);
    for (const choiceId of [undefined, 1, "", "ö", "x".repeat(65), "a\nb"]) {
      expect((await browser.post(path, { messageId, choiceId })).status).toBe(422);
    }
    expect(web.pressed).toEqual([]);
    // A browser may post sixty times a minute: seven of them are above.
    for (let i = 0; i < 53; i++) await browser.post(path, press);
    expect(await refusalOf(await browser.post(path, press))).toEqual([429, "TOO_MANY"]);
    expect(web.pressed).toHaveLength(53);
  });
});

describe("a question's choices", () => {
  it("an edit keeps or removes choices, in open pages and for one that comes back", async () => {
    const browser = await web.browser();
    const [one, another] = [await browser.follow(), await browser.follow()];
    const messageId = await ask();
    const [asked] = await one.take(2);
    expect(asked).toMatchObject({ type: "message", message: { kind: "question", choices: [ALLOW, DENY] } });
    await another.take(2);
    const edit = async (choices: readonly WireChoice[], text: string) => {
      const [piece] = piecesOf(choices, text);
      if (piece) await web.adapter.edit(HOME, messageId, piece);
    };
    const seen = async () => (await messagesOf(browser)).map(({ text, choices }) => [text, choices.length]);
    await edit([ALLOW], "Run `make`?");
    for (const events of [one, another]) {
      expect(await events.next()).toMatchObject({ message: { id: messageId, choices: [ALLOW] } });
    }
    const { id: lastId } = (await (await browser.follow(asked?.id ?? "")).next()) ?? {};
    await edit([], "Allowed by you.");
    for (const events of [one, another]) {
      expect(await events.next()).toMatchObject({ message: { text: "Allowed by you.", choices: [] } });
    }
    expect(await seen()).toEqual([["Allowed by you.", 0]]);
    await web.restart();
    expect(await seen()).toEqual([["Allowed by you.", 0]]);
    const missed = await (await browser.follow(lastId ?? "")).next();
    expect(missed).toMatchObject({ message: { text: "Allowed by you.", choices: [] } });
  });

  it("choices are kept over a restart, and a question that is sent again has them once", async () => {
    const first = await ask();
    await web.restart();
    expect(await ask()).toBe(first);
    expect(await messagesOf(await web.browser())).toMatchObject([{ id: first, choices: [ALLOW, DENY] }]);
  });

  it("choices that come back malformed are left out", async () => {
    const piece = { text: "Well?", extra: { kind: "question", choices: [ALLOW, { label: "No id" }] } };
    await web.adapter.send(HOME, piece, { key: "k", signal });
    expect(await messagesOf(await web.browser())).toMatchObject([{ kind: "question", choices: [] }]);
  });

  it("a long question has its choices below its last piece", () => {
    const pieces = piecesOf([ALLOW], "word ".repeat(30_000));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map(({ extra }) => extra?.choices)).toEqual([...Array(pieces.length - 1), [ALLOW]]);
  });

  it("a choice's id reaches signed-in browsers only, with its message and nowhere else", async () => {
    await ask();
    const stranger = new BrowserClient(web.baseUrl);
    const paths = ["/", "/threads", "/t/home", "/healthz", "/api/chats", "/api/threads/home/messages", "/api/events"];
    for (const path of paths) {
      expect(await (await stranger.request(path)).text(), path).not.toContain("c0ffee");
    }
    expect(JSON.stringify(await (await web.browser()).get<ChatsAnswer>("/api/chats"))).not.toContain("c0ffee");
    expect(web.logged.join("\n")).not.toContain("c0ffee");
  });
});
