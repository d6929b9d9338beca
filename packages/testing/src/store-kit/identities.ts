import type { PlatformId } from "@hermes/core";
import type { IdentityScope } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import type { Kit, StoreTest } from "./kit.ts";

const SCOPE: IdentityScope = { platform: "pager", account: undefined };

/** Makes ids; one that begins with `+` is a number, which may pass to somebody else. */
function ids(...written: readonly string[]): PlatformId[] {
  return written.map((id) => ({ id, strength: id.startsWith("+") ? "weak" : "strong" }));
}

/** Notes a message of somebody who is allowed, or (without `keep`) of a stranger. */
function heard({ store }: Kit, written: readonly string[], { keep = true, scope = SCOPE } = {}) {
  return store.identities.note(scope, { ids: ids(...written), keys: written, word: "message", keep });
}

function linked({ store }: Kit, from: readonly string[], to: readonly string[], keep = false) {
  return store.identities.link(SCOPE, { from: ids(...from), to: ids(...to), keep });
}

async function rows({ store }: Kit): Promise<string[]> {
  return (await store.identities.list())
    .map(({ id, person, word, endedBy }) => `${person}: ${id} (${word}${endedBy === null ? "" : `, until ${endedBy}`})`)
    .sort();
}

export function describeIdentities(test: StoreTest): void {
  describe("identities", () => {
    test("several ids of one message are one person's, after a restart too", async (kit) => {
      expect(await heard(kit, ["+1", "ada"])).toMatchObject({ key: "+1", grants: ["ada", "+1"], isKept: true });
      await kit.restart();
      expect(await heard(kit, ["ada"])).toMatchObject({ key: "+1" });
      expect(await heard(kit, ["+1"])).toMatchObject({ key: "+1" });
      expect(await kit.store.identities.list()).toMatchObject([
        { ...SCOPE, id: "+1", strength: "weak", person: "+1", since: kit.clock.now(), word: "message", until: null },
        { ...SCOPE, id: "ada", strength: "strong", person: "+1", endedBy: null },
      ]);
    });

    test("the id that the last message came from stands first", async (kit) => {
      await heard(kit, ["+1", "ada"]);
      expect((await heard(kit, ["ada", "+1"])).ids.map(({ id }) => id)).toEqual(["ada", "+1"]);
      expect((await heard(kit, ["+1", "ada"])).ids.map(({ id }) => id)).toEqual(["+1", "ada"]);
    });

    test("two strong ids that share a weak one are two people; the later one keeps it", async (kit) => {
      expect((await heard(kit, ["+1", "ada"])).key).toBe("+1");
      expect(await heard(kit, ["+1", "bob"])).toMatchObject({ key: "bob", ids: ids("+1", "bob"), grants: ["bob"] });
      expect(await heard(kit, ["ada"])).toMatchObject({ key: "+1", ids: ids("ada"), grants: ["ada"] });
      expect(await rows(kit)).toEqual([
        "+1: +1 (message, until message)",
        "+1: ada (message)",
        "bob: +1 (message)",
        "bob: bob (message)",
      ]);
    });

    test("a weak id that another person had grants nothing, even beside a strong one", async (kit) => {
      await heard(kit, ["+1", "ada"]);
      await linked(kit, ["+1"], ["+2", "ada"]);
      expect(await heard(kit, ["+1"], { keep: false })).toMatchObject({ key: "+1~2", grants: [], isKept: false });
      expect(await heard(kit, ["+1", "bob"])).toMatchObject({ key: "bob", grants: ["bob"] });
    });

    test("a stranger leaves no row, and still takes a weak id from its owner", async (kit) => {
      expect(await heard(kit, ["+1", "bob"], { keep: false })).toMatchObject({ key: "+1", isKept: false });
      expect(await kit.store.identities.list()).toEqual([]);
      await heard(kit, ["+1", "ada"]);
      expect(await heard(kit, ["+1", "bob"], { keep: false })).toMatchObject({ key: "bob", isKept: false });
      expect(await rows(kit)).toEqual(["+1: +1 (message, until message)", "+1: ada (message)"]);
      expect(await kit.store.identities.holder(SCOPE, "+1")).toBeNull();
    });

    test("a person met by a weak id alone keeps their name when the strong one is learnt", async (kit) => {
      expect((await heard(kit, ["+1"])).key).toBe("+1");
      expect((await heard(kit, ["+1", "ada"], { keep: false })).key).toBe("+1");
      expect((await heard(kit, ["+1", "bob"])).key).toBe("bob");
    });

    test("another weak id takes the place of the former one", async (kit) => {
      await heard(kit, ["ada", "+1"]);
      expect((await heard(kit, ["ada", "+2"])).grants).toEqual(["ada", "+2"]);
      expect((await heard(kit, ["+1"])).key).not.toBe("ada");
    });

    test("a system message that links two strong ids makes them one person", async (kit) => {
      await heard(kit, ["ada"]);
      await heard(kit, ["ada-2"]);
      expect(await linked(kit, ["ada"], ["ada-2"])).toMatchObject({ key: "ada", grants: ["ada-2", "ada"] });
      expect((await heard(kit, ["ada-2"])).key).toBe("ada");
    });

    test("a system message about a weak id joins nobody who has another strong one", async (kit) => {
      await heard(kit, ["+1", "ada"]);
      expect(await linked(kit, ["+1"], ["+2", "bob"])).toMatchObject({ key: "+2", grants: ["bob", "+2"] });
      expect(await heard(kit, ["ada"])).toMatchObject({ key: "+1", ids: ids("ada") });
    });

    test("a system message follows somebody who is known by a weak id alone", async (kit) => {
      await heard(kit, ["+1"]);
      expect(await linked(kit, ["+1"], ["+2", "ada"])).toMatchObject({ key: "+1", ids: ids("+2", "ada") });
      expect((await heard(kit, ["+1", "bob"])).key).toBe("bob");
    });

    test("a system message about strangers leaves no row, unless the config names one", async (kit) => {
      expect(await linked(kit, ["+1"], ["+2", "ada"])).toMatchObject({ isKept: false });
      expect(await kit.store.identities.list()).toEqual([]);
      expect(await linked(kit, ["+1"], ["+2", "ada"], true)).toMatchObject({ isKept: true });
      expect(await heard(kit, ["+1", "bob"])).toMatchObject({ grants: ["bob"] });
    });

    test("each account knows its own people", async (kit) => {
      await heard(kit, ["+1", "ada"]);
      const second = { platform: "pager", account: "second" };
      expect((await heard(kit, ["+1", "bob"], { scope: second })).key).toBe("+1");
      expect((await kit.store.identities.holder(SCOPE, "+1"))?.grants).toEqual(["ada", "+1"]);
      expect((await kit.store.identities.holder(second, "+1"))?.grants).toEqual(["bob", "+1"]);
    });

    test("what a plugin kept itself is taken over once, and two strong ids are parted", async (kit) => {
      const people = [
        { key: "+1", ids: ids("+1", "ada") },
        { key: "+2", ids: ids("+2", "bob", "eve") },
      ];
      await kit.store.identities.adopt(SCOPE, people);
      await kit.store.identities.adopt(SCOPE, people);
      expect(await rows(kit)).toEqual([
        "+1: +1 (kept)",
        "+1: ada (kept)",
        "+2: +2 (kept, until parted)",
        "+2: bob (kept, until parted)",
        "+2: eve (kept, until parted)",
        "bob: bob (parted)",
        "eve: eve (parted)",
      ]);
      expect((await heard(kit, ["+2", "bob"])).grants).toEqual(["bob"]);
      expect(await kit.store.identities.person(SCOPE, "+2")).toMatchObject({ ids: [] });
    });

    test("strong ids that messages joined are parted, those of a system message are not", async (kit) => {
      await heard(kit, ["ada", "eve", "+1"]);
      await heard(kit, ["bob"]);
      await linked(kit, ["bob"], ["bob-2"]);
      await kit.store.identities.part(SCOPE);
      await kit.store.identities.part(SCOPE);
      expect(await rows(kit)).toEqual([
        "ada: +1 (message)",
        "ada: ada (message)",
        "ada: eve (message, until parted)",
        "bob: bob (message)",
        "bob: bob-2 (system)",
        "eve: eve (parted)",
      ]);
      expect(await heard(kit, ["eve"])).toMatchObject({ key: "eve", grants: ["eve"] });
      expect((await heard(kit, ["ada"])).grants).toEqual(["ada", "+1"]);
    });

    test("two processes that hear of a number at once agree on who has it", async (kit) => {
      const second = await kit.second();
      const note = (who: string) => ({ ids: ids("+1", who), keys: [who], word: "message", keep: true }) as const;
      await Promise.all([kit.store.identities.note(SCOPE, note("ada")), second.identities.note(SCOPE, note("bob"))]);
      const holders = (await kit.store.identities.list()).filter(({ id, until }) => id === "+1" && until === null);
      expect(holders).toHaveLength(1);
    });
  });
}
