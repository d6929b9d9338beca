import type { NewGrants, SeenHome } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { HOME_KEY, LEASE_MS, type StoreTest, THREAD_KEY } from "./kit.ts";

const ACCOUNT = { platform: "pager", account: undefined };

const GRANTS: NewGrants = {
  ...{ ...ACCOUNT, operators: ["ada"], allowedUsers: ["bob"], allowedBots: ["relay"] },
  home: { chatId: "100", chat: HOME_KEY },
};

const SEEN: SeenHome = {
  ...{ ...ACCOUNT, home: "100", chat: HOME_KEY, name: "Home", isPrivate: true, present: ["eve"], isFixed: true },
};

export function describeGrants(test: StoreTest): void {
  describe("grants", () => {
    test("what the holder of an account's lease publishes is read after a restart too", async (kit) => {
      expect(await kit.store.grants.current(ACCOUNT)).toBeNull();
      const gateway = await kit.gateway();
      expect(await kit.store.grants.publish(GRANTS, gateway)).toBe(true);
      const published = {
        ...{ operators: ["ada"], allowedUsers: ["bob"], allowedBots: ["relay"], home: null },
        people: { operators: [], members: [], guests: [] },
        ...{ version: 1, publishedAt: kit.clock.now() },
      };
      expect(await (await kit.second()).grants.current(ACCOUNT)).toEqual(published);
      await kit.restart();
      expect(await kit.store.grants.current(ACCOUNT)).toEqual(published);
      expect(await kit.store.grants.current({ ...ACCOUNT, account: "other" })).toBeNull();
      expect(await kit.store.grants.current({ platform: "other", account: undefined })).toBeNull();
    });

    test("nobody but the holder of the account's lease says what it grants", async (kit) => {
      const stranger = kit.process("gateway");
      expect(await kit.store.grants.publish(GRANTS, stranger)).toBe(false);
      const gateway = await kit.gateway();
      await kit.store.grants.publish(GRANTS, gateway);
      expect(await kit.store.grants.publish({ ...GRANTS, operators: ["mallory"] }, stranger)).toBe(false);
      expect(await kit.store.grants.publish({ ...GRANTS, account: "other" }, gateway)).toBe(false);
      expect(await kit.store.grants.current(ACCOUNT)).toMatchObject({ operators: ["ada"], version: 1 });
    });

    test("the version rises with each change, and with none that says the same again", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.grants.publish(GRANTS, gateway);
      const publishedAt = kit.clock.now();
      await kit.clock.advance(1_000);
      expect(await kit.store.grants.publish(GRANTS, gateway)).toBe(true);
      expect(await kit.store.grants.current(ACCOUNT)).toMatchObject({ version: 1, publishedAt });
      await kit.store.grants.publish({ ...GRANTS, operators: [] }, gateway);
      expect(await kit.store.grants.current(ACCOUNT)).toMatchObject({ operators: [], version: 2 });
      await kit.store.grants.publish(GRANTS, gateway);
      expect(await kit.store.grants.current(ACCOUNT)).toMatchObject({ operators: ["ada"], version: 3 });
    });

    test.withGateway("grants hold for as long as their holder has the account's lease", async (kit, gateway) => {
      await kit.store.grants.publish(GRANTS, gateway);
      await kit.clock.advance(LEASE_MS - 1);
      await kit.store.leases.acquire("account:pager:", gateway, LEASE_MS);
      await kit.clock.advance(LEASE_MS - 1);
      expect(await kit.store.grants.current(ACCOUNT)).not.toBeNull();
      await kit.clock.advance(1);
      expect(await kit.store.grants.current(ACCOUNT)).toBeNull();
      expect(await kit.store.grants.publish(GRANTS, gateway)).toBe(false);
    });

    test("grants of a holder that died, or that another followed, hold no more", async (kit) => {
      const former = await kit.gateway();
      await kit.store.grants.publish(GRANTS, former);
      kit.kill(former);
      expect(await kit.store.grants.current(ACCOUNT)).toBeNull();
      const next = await kit.gateway();
      expect(await kit.store.grants.current(ACCOUNT)).toBeNull();
      expect(await kit.store.grants.publish(GRANTS, former)).toBe(false);
      await kit.store.grants.publish(GRANTS, next);
      expect(await kit.store.grants.current(ACCOUNT)).toMatchObject({ version: 2 });
    });

    test.withGateway("grants hold no more once their holder has released the account", async (kit, gateway) => {
      await kit.store.grants.publish(GRANTS, gateway);
      await kit.store.leases.release("account:pager:", gateway);
      expect(await kit.store.grants.current(ACCOUNT)).toBeNull();
    });

    test("the operator at home is whoever is recorded there at the moment", async (kit) => {
      const homeNow = async () => (await kit.store.grants.current(ACCOUNT))?.home;
      await kit.store.grants.publish(GRANTS, await kit.gateway());
      await kit.store.homePeople.see(SEEN);
      expect(await homeNow()).toEqual({ chat: HOME_KEY, person: "eve" });
      await kit.store.homePeople.set(SEEN, "ada", "terminal");
      expect(await homeNow()).toEqual({ chat: HOME_KEY, person: "ada" });
    });

    test.withGateway("nobody is the operator in a chat that is not the one of the record", async (kit, gateway) => {
      await kit.store.homePeople.see(SEEN);
      for (const home of [{ chatId: "100", chat: THREAD_KEY }, { chatId: "200", chat: HOME_KEY }, null]) {
        await kit.store.grants.publish({ ...GRANTS, home }, gateway);
        expect((await kit.store.grants.current(ACCOUNT))?.home).toBeNull();
      }
      await kit.store.homePeople.see({ ...SEEN, home: "200", present: [] });
      await kit.store.grants.publish({ ...GRANTS, home: { chatId: "200", chat: HOME_KEY } }, gateway);
      expect((await kit.store.grants.current(ACCOUNT))?.home).toBeNull();
    });
  });
}
