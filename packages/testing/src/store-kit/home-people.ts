import type { SeenHome } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_THREAD, HOME, HOME_KEY, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

const SEEN: SeenHome = {
  platform: "pager",
  account: undefined,
  home: "100",
  chat: HOME_KEY,
  name: "Home",
  isPrivate: true,
  present: ["ada"],
  isFixed: false,
};

export function describeHomePeople(test: StoreTest): void {
  describe("home people", () => {
    test("the first word of the platform decides who is recorded, after a restart too", async (kit) => {
      const recorded = { home: "100", chat: HOME_KEY, person: "ada", word: "platform", since: kit.clock.now() };
      expect(await kit.store.homePeople.see(SEEN)).toMatchObject(recorded);
      await kit.restart();
      await kit.clock.advance(1);
      expect(await kit.store.homePeople.see({ ...SEEN, present: ["bob"] })).toMatchObject({
        ...recorded,
        present: ["bob"],
      });
      expect(await kit.store.homePeople.get(SEEN)).toMatchObject({ person: "ada", present: ["bob"] });
      expect(await kit.store.homePeople.list()).toHaveLength(1);
    });

    test("nobody is recorded where the platform names nobody, or several, also later", async (kit) => {
      for (const [home, present] of [
        ["none", []],
        ["two", ["ada", "bob"]],
      ] as const) {
        expect(await kit.store.homePeople.see({ ...SEEN, home, present })).toMatchObject({ person: null, told: null });
        expect(await kit.store.homePeople.see({ ...SEEN, home })).toMatchObject({ person: null, present: ["ada"] });
      }
    });

    test("nobody is recorded in a chat that is not private, also when it is that later", async (kit) => {
      const seen = await kit.store.homePeople.see({ ...SEEN, isPrivate: false });
      expect(seen).toMatchObject({ person: null, isPrivate: false });
      expect(await kit.store.homePeople.see(SEEN)).toMatchObject({ person: null, isPrivate: true });
    });

    test("records nobody once a message was taken in: somebody else may have been there", async (kit) => {
      await kit.accepted("an old message", THREAD);
      expect(await kit.store.homePeople.see(SEEN)).toMatchObject({ person: null });
    });

    test.inSession("nobody is recorded once a session was bound in the chat", async (kit, id) => {
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: false });
      expect(await kit.store.homePeople.see(SEEN)).toMatchObject({ person: null });
    });

    test("where nobody else can ever have been there, the person is recorded all the same", async (kit) => {
      await kit.accepted("an old message", HOME);
      expect(await kit.store.homePeople.see({ ...SEEN, isFixed: true })).toMatchObject({ person: "ada" });
    });

    test("the name of a home channel that leads to another chat later brings nobody in", async (kit) => {
      await kit.store.homePeople.see(SEEN);
      const moved = { ...SEEN, chat: THREAD_KEY, present: ["bob"], isFixed: true };
      expect(await kit.store.homePeople.see(moved)).toMatchObject({ chat: HOME_KEY, person: "ada", present: ["bob"] });
    });

    test("/sethome and the terminal record somebody whatever stood there", async (kit) => {
      await kit.store.homePeople.see({ ...SEEN, present: [] });
      const { isFixed: _, ...home } = SEEN;
      expect(await kit.store.homePeople.set(home, "bob", "sethome")).toMatchObject({ person: "bob", word: "sethome" });
      expect(await kit.store.homePeople.set(home, "ada", "terminal")).toMatchObject({
        person: "ada",
        word: "terminal",
      });
      expect(await kit.store.homePeople.see(SEEN)).toMatchObject({ person: "ada" });
    });

    test("somebody is asked about once, until others are there", async (kit) => {
      await kit.store.homePeople.see({ ...SEEN, present: [] });
      await kit.store.homePeople.told(SEEN);
      expect(await kit.store.homePeople.get(SEEN)).toMatchObject({ told: [] });
      expect(await kit.store.homePeople.see(SEEN)).toMatchObject({ present: ["ada"], told: [] });
    });

    test("the terminal gives a conversation that was parted to the one it names", async (kit) => {
      const scope = { platform: "pager", account: undefined };
      const strong = (id: string) => ({ id, strength: "strong" }) as const;
      const ids = [{ id: "100", strength: "weak" } as const, strong("ada"), strong("eve")];
      await kit.store.identities.adopt(scope, [{ key: "100", ids }]);
      const { isFixed: _, ...home } = { ...SEEN, present: [] };
      expect(await kit.store.homePeople.set(home, "ada", "terminal")).toMatchObject({ person: "100" });
      expect(await kit.store.identities.holder(scope, "ada")).toMatchObject({ key: "100" });
      expect(await kit.store.identities.holder(scope, "eve")).toMatchObject({ key: "eve" });
    });
  });
}
