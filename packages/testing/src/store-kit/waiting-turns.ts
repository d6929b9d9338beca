import { homeOf, type LineId, TOOL_INTERRUPTED, TOOL_NOT_RUN, turnMarker } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, DAY_MS, entry, HOME, HOME_KEY, type Kit, LEASE_MS, type StoreTest } from "./kit.ts";
import {
  asks,
  calls,
  decide,
  place,
  queued,
  resume,
  resumed,
  texts,
  turnOf,
  type Waiting,
  waiting,
} from "./waiting.ts";

const THERE = place("200");

export function describeWaitingTurns(test: StoreTest): void {
  describe("a turn that is parked", () => {
    test("waits without a lease, and its message is done", async (kit) => {
      const held = await waiting(kit);
      await kit.restart();
      const turn = await turnOf(kit, held);
      expect(turn).toMatchObject({ state: "waiting", waitsFor: "approval", surface: HOME_KEY, attempt: 1 });
      expect(turn.fence).toBeGreaterThan(held.fence);
      expect(await kit.store.turns.running(held.id)).toEqual(turn);
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
    });

    test("nobody writes into it, neither its former holder nor one with its fence", async (kit) => {
      const { id, turnId, fence: old } = await waiting(kit);
      const { fence: now } = await turnOf(kit, { turnId });
      const before = await kit.texts(id);
      await queued(kit);
      for (const fence of [old, now]) {
        const superseded = { code: "TURN_SUPERSEDED" };
        const messages = [{ role: "assistant" as const, text: "late" }];
        const { turns } = kit.store;
        await expect(turns.append(turnId, fence, messages)).rejects.toMatchObject(superseded);
        await expect(turns.beginCall(turnId, fence, { id: "1.1", repeats: true })).rejects.toMatchObject(superseded);
        const end = { turnId, fence, outbox: [entry("late")] };
        await expect(turns.finishTurn({ ...end, state: "done", messages })).rejects.toMatchObject(superseded);
        const park = { ...end, reason: "approval", approvals: [asks("1.1")], shownAt: [AT_HOME] } as const;
        await expect(turns.parkTurn(park)).rejects.toMatchObject(superseded);
        expect(await turns.renewTurn(turnId, fence, LEASE_MS)).toBe(false);
      }
      expect(await kit.texts(id)).toEqual(before);
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test.inSession("completes the message that its answer grew in, and begins another one later", async (kit, id) => {
      const first = await kit.granted(id, { surface: HOME_KEY });
      const draft = { turnId: first.turn.id, key: HOME_KEY, conversation: HOME };
      await kit.store.outbox.saveDraft({ ...draft, sendKey: "draft:1", messageId: null });
      await calls(kit, first, "1.1");
      const approvals = [asks("1.1")];
      const park = { turnId: first.turn.id, fence: first.fence, reason: "approval", approvals } as const;
      await kit.store.turns.parkTurn({ ...park, shownAt: [AT_HOME], outbox: [entry("I would run it.")] });
      const [said, ...questions] = await queued(kit);
      expect(said).toMatchObject({ draftKey: "draft:1", message: { markdown: "I would run it." } });
      expect(questions).toMatchObject([{ draftKey: null }, { draftKey: null }]);
      // Its message id may be found later.
      expect(await kit.store.outbox.draft("draft:1")).toMatchObject({ messageId: null });
      expect(await kit.store.outbox.draftOf(first.turn.id)).toBeNull();

      for (const approval of approvals) await decide(kit, approval);
      await queued(kit);
      const again = await resumed(kit, first.turn.id);
      expect(await kit.store.outbox.draftOf(first.turn.id)).toBeNull();
      await kit.store.outbox.saveDraft({ ...draft, sendKey: "draft:2", messageId: "d2" });
      expect(await kit.store.outbox.draftOf(first.turn.id)).toMatchObject({ sendKey: "draft:2" });
      const end = { turnId: first.turn.id, fence: again.fence, state: "done", messages: [] } as const;
      await kit.store.turns.finishTurn({ ...end, outbox: [entry("done")] });
      expect(await queued(kit)).toMatchObject([{ draftKey: "draft:2", draftMessageId: "d2" }]);
    });

    test.inSession("it is stopped at once when a stop came before it was parked", async (kit, id) => {
      const { turn, fence } = await kit.granted(id, { surface: HOME_KEY });
      await calls(kit, { turn, fence }, "1.1");
      await kit.store.turns.requestStop(id);
      const park = { turnId: turn.id, fence, reason: "approval", approvals: [asks("1.1")] } as const;
      expect(await kit.store.turns.parkTurn({ ...park, shownAt: [AT_HOME], outbox: [] })).toBe("parked");
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "interrupted" });
      expect((await kit.texts(id)).slice(-2)).toEqual([
        `tool: ${TOOL_NOT_RUN}`,
        `assistant: ${turnMarker("stopped", false)}`,
      ]);
    });
  });

  describe("every call of the store leaves a turn that waits as it is:", () => {
    const untouched = (name: string, act: (kit: Kit, held: Waiting) => Promise<unknown>) =>
      test(name, async (kit) => {
        const held = await waiting(kit);
        const [turn, before] = [await turnOf(kit, held), await kit.texts(held.id)];
        await kit.clock.advance(10 * LEASE_MS);
        await act(kit, held);
        expect(await turnOf(kit, held)).toEqual(turn);
        expect(await kit.texts(held.id)).toEqual(before);
        expect(await kit.store.approvals.open(held.id)).toHaveLength(1);
        expect(await resume(kit, held.turnId)).toEqual({ ok: false, reason: "open" });
      });

    untouched("a message of the terminal, which is kept", async (kit, { id, turnId }) => {
      const cause = { kind: "terminal", keepAs: "line-1" as LineId } as const;
      expect(await kit.turn(id, { cause })).toMatchObject({ ok: false, reason: "waiting", turn: { id: turnId } });
      await kit.clock.advance(LEASE_MS);
      expect(await kit.store.typedLines.left(id)).toMatchObject([{ id: "line-1" }]);
    });

    untouched("a message of a platform, and the one that it answers", async (kit, { id, turnId }) => {
      const row = await kit.accepted("and now?");
      const cause = { kind: "inbox", inboxId: row.id } as const;
      expect(await kit.turn(id, { cause })).toMatchObject({ ok: false, reason: "waiting" });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: row.id, state: "queued" });
      const turn = await turnOf(kit, { turnId });
      expect(await kit.turn(id, { cause: turn.cause })).toEqual({ ok: false, reason: "answered" });
    });

    untouched("another session's turn, its end, its /undo and its deletion", async (kit) => {
      const { id } = await kit.session();
      await kit.exchange(id, "one", "two");
      await kit.store.turns.undoLast(id);
      await kit.store.turns.requestStop(id);
      await kit.store.sessions.delete(id);
    });

    untouched("gateways that come and go, and pruning", async (kit) => {
      expect(await kit.store.turns.resumable({ platform: "pager", account: undefined })).toEqual([]);
      expect(await kit.store.turns.resumable("terminal")).toEqual([]);
      await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), kit.process("gateway"), LEASE_MS);
      await kit.clock.advance(40 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      await kit.restart();
    });
  });

  describe("going on with a turn", () => {
    test("it is granted when all is decided, with all that is stored", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit, { approvals: [asks("1.1"), asks("1.2")] });
      const [one, two] = approvals as [(typeof approvals)[0], (typeof approvals)[0]];
      await decide(kit, one);
      expect(await resume(kit, turnId)).toEqual({ ok: false, reason: "open" });
      await decide(kit, two);
      const holder = kit.process("gateway");
      const before = await turnOf(kit, { turnId });
      const { turn, fence, message } = await resumed(kit, turnId, holder);
      expect(turn).toMatchObject({
        id: turnId,
        state: "running",
        waitsFor: null,
        holder,
        attempt: 1,
        surface: HOME_KEY,
      });
      expect(fence).toBeGreaterThan(before.fence);
      expect(message).toMatchObject({ text: "do it", turnId });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      expect(await kit.store.turns.running(id)).toEqual(turn);
      const begin = (callId: string) => kit.store.turns.beginCall(turnId, fence, { id: callId, repeats: false });
      expect([await begin("1.1"), await begin("1.1"), await begin("1.2")]).toEqual([true, false, true]);
    });

    test("one process goes on with it, and others are told why they may not", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit);
      for (const approval of approvals) await decide(kit, approval);
      const other = await kit.second();
      const request = { turnId, leaseMs: LEASE_MS };
      const results = await Promise.all([
        kit.store.turns.resumeTurn({ ...request, holder: kit.process("gateway") }),
        other.turns.resumeTurn({ ...request, holder: kit.process("gateway") }),
      ]);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(results.find(({ ok }) => !ok)).toEqual({ ok: false, reason: "held" });
      expect(await kit.turn(id)).toMatchObject({ ok: false, reason: "busy" });
      const { fence } = await turnOf(kit, { turnId });
      await kit.store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [] });
      expect(await resume(kit, turnId)).toEqual({ ok: false, reason: "ended" });
      await kit.store.sessions.delete(id);
      expect(await resume(kit, turnId)).toEqual({ ok: false, reason: "unknown" });
    });

    test("happens where the last decision was made, if the session is open there", async (kit) => {
      const at = async (surface: typeof HOME_KEY | "terminal") => {
        const { turnId, approvals } = await waiting(kit);
        for (const approval of approvals) await decide(kit, approval, { kind: "once" }, { surface });
        const { fence, turn, previousSurface } = await resumed(kit, turnId);
        await kit.store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [] });
        // What it left is told when it ends: the place of the turn, or else the terminal, where the session began.
        expect(previousSurface).toBe(turn.surface === HOME_KEY ? "terminal" : HOME_KEY);
        return turn.surface;
      };
      expect(await at("terminal")).toBe("terminal");
      expect(await at(HOME_KEY)).toBe(HOME_KEY);
      expect(await at(THERE.key)).toBe(HOME_KEY);
    });

    test("it is offered to the account that serves its place", async (kit) => {
      const { turnId, approvals } = await waiting(kit);
      const pager = { platform: "pager", account: undefined };
      expect(await kit.store.turns.resumable(pager)).toEqual([]);
      for (const approval of approvals) await decide(kit, approval);
      expect(await kit.store.turns.resumable(pager)).toMatchObject([{ id: turnId }]);
      expect(await kit.store.turns.resumable({ platform: "pager", account: "second" })).toEqual([]);
      expect(await kit.store.turns.resumable("terminal")).toEqual([]);
      const dead = kit.process("gateway");
      await resumed(kit, turnId, dead);
      expect(await kit.store.turns.resumable(pager)).toEqual([]);
      kit.kill(dead);
      expect(await kit.store.turns.resumable(pager)).toMatchObject([{ id: turnId, state: "running" }]);
    });

    test("goes on after a crash at the step where it was, and nobody closes it", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit, { approvals: [asks("1.1"), asks("1.2")] });
      for (const approval of approvals) await decide(kit, approval);
      const dead = kit.process("gateway");
      const { fence } = await resumed(kit, turnId, dead);
      await kit.store.turns.beginCall(turnId, fence, { id: "1.1", repeats: false });
      kit.kill(dead);
      expect(await kit.turn(id)).toMatchObject({ ok: false, reason: "waiting", turn: { id: turnId } });
      expect(await kit.store.turns.running(id)).toMatchObject({ id: turnId });
      const { turn } = await resumed(kit, turnId);
      expect(turn).toMatchObject({ attempt: 2 });
      expect((await kit.store.transcripts.read(id)).at(-1)).toMatchObject({
        text: TOOL_INTERRUPTED,
        toolCallId: "1.1",
      });
    });

    test("ends after three attempts without a new result, and its place is told", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit);
      for (const approval of approvals) await decide(kit, approval);
      await queued(kit);
      for (const attempt of [1, 2, 3]) {
        const dead = kit.process("gateway");
        expect((await resumed(kit, turnId, dead)).turn.attempt).toBe(attempt);
        kit.kill(dead);
      }
      expect(await resume(kit, turnId)).toEqual({ ok: false, reason: "ended" });
      expect((await kit.texts(id)).at(-1)).toBe(`assistant: ${turnMarker("interrupted", false)}`);
      expect(texts(await queued(kit))).toEqual([expect.stringContaining("does not go on")]);
    });

    test("a dead terminal's turn is gone on with on request, and closed by the next one", async (kit) => {
      const cutOff = async () => {
        const { id } = await kit.session();
        const dead = kit.process();
        const { turn } = await kit.granted(id, { holder: dead });
        expect(await resume(kit, turn.id)).toEqual({ ok: false, reason: "held" });
        kit.kill(dead);
        expect((await kit.store.turns.resumable("terminal")).at(-1)).toMatchObject({ id: turn.id });
        return { id, turn };
      };
      const one = await cutOff();
      expect((await resumed(kit, one.turn.id)).turn).toMatchObject({ id: one.turn.id, attempt: 2 });
      const other = await cutOff();
      await kit.granted(other.id);
      expect(await resume(kit, other.turn.id)).toEqual({ ok: false, reason: "ended" });
    });
  });
}
