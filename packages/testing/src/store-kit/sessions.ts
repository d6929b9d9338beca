import { buildSessionKey, type Conversation } from "@hermes/core";
import { EVERY_SESSION, TITLE_LIMIT, type UserId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, entry, HOME, HOME_KEY, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

export function describeSessions(test: StoreTest): void {
  describe("sessions", () => {
    test("a new session is there after a restart, as it was made", async (kit) => {
      const session = await kit.session({ title: "Plan", model: "a/b", workingDirectory: "/home/ada" });
      expect(session).toMatchObject({ title: "Plan", lastSurface: "terminal", messageCount: 0, toolCallCount: 0 });
      await kit.restart();
      expect(await kit.store.sessions.get(session.id)).toEqual(session);
      expect(await kit.store.sessions.count()).toBe(1);
    });

    test("a title that is taken gets a number, whatever the case of its letters", async (kit) => {
      const titles = [];
      for (const title of ["Straße", "STRASSE", "straße", "Élan", "élan"]) {
        titles.push((await kit.session({ title })).title);
      }
      expect(titles).toEqual(["Straße", "STRASSE 2", "straße 3", "Élan", "élan 2"]);
    });

    test("a number never makes a title too long, nor cuts a character in two", async (kit) => {
      const long = "😀".repeat(TITLE_LIMIT);
      await kit.session({ title: long });
      const second = (await kit.session({ title: long })).title ?? "";
      expect([...second]).toHaveLength(TITLE_LIMIT);
      expect(second).toBe(`${"😀".repeat(TITLE_LIMIT - 2)} 2`);
      expect(second.isWellFormed()).toBe(true);
    });

    test("a session is renamed, and may change the case of its own title", async (kit) => {
      const { id } = await kit.session({ title: "plan" });
      await kit.session({ title: "notes" });
      expect(await kit.store.sessions.setTitle(id, "Plan")).toBe("Plan");
      expect(await kit.store.sessions.setTitle(id, "Notes")).toBe("Notes 2");
      await kit.store.sessions.setModel(id, "a/c");
      expect(await kit.store.sessions.get(id)).toMatchObject({ title: "Notes 2", model: "a/c" });
      await kit.store.sessions.setModel(id, null);
      expect(await kit.store.sessions.get(id)).toMatchObject({ model: null });
      await expect(kit.store.sessions.setModel("ses_nobody" as typeof id, "a/c")).rejects.toMatchObject({
        code: "SESSION_UNKNOWN",
      });
    });

    test.inSession("concurrent writes each get their own result", async (kit, id) => {
      const unknown = "ses_nobody" as typeof id;
      const outcomes = await Promise.allSettled([
        kit.store.sessions.setTitle(id, "One"),
        kit.store.sessions.setTitle(unknown, "Two"),
        kit.session(),
        kit.store.sessions.setTitle(unknown, "Three"),
        kit.store.sessions.setTitle(id, "Four"),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "fulfilled",
        "rejected",
        "fulfilled",
      ]);
      expect(await kit.store.sessions.get(id)).toMatchObject({ title: "Four" });
      expect(await kit.store.sessions.count()).toBe(2);
    });

    test.inSession("refuses an empty title, too long a title, and an unknown session", async (kit, id) => {
      await expect(kit.session({ title: " \n\u200b" })).rejects.toMatchObject({ code: "TITLE_INVALID" });
      await expect(kit.store.sessions.setTitle(id, "x".repeat(TITLE_LIMIT + 1))).rejects.toMatchObject({
        code: "TITLE_INVALID",
      });
      const unknown = "ses_none" as typeof id;
      await expect(kit.store.sessions.setTitle(unknown, "x")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
      expect(await kit.store.sessions.get(unknown)).toBeNull();
    });

    test("sessions are listed in pages, the one used last first, each of them once", async (kit) => {
      const made = [];
      for (let i = 0; i < 7; i++) {
        made.push((await kit.session({ title: `s${i}` })).id);
        // Some are created within the same millisecond.
        if (i % 2) await kit.clock.advance(1);
      }
      const first = made[0];
      if (first === undefined) throw new Error("no session was made");
      await kit.clock.advance(1);
      await kit.exchange(first, "hello", "hi");

      const seen = [];
      let cursor: string | null | undefined;
      do {
        const page = await kit.store.sessions.list({ visible: EVERY_SESSION, limit: 3, ...(cursor ? { cursor } : {}) });
        seen.push(...page.sessions.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== null);
      expect(seen[0]).toBe(first);
      expect(seen).toHaveLength(7);
      expect(new Set(seen)).toEqual(new Set(made));
    });

    test("lists only the sessions that match a text, in pages too", async (kit) => {
      const [plan, , straße] = [
        await kit.session({ title: "The Plan" }),
        await kit.session({ title: "notes" }),
        await kit.session({ title: "Straße 100%" }),
      ];
      const listed = async (matching: string, cursor?: string) => {
        const query = { visible: EVERY_SESSION, limit: 1, matching, ...(cursor ? { cursor } : {}) };
        return kit.store.sessions.list(query);
      };
      expect((await listed("pla")).sessions).toEqual([plan]);
      expect((await listed("STRASSE")).sessions).toEqual([straße]);
      expect((await listed("0%")).sessions).toEqual([straße]);
      expect((await listed("%")).sessions).toEqual([straße]);
      expect((await listed(plan.id)).sessions).toEqual([plan]);
      expect((await listed("nothing like it")).sessions).toEqual([]);
      const first = await listed("a");
      const rest = await listed("a", first.cursor ?? "");
      expect([...first.sessions, ...rest.sessions].map(({ title }) => title)).toEqual(["Straße 100%", "The Plan"]);
    });

    test("who may see less sees less: by chat, and by user", async (kit) => {
      const user = "pager:ada" as UserId;
      await kit.session({ title: "mine" });
      await kit.session({ title: "hers", user, origin: HOME_KEY, originChat: HOME_KEY });
      await kit.session({ title: "hers elsewhere", user });
      const titles = async (visible: Parameters<typeof kit.store.sessions.find>[1]) => ({
        listed: (await kit.store.sessions.list({ visible, limit: 9 })).sessions.map(({ title }) => title).sort(),
        found: (await kit.store.sessions.find("e", visible)).map(({ title }) => title).sort(),
      });
      const both = (names: string[]) => ({ listed: names, found: names });
      expect(await titles(EVERY_SESSION)).toEqual(both(["hers", "hers elsewhere", "mine"]));
      expect(await titles({ kind: "begun-by", user })).toEqual(both(["hers", "hers elsewhere"]));
      expect(await titles({ kind: "of-chat", chat: HOME_KEY, here: HOME_KEY })).toEqual(both(["hers"]));
      const other = buildSessionKey({ ...HOME, chatId: "200" });
      expect(await titles({ kind: "of-chat", chat: other, here: other })).toEqual(both([]));
    });

    test("a chat sees what goes on in it and its threads, but for private ones", async (kit) => {
      const PRIVATE = { ...HOME, threadId: "8", isPrivate: true };
      const bound = async (title: string, conversation: Conversation) => {
        const { id } = await kit.session({ title });
        await kit.store.bindings.bind({
          ...{ key: buildSessionKey(conversation), conversation, sessionId: id, mirrors: false },
        });
      };
      await bound("in the chat", HOME);
      await bound("in a thread", THREAD);
      await bound("in a private thread", PRIVATE);
      await bound("in another chat", { ...HOME, chatId: "1001" });
      const seenFrom = async (here: Conversation) => {
        const visible = { kind: "of-chat", chat: HOME_KEY, here: buildSessionKey(here) } as const;
        return (await kit.store.sessions.list({ visible, limit: 9 })).sessions.map(({ title }) => title).sort();
      };
      expect(await seenFrom(THREAD)).toEqual(["in a thread", "in the chat"]);
      expect(await seenFrom(PRIVATE)).toEqual(["in a private thread", "in a thread", "in the chat"]);
    });

    test("a reference is an id, a whole title, or a part of either; nobody guesses", async (kit) => {
      const a = await kit.session({ title: "Plan" });
      const b = await kit.session({ title: "Plan of the garden" });
      const c = await kit.session({ title: "100%_done" });
      const find = async (reference: string) =>
        (await kit.store.sessions.find(reference, EVERY_SESSION)).map(({ title }) => title).sort();
      expect(await find(b.id)).toEqual([b.title]);
      expect(await find("PLAN")).toEqual([a.title]);
      expect(await find("pla")).toEqual([a.title, b.title]);
      expect(await find("Garden")).toEqual([b.title]);
      expect(await find("%")).toEqual([c.title]);
      expect(await find("0_d")).toEqual([]);
      expect(await find(a.id.slice(0, -1))).toEqual([c.title, a.title, b.title]);
      for (const nothing of ["", "  ", "\0", "\\", "' OR 1=1 --", "\ud800"]) expect(await find(nothing)).toEqual([]);
    });

    test("deletes a session with all that hangs on it, but still sends what is queued", async (kit) => {
      const { id } = await kit.session({ title: "secret" });
      const other = await kit.session({ title: "other" });
      const gateway = kit.process("gateway");
      await kit.exchange(id, "the password is swordfish", "noted");
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
      const handoff = await kit.claimed(id, gateway);
      await kit.store.handoffs.completeHandoff(handoff, gateway);
      await kit.store.outbox.enqueue([{ ...entry("the session was deleted"), sessionId: id }]);

      await kit.store.sessions.delete(id);
      expect(await kit.store.sessions.get(id)).toBeNull();
      expect(await kit.store.transcripts.read(id)).toEqual([]);
      expect(await kit.store.bindings.get(HOME_KEY)).toBeNull();
      expect(await kit.store.handoffs.get(handoff)).toBeNull();
      const found = await kit.store.transcripts.search({ text: "swordfish", visible: EVERY_SESSION, limit: 5 });
      expect(found).toEqual([]);
      expect((await kit.store.outbox.head(HOME_KEY))?.message.markdown).toBe("the session was deleted");
      expect(await kit.store.sessions.get(other.id)).toEqual(other);
      await kit.session({ title: "secret" });
    });

    test("a waiting message of a deleted session says whose it was; nobody else reads it", async (kit) => {
      const { id, title, user } = await kit.session({ title: "Holiday" });
      await kit.store.outbox.enqueue([{ ...entry("an answer"), sessionId: id }]);
      await kit.store.sessions.delete(id);
      await kit.restart();
      const head = await kit.store.outbox.head(HOME_KEY);
      expect(head).toMatchObject({ sessionId: null, message: { tellsOf: { user, deleted: title } } });
    });

    test.inSession("tells each conversation of a deleted session, behind what was queued before", async (kit, id) => {
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: false });
      await kit.store.outbox.enqueue([{ ...entry("an answer"), sessionId: id }]);
      const farewell = { kind: "notice" as const, markdown: "it is gone" };
      expect((await kit.store.sessions.delete(id, farewell)).sort()).toEqual([HOME_KEY, THREAD_KEY].sort());
      const gateway = await kit.gateway();
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["an answer", "it is gone"]);
      expect(await kit.drain(THREAD_KEY, gateway)).toEqual(["it is gone"]);
      expect(await kit.store.sessions.delete(id, farewell)).toEqual([]);
    });

    test.inSession("a session is not deleted under a running turn or a handoff", async (kit, id) => {
      const holder = kit.process();
      await kit.granted(id, { holder });
      await expect(kit.store.sessions.delete(id)).rejects.toMatchObject({ code: "SESSION_BUSY" });
      kit.kill(holder);
      await kit.requested(id);
      await expect(kit.store.sessions.delete(id)).rejects.toMatchObject({ code: "HANDOFF_IN_FLIGHT" });
      await kit.clock.advance(60_000);
      await kit.store.sessions.delete(id);
      expect(await kit.store.sessions.get(id)).toBeNull();
    });
  });
}
