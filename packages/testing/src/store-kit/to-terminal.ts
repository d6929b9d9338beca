import { describe, expect } from "vitest";
import { AT_HOME, entry, HOME_KEY, type Kit, type StoreTest } from "./kit.ts";
import { waiting } from "./waiting.ts";

export function describeToTerminal(test: StoreTest): void {
  describe("a handoff to the terminal", () => {
    test("a session is sent to the terminal in one step, and keeps its places", async (kit) => {
      const { id } = await boundAtHome(kit);
      const result = await kit.store.handoffs.toTerminal({
        sessionId: id,
        from: HOME_KEY,
        left: entry("It is there."),
      });
      const sent = { state: "completed", to: { kind: "terminal" }, platform: "terminal", from: HOME_KEY };
      expect(result).toMatchObject({ ok: true, handoff: sent });
      expect((await kit.store.handoffs.latestOf(id))?.steps.map(({ step }) => step)).toEqual(["pending", "completed"]);
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ sessionId: id });
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: "terminal" });
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["It is there."]);
      await kit.granted(id, { surface: HOME_KEY });
    });

    test("one of two terminals takes what was sent there, and then nobody is offered it", async (kit) => {
      const { id } = await boundAtHome(kit);
      const other = await kit.second();
      const result = await kit.store.handoffs.toTerminal({ sessionId: id });
      if (!result.ok) throw new Error(result.reason);
      const { id: handoff } = result.handoff;
      expect(await other.handoffs.offeredToTerminal()).toMatchObject([{ id: handoff, sessionId: id }]);
      const taken = await Promise.all([kit.store.handoffs.taken(handoff), other.handoffs.taken(handoff)]);
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await kit.store.handoffs.offeredToTerminal()).toEqual([]);
    });

    test("a session that was sent twice or moved on is offered once or not at all", async (kit) => {
      const { id } = await boundAtHome(kit);
      await kit.store.handoffs.toTerminal({ sessionId: id });
      await kit.store.handoffs.toTerminal({ sessionId: id });
      expect(await kit.store.handoffs.offeredToTerminal()).toHaveLength(1);
      await kit.requested(id);
      expect(await kit.store.handoffs.offeredToTerminal()).toEqual([]);
    });

    test("a session that is being handed off is not sent to the terminal", async (kit) => {
      const { id } = await boundAtHome(kit);
      const { id: handoff } = await kit.requested(id);
      const result = await kit.store.handoffs.toTerminal({ sessionId: id, left: entry("It is there.") });
      expect(result).toMatchObject({ ok: false, reason: "in_flight", handoff: { id: handoff } });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test("a turn that waits goes on in the terminal", async (kit) => {
      const { id, turnId } = await waiting(kit);
      await kit.store.handoffs.toTerminal({ sessionId: id });
      expect(await kit.store.turns.get(turnId)).toMatchObject({ state: "waiting", surface: "terminal" });
    });

    test("a turn that runs goes on where it is", async (kit) => {
      const { id } = await boundAtHome(kit);
      const { turn, fence } = await kit.granted(id, { surface: HOME_KEY });
      expect(await kit.store.handoffs.toTerminal({ sessionId: id })).toMatchObject({ ok: true });
      expect(await kit.store.turns.renewTurn(turn.id, fence, 1)).toBe(true);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ surface: HOME_KEY, parkRequested: false });
    });

    test("a session sent there twice during a turn tells the place that it leaves once", async (kit) => {
      const { id } = await boundAtHome(kit);
      const { turn, fence } = await kit.granted(id, { surface: HOME_KEY });
      await kit.clock.advance(10);
      const sent = () => kit.store.handoffs.toTerminal({ sessionId: id, left: entry("It is there.") });
      const first = await sent();
      if (!first.ok) throw new Error(first.reason);
      await kit.store.handoffs.taken(first.handoff.id);
      expect(await sent()).toMatchObject({ ok: true, handoff: { id: first.handoff.id } });
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["It is there."]);
      // In a later turn it is sent there anew.
      await kit.finish({ turn, fence });
      await kit.clock.advance(10);
      await kit.granted(id, { surface: HOME_KEY });
      await kit.clock.advance(10);
      const later = await sent();
      expect(later.ok && later.handoff.id).not.toBe(first.handoff.id);
    });
  });
}

async function boundAtHome(kit: Kit) {
  const session = await kit.session();
  await kit.store.bindings.bind({ ...AT_HOME, sessionId: session.id, mirrors: false });
  return session;
}
