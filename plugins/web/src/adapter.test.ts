import { statSync } from "node:fs";
import { Server } from "node:http";
import { join } from "node:path";
import { buildSessionKey, type Conversation, type Piece, PlatformError } from "@hermes/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunningWeb, startWeb } from "../test/running-web.ts";
import type { ChatsAnswer, MessagesAnswer } from "./server/wire/thread.ts";

const signal = new AbortController().signal;
const home = { chatId: "home", name: "Home" };
const answer = (text: string): Piece => ({ text, extra: { kind: "answer", author: "agent" } });

let web: RunningWeb;
beforeEach(async () => {
  web = await startWeb();
});
afterEach(async () => {
  await web[Symbol.asyncDispose]();
});

async function openThread(name = "Fix the build", mark = "mark-1") {
  return web.adapter.createHandoffThread("home", name, { home, mark, signal });
}

async function messagesOf(threadId: string) {
  const browser = await web.browser();
  return (await browser.get<MessagesAnswer>(`/api/threads/${threadId}/messages`)).messages;
}

describe("a handoff's thread", () => {
  it("a handoff's thread is listed, and its link holds no secret", async () => {
    const thread = await openThread("  Fix\n the   build ");
    const chats = await (await web.browser()).get<ChatsAnswer>("/api/chats");
    expect(chats.threads.map(({ name }) => name)).toEqual(["Fix the build"]);
    expect(thread.link).toBe(`${web.baseUrl}/t/${thread.conversation.threadId}`);
  });

  it("messages in a thread have its key, before and after a restart", async () => {
    const thread = await openThread();
    const browser = await web.browser();
    const path = `/api/threads/${thread.conversation.threadId}/messages`;
    await browser.post(path, { id: "before-01", text: "hello" });
    await web.restart();
    await browser.post(path, { id: "after-001", text: "hello again" });
    await web.clock.advance(0);
    const keys = web.received.map(({ conversation }) => buildSessionKey(conversation));
    expect(keys).toEqual([buildSessionKey(thread.conversation), buildSessionKey(thread.conversation)]);
  });

  it("a message that an earlier gateway left on the page reads as it was written", async () => {
    await (await web.browser()).post("/api/threads/home/messages", { id: "before-01", text: "hello" });
    const [left] = await web.untilReceived(1);
    await web.restart();
    expect(left && (await web.adapter.readNow(left))).toEqual(left);
  });

  it("a thread is opened once for its mark and found by it", async () => {
    const thread = await openThread();
    expect(await openThread()).toEqual(thread);
    await web.restart();
    expect(await web.adapter.findThread(home, "mark-1")).toEqual(thread);
    expect(await web.adapter.findThread(home, "mark-2")).toBeNull();
  });

  it("a deleted thread takes no message, and its mark finds nothing", async () => {
    const thread = await openThread();
    await web.adapter.deleteThread(thread);
    expect(await web.adapter.findThread(home, "mark-1")).toBeNull();
    const sending = web.adapter.send(thread.conversation, answer("late"), { key: "k", signal });
    await expect(sending).rejects.toMatchObject({ code: "PLATFORM_THREAD_GONE" });
    const response = await (await web.browser()).post(`/api/threads/${thread.conversation.threadId}/messages`, {
      id: "too-late-1",
      text: "hello?",
    });
    expect(response.status).toBe(410);
    expect((await openThread()).conversation.threadId).not.toBe(thread.conversation.threadId);
  });

  it("a thread in an unknown chat is refused", async () => {
    const opening = web.adapter.createHandoffThread("elsewhere", "x", { home, mark: "m", signal });
    await expect(opening).rejects.toMatchObject({ code: "PLATFORM_NOT_FOUND" });
  });
});

describe("what Hermes sends", () => {
  it("the same key sends one message", async () => {
    const at = await web.adapter.homeConversation(home);
    const first = await web.adapter.send(at, answer("Hello."), { key: "k1", signal });
    expect(await web.adapter.send(at, answer("Hello."), { key: "k1", signal })).toEqual(first);
    expect(await web.adapter.findSent(at, "k1")).toEqual(first);
    expect(await web.adapter.findSent(at, "k2")).toBeNull();
    expect(await messagesOf("home")).toHaveLength(1);
  });

  it("removes a message and its question 30 days after its session was deleted", async () => {
    const at = await web.adapter.homeConversation(home);
    await (await web.browser()).post("/api/threads/home/messages", { id: "persons-1", text: "What is the plan?" });
    await web.adapter.send(at, answer("A deleted session's"), { key: "k1", sessionId: "ses_deleted", signal });
    await web.adapter.send(at, answer("Another's"), { key: "k2", sessionId: "ses_kept", signal });
    const prune = () => web.adapter.prune(async (sessions) => sessions.filter((id) => id === "ses_deleted"));
    await prune();
    expect(await messagesOf("home")).toHaveLength(3);
    await web.clock.advance(30 * 24 * 60 * 60_000);
    await prune();
    expect((await messagesOf("home")).map(({ text }) => text)).toEqual(["Another's"]);
  });

  it("grows by edits, in its place", async () => {
    const at = await web.adapter.homeConversation(home);
    const { messageId } = await web.adapter.send(at, answer("One"), { key: "k1", signal });
    await web.adapter.send(at, answer("Another"), { key: "k2", signal });
    await web.adapter.edit(at, messageId, answer("One, two"));
    expect((await messagesOf("home")).map(({ text }) => text)).toEqual(["One, two", "Another"]);
  });

  it("cannot change a message of another thread, or one that a person wrote", async () => {
    const thread = await openThread();
    const at = await web.adapter.homeConversation(home);
    const { messageId } = await web.adapter.send(at, answer("Mine"), { key: "k1", signal });
    await (await web.browser()).post("/api/threads/home/messages", { id: "persons-1", text: "hi" });
    for (const [where, id] of [
      [thread.conversation, messageId],
      [at, "persons-1"],
    ] as [Conversation, string][]) {
      await expect(web.adapter.edit(where, id, answer("x"))).rejects.toMatchObject({ code: "PLATFORM_NOT_FOUND" });
    }
  });

  it("a card, a notice and an echo are shown as such", async () => {
    const at = await web.adapter.homeConversation(home);
    const pieces = [
      ...web.adapter.render({ kind: "card", markdown: "**State**" }),
      ...web.adapter.render({ kind: "notice", markdown: "Moved." }),
      ...web.adapter.render({ kind: "echo", markdown: "ls", author: "user", place: "in the terminal" }),
    ];
    for (const [index, piece] of pieces.entries()) await web.adapter.send(at, piece, { key: `k${index}`, signal });
    expect((await messagesOf("home")).map(({ kind, author, place }) => [kind, author, place])).toEqual([
      ["card", "hermes", null],
      ["notice", "hermes", null],
      ["echo", "user", "in the terminal"],
    ]);
  });
});

describe("what a person writes", () => {
  it("a posted message is accepted only once Hermes has stored it", async () => {
    let take = () => {};
    web.onReceive = () =>
      new Promise((resolve) => {
        take = resolve;
      });
    await (await web.browser()).post("/api/threads/home/messages", { id: "message-1", text: "hello" });
    await web.clock.advance(0);
    expect(await messagesOf("home")).toMatchObject([{ id: "message-1", isAccepted: false }]);
    take();
    await web.clock.advance(0);
    expect(await messagesOf("home")).toMatchObject([{ id: "message-1", isAccepted: true }]);
  });

  it("tells Hermes what a message replies to, if that stands in the same thread", async () => {
    const at = { platform: "web", chatId: "home", kind: "dm" } as const;
    const options = { key: "k", signal: new AbortController().signal };
    const { messageId } = await web.adapter.send(at, { text: "Blue.", extra: { kind: "answer" } }, options);
    const browser = await web.browser();
    await browser.post("/api/threads/home/messages", { id: "message-1", text: "Why?", replyTo: messageId });
    await browser.post("/api/threads/home/messages", { id: "message-2", text: "So?", replyTo: "message-1" });
    await browser.post("/api/threads/home/messages", { id: "message-3", text: "Oh.", replyTo: "elsewhere" });
    await web.clock.advance(1_000);
    expect(web.received.map(({ refersTo }) => refersTo)).toEqual([
      { messageId, text: "Blue.", isOwn: true },
      { messageId: "message-1", text: "Why?", writer: { id: "owner" } },
      undefined,
    ]);
  });

  it("delivers messages in order, one by one, and again if Hermes could not take one", async () => {
    web.onReceive = async () => {
      if (web.received.length === 1) throw new Error("the store is busy");
    };
    const browser = await web.browser();
    await browser.post("/api/threads/home/messages", { id: "message-1", text: "one" });
    await browser.post("/api/threads/home/messages", { id: "message-2", text: "two" });
    await web.clock.advance(1_000);
    expect(web.received.map(({ text }) => text)).toEqual(["one", "one", "two"]);
  });

  it("reaches Hermes after a restart when it was kept but not taken, under the same id", async () => {
    web.onReceive = () => new Promise(() => {});
    await (await web.browser()).post("/api/threads/home/messages", { id: "message-1", text: "hello" });
    await web.clock.advance(0);
    web.onReceive = async () => {};
    await web.restart();
    await web.clock.advance(0);
    expect(web.received).toMatchObject([
      { messageId: "message-1", sender: { id: "owner" }, conversation: { kind: "dm", chatId: "home" } },
      { messageId: "message-1" },
    ]);
    expect(await messagesOf("home")).toMatchObject([{ isAccepted: true }]);
  });
});

describe("the adapter", () => {
  it("keeps its file to its owner", () => {
    for (const name of ["web.db", "web.db-wal"]) {
      expect(statSync(join(web.folder, name)).mode & 0o777, name).toBe(0o600);
    }
  });

  it("calls the home channel by the name that the config gives it", async () => {
    await using named = await startWeb({ homeChannel: { chatId: "home", name: "Ada's desk" } });
    expect((await (await named.browser()).get<ChatsAnswer>("/api/chats")).home.name).toBe("Ada's desk");
  });

  it("keeps its port over a restart where the config names none, so links stay good", async () => {
    const { baseUrl } = web;
    await web.restart();
    expect(web.baseUrl).toBe(baseUrl);
  });

  it("the start says which port is in use, and what to set", async () => {
    const port = Number(new URL(web.baseUrl).port);
    const starting = startWeb({ port });
    await expect(starting).rejects.toBeInstanceOf(PlatformError);
    await expect(starting).rejects.toThrow(`port ${port} on 127.0.0.1 is in use by another program; set \`port\``);
  });

  it("the adapter restarts and serves the page again after its server failed", async () => {
    const listen = vi.spyOn(Server.prototype, "listen");
    await web.restart();
    const server = listen.mock.contexts.at(-1) as Server;
    listen.mockRestore();
    server.emit("error", new Error("accept EMFILE"));
    expect(web.adapter.health()).toMatchObject({ state: "down", detail: expect.stringContaining("started again") });
    await web.clock.advance(0);
    expect(web.failures).toMatchObject([{ code: "PLATFORM_UNAVAILABLE", retryable: true }]);
    await web.restart();
    expect(web.adapter.health()).toEqual({ state: "up" });
    expect((await (await web.browser()).request("/api/chats")).status).toBe(200);
  });

  it("stops at once though pages follow it, and says that it is down", async () => {
    const events = await (await web.browser()).follow();
    expect(web.adapter.health()).toEqual({ state: "up" });
    await web.adapter.stop();
    await expect(events.next().catch(() => null)).resolves.toBeNull();
    expect(web.adapter.health().state).toBe("down");
    const at = { platform: "web", chatId: "home", kind: "dm" } as const;
    await expect(web.adapter.send(at, answer("x"), { key: "k", signal })).rejects.toMatchObject({ retryable: true });
  });
});
