import { type HandoffId, type Holder, OPERATOR, type SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { HOME_KEY, type Kit, LEASE_MS, type StoreTest, THREAD } from "./kit.ts";
import { viewOf } from "./views.ts";
import { asks } from "./waiting.ts";

const TO = { kind: "home", platform: "pager", account: undefined } as const;
const AT = { platform: "pager", account: undefined } as const;
const REST_MS = 60_000;
const TTL_MS = 60_000;

/** As a terminal renews it, and longer than it takes to rest here. */
const VIEW_LEASE_MS = 90_000;

function setAway(kit: Kit, id: SessionId) {
  return kit.store.away.set(id, { to: TO, restMs: REST_MS, by: OPERATOR });
}

function go(kit: Kit, gateway: Holder, store = kit.store) {
  return store.away.go(AT, gateway, TTL_MS);
}

/** A session that is to go to the pager, in a terminal where somebody has just typed, and the gateway of the pager. */
async function watched(kit: Kit) {
  const { id } = await kit.session();
  const terminal = kit.process();
  await setAway(kit, id);
  await type(kit, id, terminal);
  const gateway = kit.process("gateway");
  expect(await kit.store.leases.acquire("account:pager:", gateway, 10 * REST_MS)).toBe(true);
  return { id, terminal, gateway };
}

/** A terminal has the session open; a key was typed there so many milliseconds ago. */
function type(kit: Kit, id: SessionId, holder: Holder, restedMs = 0) {
  return kit.store.views.keep(viewOf(kit, id, { holder, restedMs, leaseMs: VIEW_LEASE_MS }));
}

/** Nobody types for so long, or `before` longer; the terminal goes on to have the session open. */
async function rest(kit: Kit, id: SessionId, holder: Holder, ms: number, before = 0): Promise<void> {
  await kit.clock.advance(ms);
  await type(kit, id, holder, ms + before);
}

/** A turn of the terminal that takes a second. */
async function answered(kit: Kit, id: SessionId, holder: Holder, state: "done" | "interrupted" = "done") {
  const { turn, fence } = await kit.granted(id, { holder });
  await kit.clock.advance(1_000);
  await kit.store.turns.finishTurn({ turnId: turn.id, fence, state, messages: [], outbox: [] });
}

/** A turn of the terminal that asks whether a call may run. */
async function asking(kit: Kit, id: SessionId, holder: Holder) {
  const { turn, fence } = await kit.granted(id, { holder });
  const call = { id: "1.1", name: "shell", input: {} };
  await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls: [call] }]);
  await kit.store.turns.parkTurn({
    ...{ turnId: turn.id, fence, reason: "approval", approvals: [asks("1.1")], shownAt: [], outbox: [] },
  });
  return turn.id;
}

export function describeAway(test: StoreTest): void {
  describe("a session that goes by itself", () => {
    test.inSession("where a session goes by itself is kept, replaced and cleared", async (kit, id) => {
      expect(await kit.store.away.get(id)).toBeNull();
      expect(await setAway(kit, id)).toBe(true);
      await kit.restart();
      expect(await kit.store.away.get(id)).toEqual({ to: TO, restMs: REST_MS, by: OPERATOR, seenAt: kit.clock.now() });
      expect(await kit.store.away.set(id, { to: TO, restMs: 5, by: OPERATOR })).toBe(true);
      expect(await kit.store.away.get(id)).toMatchObject({ restMs: 5 });
      expect(await kit.store.away.clear(id)).toBe(true);
      expect(await kit.store.away.clear(id)).toBe(false);
      await kit.store.sessions.delete(id);
      expect(await setAway(kit, id)).toBe(false);
    });

    test("it stays while somebody types, and goes once when the terminal rests", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await answered(kit, id, terminal);
      await rest(kit, id, terminal, REST_MS - 2_000, 1_000);
      expect(await go(kit, gateway)).toEqual([]);
      await kit.clock.advance(2_000);
      const [handoff] = await go(kit, gateway);
      expect(handoff).toMatchObject({ sessionId: id, from: "terminal", to: TO, state: "pending", isAway: true });
      expect(await kit.store.away.get(id)).toBeNull();
      expect(await kit.store.handoffs.get(handoff?.id ?? ("" as HandoffId))).toEqual(handoff);
      await kit.clock.advance(REST_MS);
      expect(await go(kit, gateway)).toEqual([]);
    });

    test("it stays while its turn runs, and where nothing happened since a key was typed", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await rest(kit, id, terminal, REST_MS);
      expect(await go(kit, gateway)).toEqual([]);
      const { turn, fence } = await kit.granted(id, { holder: terminal, leaseMs: 2 * REST_MS });
      await rest(kit, id, terminal, REST_MS);
      expect(await go(kit, gateway)).toEqual([]);
      await kit.finish({ turn, fence });
      await type(kit, id, terminal);
      await rest(kit, id, terminal, REST_MS);
      expect(await go(kit, gateway)).toEqual([]);
    });

    test("a question takes it along once the terminal rests or is left", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      const turnId = await asking(kit, id, terminal);
      expect(await go(kit, gateway)).toEqual([]);
      await kit.store.views.close(terminal);
      await kit.store.away.left(id, kit.clock.now());
      expect(await go(kit, gateway)).toHaveLength(1);
      expect(await kit.store.turns.get(turnId)).toMatchObject({ state: "waiting", surface: "terminal" });
    });

    test("a turn that was cut off with its terminal goes along", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      const { turn } = await kit.granted(id, { holder: terminal });
      expect(await go(kit, gateway)).toEqual([]);
      kit.kill(terminal);
      const [handoff] = await go(kit, gateway);
      expect(handoff).toMatchObject({ sessionId: id, waitsForTurn: false });
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "waiting", waitsFor: "handoff" });
    });

    test("what ended before its terminal was left was seen, and takes it nowhere", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await answered(kit, id, terminal);
      await kit.clock.advance(1_000);
      await kit.store.views.close(terminal);
      expect(await kit.store.away.left(id, kit.clock.now())).toBe(false);
      expect(await go(kit, gateway)).toEqual([]);
      // One of `hermes chat -q`, which nobody watches.
      await answered(kit, id, kit.process());
      expect(await go(kit, gateway)).toHaveLength(1);
    });

    test("what ended after the key that left its terminal was not seen, and takes it there", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      const leftAt = kit.clock.now();
      await answered(kit, id, terminal);
      expect(await kit.store.away.left(id, leftAt)).toBe(true);
      expect(await go(kit, gateway)).toEqual([]);
      await kit.store.views.close(terminal);
      expect(await go(kit, gateway)).toHaveLength(1);
    });

    test("an answer that a killed terminal had shown was seen; a later one was not", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await answered(kit, id, terminal);
      await rest(kit, id, terminal, REST_MS / 2);
      kit.kill(terminal);
      expect(await go(kit, gateway)).toEqual([]);
      await kit.clock.advance(1_000);
      await answered(kit, id, kit.process());
      expect(await go(kit, gateway)).toHaveLength(1);
    });

    test("a turn that was stopped takes it along only where its terminal is gone", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await answered(kit, id, terminal, "interrupted");
      await rest(kit, id, terminal, REST_MS, 1_000);
      expect(await go(kit, gateway)).toEqual([]);
      await type(kit, id, terminal);
      await answered(kit, id, terminal, "interrupted");
      await kit.store.views.close(terminal);
      expect(await go(kit, gateway)).toHaveLength(1);
    });

    test("a page that somebody uses keeps it, too", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      const page = kit.process("gateway");
      await answered(kit, id, terminal);
      await rest(kit, id, terminal, REST_MS, 1_000);
      await kit.store.views.keep(viewOf(kit, id, { holder: page, surface: HOME_KEY }));
      expect(await go(kit, gateway)).toEqual([]);
      await kit.store.views.close(page);
      expect(await go(kit, gateway)).toHaveLength(1);
    });

    test("only the gateway that has the account sends it there, and one of two does", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await asking(kit, id, terminal);
      kit.kill(terminal);
      expect(await go(kit, kit.process("gateway"))).toEqual([]);
      expect(await kit.store.away.go({ platform: "pager", account: "work" }, gateway, TTL_MS)).toEqual([]);
      expect(await kit.store.away.go({ platform: "other", account: undefined }, gateway, TTL_MS)).toEqual([]);
      const other = await kit.second();
      const gone = await Promise.all([go(kit, gateway), go(kit, gateway, other), go(kit, gateway)]);
      expect(gone.flat()).toHaveLength(1);
      expect(await kit.store.handoffs.list({ sessionId: id, limit: 5 })).toHaveLength(1);
    });

    test("a session that a person hands off does not go by itself, then or later", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await asking(kit, id, terminal);
      kit.kill(terminal);
      const handoff = await kit.requested(id);
      expect(await go(kit, gateway)).toEqual([]);
      expect(await kit.store.away.get(id)).not.toBeNull();
      await kit.store.handoffs.claimHandoff(handoff.id, gateway, LEASE_MS);
      await kit.store.handoffs.advanceHandoff(handoff.id, gateway, "threaded", { conversation: THREAD });
      await kit.bind(handoff.id, gateway);
      expect(await kit.store.away.get(id)).toBeNull();
    });

    test("a clock that is set sends nobody away", async (kit) => {
      const { id, terminal, gateway } = await watched(kit);
      await asking(kit, id, terminal);
      kit.clock.setWall(2 * REST_MS);
      expect(await go(kit, gateway)).toEqual([]);
    });
  });
}
