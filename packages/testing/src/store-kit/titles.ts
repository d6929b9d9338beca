import { buildSessionKey, type Conversation } from "@hermes/core";
import { EVERY_SESSION, OPERATOR, type SessionId, type UserId, userOfIdentity } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { pass, reason, send } from "./codes.ts";
import type { Kit, StoreTest } from "./kit.ts";

const ADA = "pager:ada" as UserId;
const BOB = "pager:bob" as UserId;

const GROUP: Conversation = { platform: "pager", chatId: "team", kind: "group" };
const GROUP_KEY = buildSessionKey(GROUP);
const IN_GROUP = { origin: GROUP_KEY, originChat: GROUP_KEY } as const;

async function goOnInGroup(kit: Kit, sessionId: SessionId): Promise<void> {
  await kit.store.bindings.bind({ key: GROUP_KEY, conversation: GROUP, sessionId, mirrors: false });
}

export function describeTitles(test: StoreTest): void {
  describe("titles of several people", () => {
    test("nobody's title gets a number because somebody else has a session of that title", async (kit) => {
      const { sessions } = kit.store;
      const { id: own } = await kit.session({ title: "plan" });
      const { id, title } = await kit.session({ title: "Plan", user: ADA });
      expect(title).toBe("Plan");
      const { id: second } = await kit.session({ user: ADA });
      expect(await sessions.setTitle(second, "PLAN")).toBe("PLAN 2");
      const forks = await Promise.all([
        sessions.fork({ sessionId: own, upTo: null, user: OPERATOR }),
        sessions.fork({ sessionId: id, upTo: null, user: ADA }),
      ]);
      expect(forks.map((fork) => fork.title)).toEqual(["plan (fork)", "Plan (fork)"]);
      expect(await sessions.get(own)).toMatchObject({ title: "plan" });
    });

    test("a whole title finds each session that has it, of those one may see", async (kit) => {
      const { id: own } = await kit.session({ title: "plan" });
      await kit.clock.advance(1);
      const { id: hers } = await kit.session({ title: "Plan", user: ADA });
      await kit.session({ title: "plan of the garden", user: ADA });
      const found = async (visible: Parameters<typeof kit.store.sessions.find>[1]) =>
        (await kit.store.sessions.find("plan", visible)).map(({ id }) => id);
      expect(await found(EVERY_SESSION)).toEqual([hers, own]);
      expect(await found({ kind: "begun-by", user: ADA })).toEqual([hers]);
      expect(await found({ kind: "begun-by", user: BOB })).toEqual([]);
    });

    test("sessions of one person that get a title at once have different ones", async (kit) => {
      const second = await kit.second();
      const { id } = await kit.session({ user: ADA });
      const made = { user: ADA, origin: "terminal", originChat: null, title: "plan" } as const;
      const titles = await Promise.all([
        kit.store.sessions.setTitle(id, "plan"),
        second.sessions.create(made).then(({ title }) => title),
        kit.session({ ...made, user: BOB }).then(({ title }) => title),
      ]);
      expect(titles.toSorted()).toEqual(["plan", "plan", "plan 2"]);
    });

    test("in a shared chat, a title's number tells of no session that is not seen there", async (kit) => {
      const { sessions } = kit.store;
      for (const user of [OPERATOR, ADA, BOB]) {
        await kit.session({ title: "plan", user });
        await kit.session({ title: "plan (fork)", user });
      }
      const { id: hers } = await kit.session({ ...IN_GROUP, user: ADA });
      await goOnInGroup(kit, hers);
      expect(await sessions.setTitle(hers, "plan")).toBe("plan");
      const fork = { sessionId: hers, upTo: null, surface: GROUP_KEY };
      expect(await sessions.fork({ ...fork, user: OPERATOR })).toMatchObject({ title: "plan (fork)" });
      const { id: his } = await kit.session({ ...IN_GROUP, user: BOB });
      await goOnInGroup(kit, his);
      expect(await sessions.setTitle(his, "Plan")).toBe("Plan 2");
      // It is listed there still, though the chat has gone on with another one.
      expect(await sessions.setTitle(hers, "plan (fork)")).toBe("plan (fork) 2");
      const { id: brought } = await kit.session();
      await goOnInGroup(kit, brought);
      expect(await sessions.setTitle(brought, "plan 2")).toBe("plan 2 2");
      expect(await sessions.setTitle(brought, "notes")).toBe("notes");
    });

    test("a copy that is asked for in a shared chat has no number that tells of others", async (kit) => {
      const { sessions } = kit.store;
      const { id } = await kit.session({ title: "plan" });
      const copied = async (surface?: typeof GROUP_KEY) =>
        (await sessions.fork({ sessionId: id, upTo: null, user: OPERATOR, surface })).title;
      expect(await copied()).toBe("plan (fork)");
      await goOnInGroup(kit, id);
      expect(await copied(GROUP_KEY)).toBe("plan (fork)");
      expect(await copied()).toBe("plan (fork) 2");
    });

    test("a title that a guest reads has no number that tells what its person has", async (kit) => {
      const { sessions } = kit.store;
      for (const title of ["plan", "notes"]) await kit.session({ title });
      const { id } = await kit.session();
      const { code, number } = await pass(kit, id, null);
      expect(await sessions.setTitle(id, "plan")).toBe("plan 2");
      expect(await reason(send(kit, code, "eve"))).toBe("ok");
      expect(await sessions.setTitle(id, "notes")).toBe("notes");
      await kit.store.codes.revoke(number);
      expect(await sessions.setTitle(id, "plan")).toBe("plan 2");
    });

    test("titles of an identity stay apart from those of the person whose it becomes", async (kit) => {
      const { sessions, people } = kit.store;
      const identity = { platform: "pager", account: undefined, key: "ada" };
      const ada = await people.add({ name: "Ada", role: "member" });
      const { id: hers } = await kit.session({ title: "plan", user: ada.id });
      const former = userOfIdentity(identity);
      const made = [];
      for (const title of ["Plan", "plan 2", "notes"]) made.push(await kit.session({ title, user: former }));
      await kit.session({ title: "notes" });
      expect(await people.link(identity, ada.id, "code", null)).toBe("linked");
      const titles = await Promise.all(made.map(async ({ id }) => (await sessions.get(id))?.title));
      expect(titles).toEqual(["Plan 3", "plan 2", "notes"]);
      expect(await sessions.get(hers)).toMatchObject({ title: "plan" });
    });
  });
}
