import { buildSessionKey } from "@hermes/core";
import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, DAY_MS, HOME, HOME_KEY, type Kit, MOVED, type StoreTest, THREAD_KEY } from "./kit.ts";

const ROOM = { platform: "pager", chatId: "200", kind: "group" } as const;
const ROOM_KEY = buildSessionKey(ROOM);
const SCOPE = { platform: "pager", account: undefined };
const ADA = {
  author: { ...SCOPE, senderId: "ada", aliases: [], conversation: HOME },
  name: "Ada",
};

export function describePlaces(test: StoreTest): void {
  describe("places", () => {
    test("a conversation is known by its name, with who was in it, also after a restart", async (kit) => {
      await kit.store.places.note({ ...AT_HOME, name: "Ada", word: "heard", person: ADA });
      await kit.clock.advance(1);
      await heard(kit);
      await kit.restart();
      const { places } = kit.store;
      expect(await places.list()).toEqual([
        ...[{ key: ROOM_KEY, conversation: ROOM, called: null, name: "#general", word: "heard", person: null }].map(
          (place) => ({ ...place, shared: true, heardAt: kit.clock.now() }),
        ),
        ...[{ ...AT_HOME, called: null, name: "Ada", word: "heard", person: ADA }].map((place) => ({
          ...place,
          shared: false,
          heardAt: kit.clock.now() - 1,
        })),
      ]);
      expect(await places.get(THREAD_KEY)).toBeNull();
    });

    test("a new name replaces the former one, and no name leaves it", async (kit) => {
      await heard(kit);
      await heard(kit, "#news");
      await heard(kit, null);
      expect(await kit.store.places.get(ROOM_KEY)).toMatchObject({ name: "#news" });
    });

    test("a private chat that others have come into is shared until they have left", async (kit) => {
      const { places } = kit.store;
      const home = { ...AT_HOME, name: null, word: "heard", person: null } as const;
      await places.note({ ...home, name: "Ada", person: ADA });
      await places.note({ ...home, shared: true });
      const others = { name: "Ada", person: { name: "Ada" }, shared: true };
      expect(await places.get(HOME_KEY)).toMatchObject(others);
      await places.note({ ...home, name: "Ada", person: ADA });
      await kit.restart();
      expect(await kit.store.places.get(HOME_KEY)).toMatchObject(others);
      await kit.store.places.note({ ...home, shared: false });
      expect(await kit.store.places.get(HOME_KEY)).toMatchObject({ ...others, shared: false });
    });

    test("what the config names no longer stays as a place that was heard of", async (kit) => {
      await heard(kit);
      const { places } = kit.store;
      const named = { key: ROOM_KEY, conversation: ROOM, called: "team", shared: false };
      await places.configured(SCOPE, [named]);
      expect(await places.get(ROOM_KEY)).toMatchObject({
        called: "team",
        name: "#general",
        word: "config",
        shared: false,
      });
      await places.configured({ platform: "pager", account: "other" }, []);
      await places.configured(SCOPE, [named]);
      expect(await places.get(ROOM_KEY)).toMatchObject({ called: "team" });
      await places.configured(SCOPE, []);
      expect(await places.get(ROOM_KEY)).toMatchObject({ called: null, word: "heard", shared: true });
    });

    test("a chat that gets another id takes its places and the handoffs to it along", async (kit) => {
      await heard(kit);
      const { id } = await kit.session();
      const to = { kind: "conversation", ...SCOPE, key: ROOM_KEY, conversation: ROOM, name: "#general" } as const;
      const asked = await kit.store.handoffs.requestHandoff(id, to);
      const now = { ...ROOM, chatId: "300" };
      await kit.store.bindings.moveChat(
        { key: ROOM_KEY, conversation: ROOM },
        { key: buildSessionKey(now), conversation: now },
        MOVED,
      );
      const { places, handoffs } = kit.store;
      expect(await places.get(ROOM_KEY)).toBeNull();
      expect(await places.get(buildSessionKey(now))).toMatchObject({
        name: "#general",
        conversation: { chatId: "300" },
      });
      const moved = { key: buildSessionKey(now), conversation: { chatId: "300" } };
      expect(asked.ok && (await handoffs.get(asked.handoff.id))).toMatchObject({ to: moved });
    });

    test("a place unused for long goes, unless it leads to a session or is in the config", async (kit) => {
      const { places, bindings } = kit.store;
      await heard(kit);
      await places.note({ ...AT_HOME, name: "Ada", word: "heard", person: ADA });
      await places.note({ ...AT_THREAD, name: "Plan", word: "heard", person: null });
      await bindings.bind({ ...AT_HOME, sessionId: (await kit.session()).id, mirrors: false });
      await places.configured(SCOPE, [{ key: ROOM_KEY, conversation: ROOM, called: "team", shared: true }]);
      await kit.clock.advance(31 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      expect((await places.list()).map(({ key }) => key).toSorted()).toEqual([HOME_KEY, ROOM_KEY].toSorted());
    });
  });
}

function heard(kit: Kit, name: string | null = "#general"): Promise<void> {
  return kit.store.places.note({ key: ROOM_KEY, conversation: ROOM, name, word: "heard", person: null });
}
