import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { newCode } from "../../model/code.ts";
import { OPERATOR, type SessionId, type UserId } from "../../model/session.ts";
import { writerMark } from "../../model/writer-mark.ts";
import { accountLease } from "../../store/work-stores.ts";
import { createTestBench } from "../test-bench.ts";

const GROUP = { platform: "pager", chatId: "8", kind: "group" } as const;
const KEY = buildSessionKey(GROUP);

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let id: SessionId;

beforeEach(async () => {
  bench = await openBench();
  ({ id } = await bench.begin("plan"));
});

afterEach(() => bench[Symbol.asyncDispose]());

function bind() {
  return bench.host.store.bindings.bind({ key: KEY, conversation: GROUP, sessionId: id, mirrors: false });
}

const noteName = (name: string) =>
  bench.host.store.places.note({ key: KEY, conversation: GROUP, name, word: "heard", person: null });

test("the chat names a group's readers before one writes, and says when they are gone", async () => {
  await bind();
  for (const name of ['"Bob" #000001', '"A\\u001b[2Jda" #000002']) {
    await bench.exchange(id, `${writerMark("from", name, false)}\nhi`, "hello", KEY);
  }
  await noteName("#gen\u202eeral");
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await chat.printed("Bob and others in #general on pager can read this session.");
  expect(chat.stderr()).toMatch(/^A.*da, Bob and others/m);
  expect(chat.stderr()).not.toContain("\u001b[2J");
  await bench.host.store.bindings.unbind(KEY);
  await chat.printed("This session can no longer be read in #general on pager.");
  await bind();
  await expect.poll(() => chat.stderr().match(/can read this session/g)?.length).toBe(2);
  chat.end();
  await chat.ended;
});

test("`sessions where` says who reads a session, and where by the name of the chat", async () => {
  const thread = { ...GROUP, threadId: "1" };
  await noteName("#general");
  await bench.host.store.bindings.bind({
    ...{ key: buildSessionKey(thread), conversation: thread, sessionId: id, mirrors: false },
  });
  const where = "in a thread of #general on pager";
  expect((await bench.hermes("sessions", "where", "plan")).stdout).toContain(
    `  open ${where}, used just now\n  Others ${where} can read this session.\n`,
  );
  expect((await bench.hermes("sessions", "where", "plan", "--json")).json().readers).toEqual([
    { where, text: `Others ${where} can read this session.` },
  ]);
});

test("a guest is named once they can read the session; the operator's own chat is not", async () => {
  const { store } = bench.host;
  await redeemed({ key: "me", person: OPERATOR, user: OPERATOR });
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await expect.poll(async () => (await store.views.of(id)).length).toBe(1);
  await redeemed({ key: "eve", person: null, user: null });
  await chat.printed("eve, a guest on pager, can read this session.");
  expect(chat.stderr()).not.toContain("me, a guest");
  chat.end();
  await chat.ended;
});

async function redeemed({ key, person, user }: { key: string; person: UserId | null; user: UserId | null }) {
  const code = newCode();
  const { codes } = bench.host.store;
  await codes.create({ code, kind: "pass", person, sessionId: id, who: null, issuer: OPERATOR, ttlMs: 60_000 });
  const conversation = { platform: "pager", chatId: key, kind: "dm" } as const;
  const surface = buildSessionKey(conversation);
  const who = { platform: "pager", account: undefined, key, id: key, name: key, conversation, surface };
  expect(await codes.redeem({ code, who, user, messageId: key, mirrors: false, outbox: [] })).toMatchObject({
    ok: true,
  });
}

test("a member in whose private chat the session is open is named before one writes", async () => {
  const { store, holder } = bench.host;
  const conversation = { platform: "pager", chatId: "5", kind: "dm" } as const;
  const account = { platform: "pager", account: undefined };
  await store.leases.acquire(accountLease("pager", undefined), holder, 60_000);
  await store.grants.publish(
    { ...account, operators: [], allowedUsers: ["grace"], allowedBots: [], home: null },
    holder,
  );
  const key = buildSessionKey(conversation);
  const author = { ...account, senderId: "grace", aliases: [], conversation };
  await store.places.note({ key, conversation, name: "Grace", word: "heard", person: { author, name: "Grace" } });
  await store.bindings.bind({ key, conversation, sessionId: id, mirrors: false });
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await chat.printed("Grace on pager can read this session.");
  expect((await bench.hermes("places")).stdout).toContain("pager/Grace  private, Grace reads it, used just now");
  await store.bindings.unbind(key);
  await chat.printed("This session can no longer be read on pager.");
  chat.end();
  await chat.ended;
});

test("a second terminal on a session is told in both", async () => {
  const left = bench.start(["resume", "plan"], { interactive: true });
  await expect.poll(async () => (await bench.host.store.views.of(id)).length).toBe(1);
  const right = bench.start(["resume", "plan"], { interactive: true });
  await right.printed("Also open in another terminal (pid");
  await left.printed("Also open in another terminal (pid");
  left.end();
  right.end();
  await Promise.all([left.ended, right.ended]);
});
