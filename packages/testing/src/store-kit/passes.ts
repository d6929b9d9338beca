import { buildSessionKey } from "@hermes/core";
import { OPERATOR, type UserId, userOfIdentity } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { pass, reason, send, senderOf } from "./codes.ts";
import { entry, HOUR_MS, LEASE_MS, MOVED, type StoreTest } from "./kit.ts";

export function describePasses(test: StoreTest): void {
  describe("passes", () => {
    test("a pass binds the conversation in the step in which it is used", async (kit) => {
      const [{ id }, former] = [await kit.session(), await kit.session()];
      const { surface: key, conversation } = senderOf("ada");
      await kit.store.bindings.bind({ key, conversation, sessionId: former.id, mirrors: false });
      const { code } = await pass(kit, id);
      expect(await reason(send(kit, code, "ada", { user: "pager:ada" as UserId }))).toBe("not-theirs");
      expect(await reason(send(kit, code, "ada", { user: OPERATOR }))).toBe("ok");
      expect(await kit.store.bindings.get(key)).toMatchObject({ sessionId: id, previousSessionId: former.id });
      expect(await reason(send(kit, code, "bob", { user: OPERATOR }))).toBe("used");
    });

    test.inSession("a pass is refused while its session is handed off, and can be used after that", async (kit, id) => {
      const { code } = await pass(kit, id);
      const handoff = await kit.requested(id);
      await expect(send(kit, code, "ada", { user: OPERATOR })).rejects.toMatchObject({ code: "HANDOFF_IN_FLIGHT" });
      await kit.store.handoffs.cancelHandoff(handoff.id);
      expect(await reason(send(kit, code, "ada", { user: OPERATOR }))).toBe("ok");
    });

    test("a pass in use ends when its conversation leads elsewhere, also for a moment", async (kit) => {
      const [{ id }, other] = [await kit.session(), await kit.session()];
      const { code, number } = await pass(kit, id, null);
      await send(kit, code, "eve");
      expect(await kit.store.codes.get(number)).toMatchObject({ state: "taken", sessionId: id });
      await kit.clock.advance(2 * HOUR_MS);
      expect(await kit.store.codes.list("pass")).toMatchObject([{ number, state: "taken" }]);
      const { surface: key, conversation } = senderOf("eve");
      await kit.store.bindings.bind({ key, conversation, sessionId: id, mirrors: false });
      expect(await kit.store.codes.get(number)).toMatchObject({ state: "taken" });
      await kit.store.bindings.bind({ key, conversation, sessionId: other.id, mirrors: false });
      await kit.store.bindings.bind({ key, conversation, sessionId: id, mirrors: false });
      expect(await kit.store.codes.get(number)).toMatchObject({ state: "over" });
      expect(await kit.store.codes.list("pass")).toEqual([]);
    });

    test("a pass gives nothing while the config does not name its issuer as an operator", async (kit) => {
      const { store } = kit;
      const scope = { platform: "pager", account: undefined };
      const issuer = userOfIdentity({ ...scope, key: "ada" });
      const gateway = await kit.gateway();
      const rest = { ...scope, allowedUsers: ["ada"], allowedBots: [], home: null };
      const grant = (operators: readonly string[]) => store.grants.publish({ ...rest, operators }, gateway);
      const { id } = await kit.session();
      const [open, typed] = [await pass(kit, id, null, issuer), await pass(kit, id, OPERATOR, issuer)];
      const { code, number } = await pass(kit, id, null, issuer);
      const { surface } = senderOf("eve");
      const guests = async () => (await store.people.standing(scope, "eve")).people.guests;
      expect(await reason(send(kit, code, "eve"))).toBe("revoked");
      await grant(["ada"]);
      expect(await reason(send(kit, code, "eve"))).toBe("ok");
      expect(await guests()).toEqual([{ id: "eve", key: surface }]);
      expect(await store.codes.passAt(surface)).toMatchObject({ number, issuer });
      await grant([]);
      expect([await guests(), await store.codes.passAt(surface)]).toEqual([[], null]);
      expect(await reason(send(kit, open.code, "bob"))).toBe("revoked");
      expect(await store.codes.take(typed.number)).toBe(false);
      await grant(["ada"]);
      expect(await guests()).toHaveLength(1);
      await kit.clock.advance(LEASE_MS);
      expect([await guests(), await store.codes.passAt(surface)]).toEqual([[], null]);
    });

    test.inSession("a pass that is revoked in use leads its conversation nowhere", async (kit, id) => {
      const { code, number } = await pass(kit, id, null);
      await send(kit, code, "eve");
      const { surface: key, conversation } = senderOf("eve");
      await kit.store.outbox.enqueue([{ ...entry("What Eve may not read any more", conversation), sessionId: id }]);
      expect(await kit.store.codes.revoke(number)).toBe(true);
      expect(await kit.drain(key, await kit.gateway())).toEqual([]);
      expect(await kit.store.bindings.get(senderOf("eve").surface)).toBeNull();
      expect(await kit.store.codes.get(number)).toMatchObject({ state: "revoked" });
    });

    test.inSession("the passes of a session are gone with it", async (kit, id) => {
      const { code, number } = await pass(kit, id);
      await kit.store.sessions.delete(id);
      expect(await kit.store.codes.get(number)).toBeNull();
      expect(await reason(send(kit, code, "ada", { user: OPERATOR }))).toBe("unknown");
    });

    test.inSession("a pass goes along with its conversation, and ends where others read it", async (kit, id) => {
      const { code } = await pass(kit, id, null);
      await send(kit, code, "grace");
      const { conversation, surface: key } = senderOf("grace");
      const now = { ...conversation, chatId: "grace-2" };
      const lane = (at: typeof now) => ({ key: buildSessionKey(at), conversation: at });
      await kit.store.bindings.moveChat({ key, conversation }, lane(now), MOVED);
      await kit.restart();
      const { codes, bindings } = kit.store;
      expect(await codes.passAt(key)).toBeNull();
      expect(await codes.passAt(lane(now).key)).toMatchObject({
        ...{ sessionId: id, who: { key: "grace", surface: lane(now).key, conversation: now } },
      });
      const room = { ...now, kind: "group" as const };
      await bindings.moveChat(lane(now), { key: buildSessionKey(room), conversation: room }, MOVED);
      expect(await codes.passAt(lane(now).key)).toBeNull();
      expect(await codes.passAt(buildSessionKey(room))).toBeNull();
      expect(await codes.list("pass")).toEqual([]);
    });
  });
}
