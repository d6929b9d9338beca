import { buildSessionKey, type Conversation } from "@hermes/core";
import { closedQuestion, turnMarker } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, HOME_KEY, type Kit, LEASE_MS, MOVED, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";
import {
  asks,
  calls,
  decide,
  deliverer,
  place,
  queued,
  resume,
  resumed,
  texts,
  turnOf,
  type Waiting,
  waiting,
} from "./waiting.ts";

const REFUSED = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;
const GROUP: Conversation = { platform: "pager", chatId: "7", kind: "group" };
const PAGER = { platform: "pager", account: undefined };

export function describeHandoffsOfTurns(test: StoreTest): void {
  describe("a handoff that is asked for while a turn runs", () => {
    test.inSession("waits until the turn is parked, and its time runs from then", async (kit, id) => {
      const gateway = await deliverer(kit);
      const { turn, fence } = await kit.granted(id);
      const handoff = await kit.requested(id);
      expect(handoff).toMatchObject({ state: "pending", waitsForTurn: true });
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "running", parkRequested: true });
      expect(await kit.turn(id)).toMatchObject({ ok: false, reason: "handoff" });
      for (let i = 0; i < 10; i++) {
        await kit.clock.advance(LEASE_MS - 1);
        expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(true);
        expect(await kit.store.handoffs.listPendingHandoffs()).toMatchObject([{ id: handoff.id, waitsForTurn: true }]);
        expect(await kit.store.handoffs.claimHandoff(handoff.id, gateway, LEASE_MS)).toBe(false);
      }
      const park = { turnId: turn.id, fence, reason: "handoff", approvals: [], shownAt: [], outbox: [] } as const;
      await kit.store.turns.parkTurn(park);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "waiting", waitsFor: "handoff" });
      await kit.clock.advance(59_999);
      expect(await kit.store.handoffs.listPendingHandoffs()).toMatchObject([{ id: handoff.id, waitsForTurn: false }]);
      expect(await resume(kit, turn.id)).toEqual({ ok: false, reason: "handoff" });
      expect(await kit.store.handoffs.claimHandoff(handoff.id, gateway, LEASE_MS)).toBe(true);
    });

    test.inSession("the turn goes on where it was when nobody claims the handoff in time", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      const handoff = await kit.requested(id);
      const park = { turnId: turn.id, fence, reason: "handoff", approvals: [], shownAt: [], outbox: [] } as const;
      await kit.store.turns.parkTurn(park);
      await kit.clock.advance(60_000);
      expect(await kit.store.handoffs.get(handoff.id)).toMatchObject({ error: { code: "HANDOFF_NOT_CLAIMED" } });
      expect(await kit.store.turns.resumable("terminal")).toMatchObject([{ id: turn.id }]);
      expect((await resumed(kit, turn.id)).turn).toMatchObject({ surface: "terminal", attempt: 1 });
    });

    test.inSession("it is claimed as usual when the turn ends by itself", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      const handoff = await kit.requested(id);
      await kit.clock.advance(LEASE_MS - 1);
      await kit.finish({ turn, fence });
      await kit.clock.advance(59_999);
      const gateway = await deliverer(kit);
      expect(await kit.store.handoffs.claimHandoff(handoff.id, gateway, LEASE_MS)).toBe(true);
      expect(await kit.bind(handoff.id, gateway)).toBe(true);
      expect(await kit.store.handoffs.get(handoff.id)).toMatchObject({ step: "bound" });
    });

    test.inSession("can be cancelled: the turn runs on, or goes on where it was", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      expect(await kit.store.handoffs.cancelHandoff((await kit.requested(id)).id)).toBe(true);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "running", parkRequested: false });
      const second = await kit.requested(id);
      const park = { turnId: turn.id, fence, reason: "handoff", approvals: [], shownAt: [], outbox: [] } as const;
      await kit.store.turns.parkTurn(park);
      expect(await kit.store.handoffs.cancelHandoff(second.id)).toBe(true);
      expect((await resumed(kit, turn.id)).turn).toMatchObject({ surface: "terminal" });
    });

    test.inSession("the claim takes over the turn whose process died meanwhile", async (kit, id) => {
      const row = await kit.accepted("do it");
      const dead = kit.process("gateway");
      const cause = { kind: "inbox", inboxId: row.id } as const;
      const { turn, fence } = await kit.granted(id, { holder: dead, cause, surface: HOME_KEY });
      await calls(kit, { turn, fence }, "1.1");
      const handoff = await kit.requested(id);
      kit.kill(dead);
      const gateway = await deliverer(kit);
      expect(await kit.store.handoffs.claimHandoff(handoff.id, gateway, LEASE_MS)).toBe(true);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "waiting", waitsFor: "handoff" });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      await expect(kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "late" }])).rejects.toMatchObject(
        { code: "TURN_SUPERSEDED" },
      );
      await kit.bind(handoff.id, gateway);
      await kit.store.handoffs.completeHandoff(handoff.id, gateway);
      expect((await resumed(kit, turn.id)).turn).toMatchObject({ surface: THREAD_KEY, attempt: 1 });
    });

    test.inSession("leaves a turn that was stopped to its end", async (kit, id) => {
      const dead = kit.process();
      const { turn } = await kit.granted(id, { holder: dead });
      const handoff = await kit.requested(id);
      await kit.store.turns.requestStop(id);
      kit.kill(dead);
      const gateway = await deliverer(kit);
      expect(await kit.store.handoffs.claimHandoff(handoff.id, gateway, LEASE_MS)).toBe(true);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "interrupted" });
      expect((await kit.texts(id)).at(-1)).toBe(`assistant: ${turnMarker("stopped", false)}`);
    });
  });

  describe("a handoff of a session whose turn waits", () => {
    const bound = async (kit: Kit, approvals = [asks("1.1"), asks("1.2")], boundAt: (typeof AT_HOME)[] = []) => {
      const held = await waiting(kit, { approvals, boundAt });
      await queued(kit);
      const gateway = await deliverer(kit);
      const handoff = (await kit.requested(held.id)).id;
      await kit.store.handoffs.claimHandoff(handoff, gateway, LEASE_MS);
      await kit.store.handoffs.advanceHandoff(handoff, gateway, "threaded", { conversation: THREAD });
      const before = await kit.texts(held.id);
      expect(await kit.bind(handoff, gateway)).toBe(true);
      expect(await kit.texts(held.id)).toEqual(before);
      return { ...held, gateway, handoff };
    };
    const [first, second] = [0, 1].map((at) => ({ approvals }: Waiting) => {
      const approval = approvals[at];
      if (approval === undefined) throw new Error("nothing was asked");
      return approval;
    }) as [(held: Waiting) => Waiting["approvals"][0], (held: Waiting) => Waiting["approvals"][0]];

    test("asks no model: notice and open questions are there at once", async (kit) => {
      const held = await bound(kit);
      expect(await kit.store.handoffs.get(held.handoff)).toMatchObject({ step: "answered" });
      expect(await kit.bind(held.handoff, held.gateway)).toBe(true);
      expect(texts(await queued(kit, THREAD_KEY))).toEqual([
        "notice",
        ...["all of 1.1", "may 1.1 run?"],
        ...["all of 1.2", "may 1.2 run?"],
      ]);
      expect(await kit.store.handoffs.get(held.handoff)).toMatchObject({ step: "delivered" });
      expect(await kit.store.approvals.shownAt(THREAD_KEY)).toHaveLength(2);
      expect(await kit.store.approvals.shownAt(HOME_KEY)).toHaveLength(2);
      const steps = (await kit.store.handoffs.get(held.handoff))?.steps.map(({ step }) => step);
      expect(steps).toEqual(["pending", "claimed", "threaded", "bound", "answered", "delivered"]);
    });

    test("lets nobody go on before it is completed, and keeps what is decided", async (kit) => {
      const held = await bound(kit);
      await decide(kit, first(held), { kind: "once" }, { surface: THREAD_KEY });
      await decide(kit, second(held), { kind: "no" }, { surface: THREAD_KEY });
      expect(await resume(kit, held.turnId)).toEqual({ ok: false, reason: "handoff" });
      expect(await kit.store.turns.resumable(PAGER)).toEqual([]);
      expect(texts(await queued(kit, THREAD_KEY))).toHaveLength(3);
      expect(await kit.store.handoffs.get(held.handoff)).toMatchObject({ step: "delivered" });
      expect(await resume(kit, held.turnId)).toEqual({ ok: false, reason: "handoff" });
      await kit.store.handoffs.completeHandoff(held.handoff, held.gateway);
      expect(await kit.store.turns.resumable(PAGER)).toMatchObject([{ id: held.turnId, surface: THREAD_KEY }]);
      expect((await resumed(kit, held.turnId)).turn.surface).toBe(THREAD_KEY);
    });

    test("leaves the questions decidable where they stood before", async (kit) => {
      const held = await bound(kit);
      await queued(kit, THREAD_KEY);
      await kit.store.handoffs.completeHandoff(held.handoff, held.gateway);
      for (const approval of held.approvals) await decide(kit, approval);
      expect(await queued(kit, THREAD_KEY)).toHaveLength(2);
      expect(await queued(kit)).toHaveLength(2);
      // The session is open there still.
      expect((await resumed(kit, held.turnId)).turn.surface).toBe(HOME_KEY);
    });

    test("a failed handoff leaves the turn where it was, and takes its questions back", async (kit) => {
      const held = await bound(kit);
      // The notice, what stands above the first question, and that.
      for (let sent = 0; sent < 3; sent++) await send(kit, held.gateway);
      await decide(kit, first(held), { kind: "once" }, { surface: THREAD_KEY });
      expect(await kit.store.handoffs.compensateHandoff(held.handoff, held.gateway, REFUSED)).toBe(true);
      expect(await turnOf(kit, held)).toMatchObject({ state: "waiting", surface: HOME_KEY });
      expect(await kit.store.approvals.shownAt(THREAD_KEY)).toEqual([]);
      expect(await kit.store.approvals.shownAt(HOME_KEY)).toHaveLength(1);
      expect((await kit.texts(held.id)).at(-1)).toContain("the handoff to pager failed");
      await decide(kit, second(held), { kind: "once" });
      expect((await resumed(kit, held.turnId)).turn).toMatchObject({ surface: HOME_KEY, attempt: 1 });
    });

    test("a failed handoff closes the questions it sent there, and they stay open", async (kit) => {
      const held = await bound(kit, [asks("1.1")]);
      await queued(kit, THREAD_KEY);
      expect(await kit.store.handoffs.compensateHandoff(held.handoff, held.gateway, REFUSED)).toBe(true);
      const [row, ...others] = await queued(kit, THREAD_KEY);
      expect(others).toEqual([]);
      expect(row).toMatchObject({ draftMessageId: expect.any(String), message: { kind: "question" } });
      expect(row?.message.markdown).toContain("has left this place");
      const approval = await kit.store.approvals.get(first(held).id);
      expect(row?.message).not.toEqual(approval && closedQuestion(approval));
      expect(approval).toMatchObject({ state: "open" });
      await decide(kit, first(held));
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
    });

    test("a turn goes back to its place although that place has moved meanwhile", async (kit) => {
      const held = await bound(kit);
      const there = place("200");
      await kit.store.outbox.moveLane(HOME_KEY, there);
      expect(await turnOf(kit, held)).toMatchObject({ surface: THREAD_KEY });
      await kit.store.handoffs.compensateHandoff(held.handoff, held.gateway, REFUSED);
      expect(await turnOf(kit, held)).toMatchObject({ surface: there.key });
    });

    test("a turn goes back to where else its session is, once others read its place", async (kit) => {
      for (const elsewhere of [null, place("200")]) {
        const held = await bound(kit, [asks("1.1")], elsewhere === null ? [] : [elsewhere]);
        await kit.store.bindings.moveChat(AT_HOME, { key: buildSessionKey(GROUP), conversation: GROUP }, MOVED);
        await kit.store.handoffs.compensateHandoff(held.handoff, held.gateway, REFUSED);
        expect(await turnOf(kit, held)).toMatchObject({ state: "waiting", surface: elsewhere?.key ?? "terminal" });
        if (elsewhere !== null) expect(await kit.store.approvals.shownAt(elsewhere.key)).toHaveLength(1);
      }
    });

    test("a handoff whose gateway died can be cancelled, and the turn goes on where it was", async (kit) => {
      const held = await bound(kit);
      await kit.clock.advance(LEASE_MS);
      expect(await kit.store.handoffs.cancelHandoff(held.handoff)).toBe(true);
      for (const approval of held.approvals) await decide(kit, approval);
      expect((await resumed(kit, held.turnId)).turn.surface).toBe(HOME_KEY);
    });

    test("asks before everything where others read", async (kit) => {
      const { id } = await kit.session({ mode: "edits" });
      const gateway = await deliverer(kit);
      const there = { ...THREAD, kind: "group" } as const;
      await kit.bound(id, gateway);
      expect(await kit.store.sessions.get(id)).toMatchObject({ mode: "edits" });
      const other = await kit.session({ mode: "edits" });
      await kit.bound(other.id, gateway, there);
      expect(await kit.store.sessions.get(other.id)).toMatchObject({ mode: "default" });
    });
  });
}

async function send(kit: Kit, gateway: Awaited<ReturnType<typeof deliverer>>): Promise<void> {
  const head = await kit.begin(gateway, THREAD_KEY);
  const receipt = { messageId: `sent-${head.id}`, sentAt: kit.clock.now() };
  await kit.store.outbox.settleSend(head.id, { kind: "sent", receipt });
}
