import { buildSessionKey, type Conversation } from "@hermes/core";
import type { HandoffId, Holder, SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { type Kit, LEASE_MS, MOVED, REFUSED, type StoreTest } from "./kit.ts";

const CHAT: Conversation = { platform: "pager", chatId: "7", kind: "group" };
const THREAD: Conversation = { ...CHAT, threadId: "t" };
const NOW: Conversation = { ...CHAT, chatId: "-1007" };
const THREAD_NOW: Conversation = { ...NOW, threadId: "t" };
const [CHAT_KEY, THREAD_KEY, NOW_KEY] = [buildSessionKey(CHAT), buildSessionKey(THREAD), buildSessionKey(NOW)];

export function describeMovedChats(test: StoreTest): void {
  describe("a handoff that fails after its chat got another id", () => {
    for (const [place, conversation, now] of [
      ["a chat", CHAT, NOW],
      ["a thread", THREAD, THREAD_NOW],
    ] as const) {
      for (const order of ["newer first", "older first"] as const) {
        test(`two failed handoffs put back the session of ${place} with a new id, ${order}`, async (kit) => {
          const { former, before, fail } = await replacedTwice(kit, conversation);
          await move(kit);
          await kit.restart();
          await fail(order);
          const key = buildSessionKey(now);
          expect(await kit.store.bindings.get(key)).toEqual({ ...before, key, conversation: now });
          expect((await kit.store.bindings.of(former)).map((binding) => binding.key)).toEqual([key]);
          expect(await kit.store.sessions.get(former)).toMatchObject({ lastSurface: key });
        });
      }
    }

    test("puts back the chat's session rather than one begun under its new id", async (kit) => {
      const { former, fail } = await replacedTwice(kit, CHAT);
      await boundSession(kit, NOW);
      await move(kit);
      await fail("older first");
      expect(await kit.store.bindings.get(NOW_KEY)).toMatchObject({ sessionId: former });
    });

    test("puts back the session begun under the chat's new id where it had no other", async (kit) => {
      const gateway = kit.process("gateway");
      const handoff = await kit.bound((await kit.session()).id, gateway, CHAT);
      const begun = await boundSession(kit, NOW);
      await move(kit);
      await failAll(kit, gateway, [handoff]);
      expect(await kit.store.bindings.get(NOW_KEY)).toMatchObject({ sessionId: begun });
    });
  });

  describe("a handoff that fails after its thread is gone", () => {
    test("leaves the chat around it with the chat's own session", async (kit) => {
      const { fail } = await replacedTwice(kit, THREAD);
      const here = await boundSession(kit, CHAT);
      await leaveThread(kit);
      await fail("older first");
      expect(await kit.store.bindings.get(CHAT_KEY)).toMatchObject({ sessionId: here });
    });

    test("leaves a chat that had no session with the one of the thread", async (kit) => {
      const { former, fail } = await replacedTwice(kit, THREAD);
      await leaveThread(kit);
      await fail("older first");
      expect(await kit.store.bindings.get(CHAT_KEY)).toMatchObject({ sessionId: former, conversation: CHAT });
    });
  });

  describe("a chat that got another id", () => {
    test("goes on with the message that was at work there when its gateway died", async (kit) => {
      const sessionId = await boundSession(kit, CHAT);
      const row = await kit.accepted("hello", CHAT);
      const cause = { kind: "inbox", inboxId: row.id } as const;
      const { turn } = await kit.granted(sessionId, { cause, surface: CHAT_KEY });
      await move(kit);
      await kit.restart();
      await kit.clock.advance(LEASE_MS);
      expect(await kit.store.inbox.head(CHAT_KEY)).toBeNull();
      const head = await kit.store.inbox.head(NOW_KEY);
      expect(head).toMatchObject({ id: row.id, state: "running", message: { conversation: NOW } });
      const again = await kit.granted(sessionId, { cause: { ...cause, digest: head?.digest }, surface: NOW_KEY });
      expect(again.turn).toMatchObject({ id: turn.id, attempt: 2, surface: NOW_KEY });
      // It may come again by its former id, and the ids of the chat begin anew.
      const { messageId } = row.message;
      const twice = await kit.store.inbox.acceptInbound(CHAT_KEY, row.message);
      expect(twice).toEqual({ outcome: "duplicate" });
      const other = { ...row.message, conversation: NOW, messageId, text: "another" };
      expect(await kit.store.inbox.acceptInbound(NOW_KEY, other)).toMatchObject({ outcome: "accepted" });
    });

    test("a new message is taken in, though one that waits from before had its id", async (kit) => {
      const { inbox } = kit.store;
      const { message } = await kit.accepted("hello", CHAT);
      await move(kit);
      await move(kit);
      const other = { ...message, conversation: NOW, text: "another" };
      expect(await inbox.acceptInbound(NOW_KEY, other)).toMatchObject({ outcome: "accepted" });
      // By its former id the one from before is known still, and can be edited and taken back.
      expect(await inbox.acceptInbound(CHAT_KEY, message)).toEqual({ outcome: "duplicate" });
      const edit = { ...message, text: "hello again", isEdit: true };
      expect(await inbox.acceptInbound(CHAT_KEY, edit)).toMatchObject({ outcome: "replaced" });
      const first = await inbox.head(NOW_KEY);
      expect(first?.message).toMatchObject({ text: "hello again", conversation: NOW });
      expect(await inbox.retract(CHAT, message.messageId)).toBe(true);
      expect((await inbox.head(NOW_KEY))?.message.text).toBe("another");
    });

    test("a message that waits goes along, though one in the new chat has its id", async (kit) => {
      const { message } = await kit.accepted("hello", THREAD);
      await kit.store.inbox.acceptInbound(NOW_KEY, { ...message, conversation: NOW, text: "another" });
      const [from, to] = [THREAD, THREAD_NOW].map((at) => ({ key: buildSessionKey(at), conversation: at }));
      if (from && to) await kit.store.bindings.moveChat(from, to, MOVED);
      expect(await kit.store.inbox.head(THREAD_KEY)).toBeNull();
      const moved = await kit.store.inbox.head(buildSessionKey(THREAD_NOW));
      expect(moved?.message).toMatchObject({ text: "hello", conversation: THREAD_NOW });
    });

    test("remembers which session it led to before", async (kit) => {
      const before = await boundSession(kit, CHAT);
      const now = await boundSession(kit, CHAT);
      await move(kit);
      expect(await kit.store.bindings.get(NOW_KEY)).toMatchObject({ sessionId: now, previousSessionId: before });
    });
  });
}

async function boundSession(kit: Kit, conversation: Conversation): Promise<SessionId> {
  const { id: sessionId } = await kit.session();
  await kit.store.bindings.bind({ key: buildSessionKey(conversation), conversation, sessionId, mirrors: false });
  return sessionId;
}

function move({ store }: Kit): Promise<void> {
  return store.bindings.moveChat({ key: CHAT_KEY, conversation: CHAT }, { key: NOW_KEY, conversation: NOW }, MOVED);
}

function leaveThread({ store }: Kit): Promise<void> {
  return store.outbox.moveLane(THREAD_KEY, { key: CHAT_KEY, conversation: CHAT });
}

/** A session that was used at a place, which two handoffs that run have taken since, the older one first. */
async function replacedTwice(kit: Kit, conversation: Conversation) {
  const { id: former } = await kit.session();
  const key = buildSessionKey(conversation);
  await kit.store.bindings.bind({ key, conversation, sessionId: former, mirrors: true });
  await kit.granted(former, { surface: key });
  const before = await kit.store.bindings.get(key);
  const gateway = kit.process("gateway");
  const older = await kit.bound((await kit.session()).id, gateway, conversation);
  const newer = await kit.bound((await kit.session()).id, gateway, conversation);
  const fail = (order: "older first" | "newer first") =>
    failAll(kit, gateway, order === "older first" ? [older, newer] : [newer, older]);
  return { former, before, fail };
}

async function failAll({ store }: Kit, gateway: Holder, handoffs: readonly HandoffId[]): Promise<void> {
  for (const id of handoffs) expect(await store.handoffs.compensateHandoff(id, gateway, REFUSED)).toBe(true);
}
