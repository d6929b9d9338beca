import { describe, expect } from "vitest";
import { DAY_MS, HOME, HOME_KEY, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

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

    test("a session has several, the one used last first", async (kit) => {
      const { id } = await kit.session();
      await kit.store.bindings.bind({ key: HOME_KEY, conversation: HOME, sessionId: id, mirrors: false });
      await kit.clock.advance(1);
      await kit.store.bindings.bind({ key: THREAD_KEY, conversation: THREAD, sessionId: id, mirrors: false });
      const keys = async () => (await kit.store.bindings.of(id)).map(({ key }) => key);
      expect(await keys()).toEqual([THREAD_KEY, HOME_KEY]);
      await kit.clock.advance(1);
      await kit.granted(id, { surface: HOME_KEY });
      expect(await keys()).toEqual([HOME_KEY, THREAD_KEY]);
    });

    test("a session that is not there is not bound", async (kit) => {
      const { id } = await kit.session();
      await kit.store.sessions.delete(id);
      await expect(
        kit.store.bindings.bind({ key: HOME_KEY, conversation: HOME, sessionId: id, mirrors: false }),
      ).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    });

    test("a message to a deleted session is answered as such until somebody was told", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const at = { key: HOME_KEY, conversation: HOME, mirrors: false };
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

    test("forgets after 30 days that a session was deleted", async (kit) => {
      const { id } = await kit.session();
      await kit.store.bindings.bind({ key: HOME_KEY, conversation: HOME, sessionId: id, mirrors: false });
      await kit.store.sessions.delete(id);
      await kit.clock.advance(30 * DAY_MS + 1);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.bindings.missedSession(HOME_KEY, { sentAt: 0, receivedAt: kit.clock.now() })).toBe(false);
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
