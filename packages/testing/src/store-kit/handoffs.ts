import { homeOf, type SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { LEASE_MS, type StoreTest } from "./kit.ts";

export function describeHandoffRequests(test: StoreTest): void {
  describe("a handoff's request", () => {
    test.inSession("a handoff of a new session waits, with its platform and no error", async (kit, id) => {
      expect(await kit.store.handoffs.latestOf(id)).toBeNull();
      const handoff = await kit.requested(id);
      expect(handoff).toMatchObject({
        sessionId: id,
        from: "terminal",
        platform: "pager",
        state: "pending",
        step: null,
        attempt: 0,
        holder: null,
        error: null,
        warnings: [],
        expiresAt: kit.clock.now() + 60_000,
      });
      expect(handoff.steps).toEqual([{ step: "pending", at: kit.clock.now() }]);
      expect(handoff.mark).not.toBe("");
      expect(await kit.store.handoffs.latestOf(id)).toEqual(handoff);
      expect(await kit.store.handoffs.get(handoff.id)).toEqual(handoff);
    });

    test.inSession("refuses a handoff, writing nothing, while any process has one in flight", async (kit, id) => {
      const other = await kit.second();
      const gateway = kit.process("gateway");
      const first = await kit.requested(id);
      const refusal = { ok: false, reason: "in_flight", handoff: { id: first.id, platform: "pager" } };
      expect(await other.handoffs.requestHandoff(id, homeOf("beacon"))).toMatchObject(refusal);
      await kit.store.handoffs.claimHandoff(first.id, gateway, LEASE_MS);
      expect(await other.handoffs.requestHandoff(id, homeOf("beacon"))).toMatchObject(refusal);
      await kit.bind(first.id, gateway);
      await kit.answeredHandoff(id, first.id, gateway);
      expect(await other.handoffs.requestHandoff(id, homeOf("beacon"))).toMatchObject(refusal);
      expect(await kit.store.handoffs.list({ sessionId: id, limit: 9 })).toHaveLength(1);
    });

    test.inSession("one of two concurrent handoff requests is accepted", async (kit, id) => {
      const other = await kit.second();
      const results = await Promise.all([
        kit.store.handoffs.requestHandoff(id, homeOf("pager")),
        other.handoffs.requestHandoff(id, homeOf("beacon")),
      ]);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    });

    test.inSession("a new request is accepted once the last ended, without the old error", async (kit, id) => {
      const gateway = kit.process("gateway");
      const first = await kit.claimed(id, gateway);
      await kit.store.handoffs.failHandoff(first, gateway, { code: "PLATFORM_FORBIDDEN", text: "no rights" });
      const second = await kit.requested(id, "beacon");
      expect(await kit.store.handoffs.latestOf(id)).toMatchObject({
        id: second.id,
        platform: "beacon",
        state: "pending",
        error: null,
      });
      await kit.store.handoffs.claimHandoff(second.id, gateway, LEASE_MS);
      await kit.store.handoffs.completeHandoff(second.id, gateway);
      await kit.requested(id);
      const states = await kit.store.handoffs.list({ sessionId: id, limit: 9 });
      expect(states.map(({ state, platform }) => [state, platform])).toEqual([
        ["pending", "pager"],
        ["completed", "beacon"],
        ["failed", "pager"],
      ]);
      expect(await kit.store.handoffs.list({ inFlight: true, limit: 9 })).toHaveLength(1);
      expect(await kit.store.handoffs.list({ inFlight: false, limit: 9 })).toHaveLength(2);
    });

    test.inSession("closes a turn that a dead process left before it", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      await kit.clock.advance(LEASE_MS);
      await kit.requested(id);
      expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(false);
      expect((await kit.store.transcripts.read(id)).at(-1)).toMatchObject({ role: "assistant", internal: true });
    });

    test("a handoff of an unknown session is refused, and leaves no row", async (kit) => {
      const unknown = "ses_none" as SessionId;
      const refusal = { ok: false, reason: "unknown_session" };
      expect(await kit.store.handoffs.requestHandoff(unknown, homeOf("pager"))).toEqual(refusal);
      expect(await kit.store.handoffs.latestOf(unknown)).toBeNull();
    });

    test("nobody claims in time fails by itself, wherever one looks", async (kit) => {
      const looks = [
        (id: SessionId) => kit.store.handoffs.latestOf(id),
        (id: SessionId) => kit.store.handoffs.listPendingHandoffs().then(() => kit.store.handoffs.latestOf(id)),
        (id: SessionId) => kit.granted(id).then(() => kit.store.handoffs.latestOf(id)),
        async (id: SessionId) => (await kit.store.handoffs.list({ sessionId: id, limit: 1 }))[0],
      ];
      for (const look of looks) {
        const { id } = await kit.session();
        await kit.store.handoffs.requestHandoff(id, homeOf("pager"), { ttlMs: 5000 });
        await kit.clock.advance(4999);
        expect(await kit.turn(id)).toMatchObject({ reason: "handoff", platform: "pager" });
        await kit.clock.advance(1);
        expect(await look(id)).toMatchObject({ state: "failed", error: { code: "HANDOFF_NOT_CLAIMED" } });
      }
    });

    test.inSession("an expired handoff is claimed by nobody and blocks no other", async (kit, id) => {
      const first = await kit.requested(id);
      await kit.clock.advance(60_000);
      expect(await kit.store.handoffs.claimHandoff(first.id, kit.process("gateway"), LEASE_MS)).toBe(false);
      expect(await kit.store.handoffs.get(first.id)).toMatchObject({
        state: "failed",
        endedAt: kit.clock.now(),
        error: { code: "HANDOFF_NOT_CLAIMED", text: expect.stringContaining("60 s") },
      });
      await kit.requested(id);
    });

    test.inSession("whoever waits may cancel it while it waits", async (kit, id) => {
      const { id: handoff } = await kit.requested(id);
      expect(await kit.store.handoffs.cancelHandoff(handoff)).toBe(true);
      expect(await kit.store.handoffs.cancelHandoff(handoff)).toBe(false);
      const state = { state: "failed", error: { code: "HANDOFF_CANCELLED" } };
      expect(await kit.store.handoffs.get(handoff)).toMatchObject(state);
      expect(await kit.store.handoffs.claimHandoff(handoff, kit.process("gateway"), LEASE_MS)).toBe(false);
      await kit.granted(id);
    });
  });

  describe("waiting handoffs", () => {
    test("pending handoffs are listed oldest first, of one platform or of all", async (kit) => {
      const gateway = kit.process("gateway");
      const sessions = [];
      for (const platform of ["pager", "beacon", "pager", "pager"]) {
        const { id } = await kit.session();
        sessions.push(id);
        await kit.requested(id, platform);
      }
      const [first] = await kit.store.handoffs.listPendingHandoffs(homeOf("pager"));
      expect(first?.sessionId).toBe(sessions[0]);
      if (first) await kit.store.handoffs.claimHandoff(first.id, gateway, LEASE_MS);
      const ids = async (platform?: string) =>
        (await kit.store.handoffs.listPendingHandoffs(platform === undefined ? platform : homeOf(platform))).map(
          ({ sessionId }) => sessionId,
        );
      expect(await ids()).toEqual([sessions[1], sessions[2], sessions[3]]);
      expect(await ids("pager")).toEqual([sessions[2], sessions[3]]);
      expect(await ids("other")).toEqual([]);
    });
  });
}
