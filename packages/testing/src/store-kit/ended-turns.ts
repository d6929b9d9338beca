import { homeOf, TOOL_NOT_ANSWERED, TOOL_NOT_RUN, turnMarker } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, DAY_MS, HOME_KEY, type Kit, type StoreTest, THREAD_KEY } from "./kit.ts";
import { asks, decide, place, queued, resume, resumed, texts, type Waiting, waiting } from "./waiting.ts";

const THERE = place("200");

export function describeEndedTurns(test: StoreTest): void {
  describe("a turn that waits is ended", () => {
    const ended = async (kit: Kit, { id, turnId, approvals }: Waiting) => {
      expect(await kit.store.turns.get(turnId)).toMatchObject({ state: "interrupted", waitsFor: null });
      expect(await kit.store.turns.running(id)).toBeNull();
      for (const approval of approvals) {
        expect(await kit.store.approvals.get(approval.id)).toMatchObject({ state: "cancelled", decision: null });
        expect(await decide(kit, approval)).toMatchObject({ state: "over", approval: { state: "cancelled" } });
      }
      expect(await resume(kit, turnId)).toEqual({ ok: false, reason: "ended" });
    };

    test("/stop ends a waiting turn: its calls get a result, its questions are closed", async (kit) => {
      const held = await waiting(kit, { approvals: [asks("1.1"), asks("1.2")], shownAt: [AT_HOME, THERE] });
      await queued(kit);
      expect(await kit.store.turns.requestStop(held.id)).toBe(true);
      await ended(kit, held);
      expect((await kit.texts(held.id)).slice(-3)).toEqual([
        `tool: ${TOOL_NOT_RUN}`,
        `tool: ${TOOL_NOT_RUN}`,
        `assistant: ${turnMarker("stopped", false)}`,
      ]);
      expect(await queued(kit)).toHaveLength(2);
      expect(await queued(kit, THERE.key)).toHaveLength(2);
      expect(await kit.store.turns.requestStop(held.id)).toBe(false);
      await kit.granted(held.id);
    });

    test("/undo ends a waiting turn, once for each request", async (kit) => {
      const held = await waiting(kit);
      await queued(kit);
      const undone = { text: "do it", removed: 4, turns: [held.turnId] };
      expect(await kit.store.turns.undoLast(held.id, "once-1")).toEqual(undone);
      expect(await kit.store.turns.undoLast(held.id, "once-1")).toEqual(undone);
      await ended(kit, held);
      expect(await kit.texts(held.id)).toEqual([]);
      expect(await queued(kit)).toHaveLength(1);
    });

    test("/undo ends a waiting turn with all that was written instead of an answer", async (kit) => {
      const { id, approvals } = await waiting(kit);
      const message = { role: "user", text: "rather not" } as const;
      for (const approval of approvals) await decide(kit, approval, { kind: "no" }, { message });
      expect(await kit.store.turns.undoLast(id)).toMatchObject({ text: "do it" });
      expect(await kit.texts(id)).toEqual([]);
    });

    test("a deleted session ends it, and the places of the session are told", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit);
      await queued(kit);
      await kit.store.sessions.delete(id, { kind: "notice", markdown: "gone" });
      expect(await kit.store.turns.get(turnId)).toBeNull();
      for (const approval of approvals) expect(await decide(kit, approval)).toEqual({ state: "unknown" });
      const [closing, farewell] = await queued(kit);
      expect(closing).toMatchObject({ draftMessageId: expect.any(String), message: { kind: "question" } });
      expect(farewell?.message.markdown).toBe("gone");
    });

    test("a turn that waits after a crash can be ended, too", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit);
      for (const approval of approvals) await decide(kit, approval);
      const dead = kit.process("gateway");
      await resumed(kit, turnId, dead);
      kit.kill(dead);
      expect(await kit.store.turns.requestStop(id)).toBe(true);
      expect(await kit.store.turns.get(turnId)).toMatchObject({ state: "interrupted" });
    });
  });

  describe("an answer that nobody gives in time", () => {
    const expiring = (kit: Kit) => waiting(kit, { approvals: [asks("1.1", { ttlMs: DAY_MS }), asks("1.2")] });
    const settling: Record<string, (kit: Kit, held: Waiting) => Promise<unknown>> = {
      decide: (kit, { one }) => decide(kit, one),
      get: (kit, { one }) => kit.store.approvals.get(one.id),
      byCode: (kit, { one }) => kit.store.approvals.byCode(one.code),
      ofTurn: (kit, { turnId }) => kit.store.approvals.ofTurn(turnId),
      open: (kit) => kit.store.approvals.open(),
      shownAt: (kit) => kit.store.approvals.shownAt(HOME_KEY),
      showAt: (kit, { id }) => kit.store.approvals.showAt(id, THERE),
      resumeTurn: (kit, { turnId }) => resume(kit, turnId),
      resumable: (kit) => kit.store.turns.resumable("terminal"),
      running: (kit, { id }) => kit.store.turns.running(id),
      startTurn: (kit, { id }) => kit.turn(id),
      requestStop: (kit, { id }) => kit.store.turns.requestStop(id),
      requestHandoff: (kit, { id }) => kit.store.handoffs.requestHandoff(id, homeOf("pager")),
    };
    for (const [name, settle] of Object.entries(settling)) {
      test(`ends the turn and is told at its place, as soon as ${name} meets it`, async (kit) => {
        const held = await expiring(kit);
        await queued(kit);
        await kit.clock.advance(DAY_MS - 1);
        expect(await resume(kit, held.turnId)).toEqual({ ok: false, reason: "open" });
        await kit.clock.advance(1);
        await settle(kit, held);
        const rows = texts(await queued(kit));
        expect(rows.filter((text) => text.includes("Nobody answered “run 1.1”, “run 1.2” in time"))).toHaveLength(1);
        expect(await kit.store.turns.get(held.turnId)).toMatchObject({ state: "interrupted" });
        expect(await kit.store.approvals.ofTurn(held.turnId)).toMatchObject([
          { state: "expired" },
          { state: "expired" },
        ]);
        const said = await kit.texts(held.id);
        expect(said.filter((text) => text === `tool: ${TOOL_NOT_ANSWERED}`)).toHaveLength(2);
        expect(said).toContain(`assistant: ${turnMarker("interrupted", false)}`);
      });
    }

    test("it does not depend on the time that somebody sets on the machine", async (kit) => {
      const held = await expiring(kit);
      kit.clock.setWall(2 * DAY_MS);
      expect(await resume(kit, held.turnId)).toEqual({ ok: false, reason: "open" });
      await kit.clock.advance(DAY_MS);
      expect(await resume(kit, held.turnId)).toEqual({ ok: false, reason: "ended" });
    });

    test("waits for ever where it is to", async (kit) => {
      const { id, turnId } = await waiting(kit);
      await kit.clock.advance(400 * DAY_MS);
      expect(await kit.store.turns.running(id)).toMatchObject({ id: turnId });
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
    });
  });
}
