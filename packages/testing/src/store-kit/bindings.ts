import { buildSessionKey, type Conversation, chatOf } from "@hermes/core";
import { OPERATOR, type OutboxId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, DAY_MS, entry, HOME, HOME_KEY, MOVED, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

export function describeBindings(test: StoreTest): void {
  describe("bindings", () => {
    test("a binding survives a restart, and remembers the session before", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const { bindings } = kit.store;
      const at = { key: HOME_KEY, conversation: { ...HOME, account: undefined }, mirrors: true };
      expect(await bindings.bind({ ...at, sessionId: a.id })).toMatchObject({ previousSessionId: null, mirrors: true });
      expect(await bindings.bind({ ...at, sessionId: b.id })).toMatchObject({ previousSessionId: a.id });
      expect(await bindings.bind({ ...at, sessionId: b.id })).toMatchObject({ previousSessionId: a.id });
      await kit.restart();
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({
        sessionId: b.id,
        previousSessionId: a.id,
        conversation: HOME,
        boundAt: kit.clock.now(),
      });
      await kit.store.bindings.unbind(HOME_KEY);
      expect(await kit.store.bindings.get(HOME_KEY)).toBeNull();
    });

    test.inSession("a session has several, the one used last first", async (kit, id) => {
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
      await kit.clock.advance(1);
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: false });
      const keys = async () => (await kit.store.bindings.of(id)).map(({ key }) => key);
      expect(await keys()).toEqual([THREAD_KEY, HOME_KEY]);
      await kit.clock.advance(1);
      await kit.granted(id, { surface: HOME_KEY });
      expect(await keys()).toEqual([HOME_KEY, THREAD_KEY]);
    });

    test("one step parts a chat from a session, and drops what waits there of it", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const { bindings, outbox } = kit.store;
      await bindings.bind({ ...AT_HOME, sessionId: a.id, mirrors: false });
      const [refused] = await outbox.enqueue([{ ...entry("refused"), sessionId: a.id }]);
      const error = { code: "PLATFORM_REJECTED", text: "no" } as const;
      await outbox.settleSend(refused?.id as OutboxId, { kind: "failed", error });
      const theirs = [entry("hello"), { ...entry("of b"), sessionId: b.id }];
      const elsewhere = { ...entry("elsewhere", THREAD), sessionId: a.id };
      await outbox.enqueue([{ ...entry("of a"), sessionId: a.id }, ...theirs, elsewhere]);
      expect(await bindings.part(HOME_KEY, b.id, [entry("parted")])).toBe(false);
      expect(await bindings.get(HOME_KEY)).toMatchObject({ sessionId: a.id });
      expect(await bindings.part(HOME_KEY, a.id, [entry("parted")])).toBe(true);
      expect(await bindings.part(HOME_KEY, a.id, [entry("parted")])).toBe(false);
      await kit.restart();
      expect(await kit.store.bindings.get(HOME_KEY)).toBeNull();
      const notices = { failed: entry("before").message, uncertain: entry("before").message };
      expect(await kit.store.deliveries.offer(AT_HOME, notices, 9)).toEqual([]);
      const gateway = await kit.gateway();
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["hello", "of b", "parted"]);
      expect(await kit.drain(THREAD_KEY, gateway)).toEqual(["elsewhere"]);
    });

    test.inSession("a session that is not there is not bound", async (kit, id) => {
      await kit.store.sessions.delete(id);
      await expect(kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false })).rejects.toMatchObject({
        code: "SESSION_UNKNOWN",
      });
    });

    test("a message to a deleted session is answered as such until somebody was told", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const at = { ...AT_HOME, mirrors: false };
      const missed = (sentAt: number, receivedAt = kit.clock.now()) =>
        kit.store.bindings.missedSession(HOME_KEY, { sentAt, receivedAt });
      await kit.store.bindings.bind({ ...at, sessionId: a.id });
      expect(await missed(0)).toBe(false);
      await kit.store.sessions.delete(a.id);
      const deletedAt = kit.clock.now();
      await kit.clock.advance(1_000);
      await kit.restart();
      expect(await missed(deletedAt)).toBe(false);
      const receivedAt = kit.clock.now();
      expect(await missed(deletedAt - 1)).toBe(true);
      await kit.clock.advance(1);
      expect(await missed(deletedAt - 1, receivedAt)).toBe(true);
      expect(await missed(deletedAt - 1)).toBe(false);
      await kit.store.bindings.bind({ ...at, sessionId: b.id });
      expect(await missed(deletedAt - 1, receivedAt)).toBe(false);
    });

    test.inSession("forgets after 30 days that a session was deleted", async (kit, id) => {
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
      await kit.store.sessions.delete(id);
      await kit.clock.advance(30 * DAY_MS + 1);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.bindings.missedSession(HOME_KEY, { sentAt: 0, receivedAt: kit.clock.now() })).toBe(false);
    });

    test.inSession("a thread that is renamed or moved keeps its session and what waits there", async (kit, id) => {
      const { bindings, outbox, inbox } = kit.store;
      const chat: Conversation = { platform: "pager", chatId: "7", kind: "group" };
      const [former, other] = [
        { ...chat, threadId: "plan" },
        { ...chat, threadId: "plan b" },
      ];
      const lane = (conversation: Conversation) => ({ key: buildSessionKey(conversation), conversation });
      for (const at of [chat, former, other]) await bindings.bind({ ...lane(at), sessionId: id, mirrors: false });
      const message = (messageId: string, at: Conversation) =>
        ({ conversation: at, messageId, sender: { id: "ada" }, text: "Hi", sentAt: 0 }) as const;
      await inbox.acceptInbound(lane(former).key, message("1", former));
      await inbox.acceptInbound(lane(chat).key, message("2", chat));
      await outbox.enqueue([{ ...lane(former), message: { kind: "notice", markdown: "Hello" } }]);
      await bindings.setHome("pager", undefined, { chatId: "7", threadId: "plan", name: "Plan" });

      const renamed = { ...chat, threadId: "our plan" };
      const elsewhere: Conversation = { ...chat, chatId: "8", threadId: "our plan" };
      for (const [from, to] of [
        [former, renamed],
        [former, renamed],
        [renamed, elsewhere],
      ] as const) {
        await bindings.moveChat(lane(from), lane(to), MOVED);
      }
      await kit.restart();
      const { store } = kit;
      const sessionAt = async (at: Conversation) => (await store.bindings.get(lane(at).key))?.sessionId;
      expect(await Promise.all([chat, former, renamed, elsewhere, other].map(sessionAt))).toEqual([
        ...[id, undefined, undefined, id, id],
      ]);
      expect((await store.inbox.openLanes("pager", undefined)).sort()).toEqual([lane(chat).key, lane(elsewhere).key]);
      expect((await store.inbox.head(lane(elsewhere).key))?.message.conversation).toEqual(elsewhere);
      expect((await store.inbox.acceptInbound(lane(elsewhere).key, message("1", elsewhere))).outcome).toBe("duplicate");
      expect(await store.outbox.head(lane(elsewhere).key)).toMatchObject({ conversation: elsewhere });
      expect(await store.bindings.home("pager", undefined)).toEqual({
        chatId: "8",
        threadId: "our plan",
        name: "Plan",
      });
    });

    test("a chat that got another id keeps its sessions, its threads and what waits there", async (kit) => {
      const { id } = await kit.session();
      const { bindings, outbox, inbox, sessions } = kit.store;
      const former: Conversation = { platform: "pager", chatId: "7", kind: "group" };
      const now: Conversation = { ...former, chatId: "-1007" };
      const lane = (conversation: Conversation) => ({ key: buildSessionKey(conversation), conversation });
      const inThread = (at: Conversation) => ({ ...at, threadId: "t" });
      // A chat with the same id on another account is another chat.
      const other = { ...former, account: "second" };
      for (const at of [former, inThread(former), other]) {
        await bindings.bind({ ...lane(at), sessionId: id, mirrors: false });
      }
      const begun = await sessions.create({ user: OPERATOR, origin: lane(former).key, originChat: lane(former).key });
      const waiting = { conversation: former, messageId: "1", sender: { id: "ada" }, text: "Hi", sentAt: 0 };
      await inbox.acceptInbound(lane(former).key, waiting);
      await outbox.enqueue([{ ...lane(former), message: { kind: "notice", markdown: "Hello" } }]);
      await bindings.setHome("pager", undefined, { chatId: "7", name: "Team" });

      await bindings.moveChat(lane(former), lane(now), MOVED);
      await bindings.moveChat(lane(former), lane(now), MOVED);
      await kit.restart();
      const { store } = kit;
      const sessionAt = async (at: Conversation) => (await store.bindings.get(lane(at).key))?.sessionId;
      expect(await sessionAt(now)).toBe(id);
      expect(await sessionAt(inThread(now))).toBe(id);
      expect(await sessionAt(other)).toBe(id);
      expect(await sessionAt(former)).toBeUndefined();
      expect(await store.inbox.openLanes("pager", undefined)).toEqual([lane(now).key]);
      expect((await store.inbox.head(lane(now).key))?.message).toMatchObject({ text: "Hi", conversation: now });
      expect(await store.outbox.head(lane(now).key)).toMatchObject({ conversation: now });
      expect(await store.bindings.home("pager", undefined)).toEqual({ chatId: "-1007", name: "Team" });
      const { sessions: seen } = await store.sessions.list({
        visible: { kind: "of-chat", chat: lane(now).key, here: lane(now).key },
        limit: 9,
      });
      expect(seen.map((session) => session.id).sort()).toEqual([id, begun.id]);
    });

    const group: Conversation = { platform: "pager", chatId: "7", kind: "group" };
    const laneAt = (conversation: Conversation) => ({ key: buildSessionKey(conversation), conversation });

    test("a moved thread takes along where sessions that began in it are listed", async (kit) => {
      const from = laneAt({ ...group, threadId: "7" });
      const to = laneAt({ ...group, chatId: "8", threadId: "7" });
      const chats = [from, to].map(({ conversation }) => buildSessionKey(chatOf(conversation)));
      const { id } = await kit.store.sessions.create({
        ...{ user: OPERATOR, origin: from.key, originChat: chats[0] ?? null },
      });
      const back = { ...to.conversation, chatId: "9" };
      await kit.store.bindings.moveChat(from, to, MOVED);
      await kit.store.bindings.moveChat(to, laneAt(back), MOVED);
      await kit.restart();
      expect(await kit.store.sessions.get(id)).toMatchObject({
        ...{ origin: buildSessionKey(back), originChat: buildSessionKey(chatOf(back)) },
      });
    });

    test("a home channel is kept for each account, with whatever the platform adds", async (kit) => {
      const home = { chatId: "100", name: "Family", shared: true, forumTag: "hermes" };
      await kit.store.bindings.setHome("pager", undefined, { chatId: "1" });
      await kit.store.bindings.setHome("pager", undefined, home);
      await kit.store.bindings.setHome("pager", "second", { chatId: "2" });
      await kit.restart();
      expect(await kit.store.bindings.home("pager", undefined)).toEqual(home);
      expect(await kit.store.bindings.home("pager", "second")).toEqual({ chatId: "2" });
      expect(await kit.store.bindings.home("beacon", undefined)).toBeNull();
    });
  });
}
