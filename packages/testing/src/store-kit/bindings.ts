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

    test("a conversation whose session was deleted says when, until it leads to another, for 30 days", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const { bindings, sessions } = kit.store;
      const at = { key: HOME_KEY, conversation: HOME, mirrors: false };
      await bindings.bind({ ...at, sessionId: a.id });
      expect(await bindings.letGoAt(HOME_KEY)).toBeNull();
      await sessions.delete(a.id);
      const deletedAt = kit.clock.now();
      await kit.restart();
      expect(await kit.store.bindings.letGoAt(HOME_KEY)).toBe(deletedAt);
      await kit.store.bindings.bind({ ...at, sessionId: b.id });
      expect(await kit.store.bindings.letGoAt(HOME_KEY)).toBeNull();
      await kit.store.sessions.delete(b.id);
      await kit.clock.advance(30 * DAY_MS + 1);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.bindings.letGoAt(HOME_KEY)).toBeNull();
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
