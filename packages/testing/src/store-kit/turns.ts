import { describe, expect } from "vitest";
import { AT_HOME, entry, HOME, HOME_KEY, LEASE_MS, type StoreTest } from "./kit.ts";

export function describeTurns(test: StoreTest): void {
  describe("turns", () => {
    test.inSession("a session has one turn at a time, whichever process asks", async (kit, id) => {
      const other = await kit.second();
      const { turn, fence } = await kit.granted(id);
      expect(await kit.turn(id, {}, other)).toMatchObject({ ok: false, reason: "busy", turn: { id: turn.id } });
      expect(await other.turns.running(id)).toEqual(turn);
      await kit.finish({ turn, fence });
      expect(await other.turns.running(id)).toBeNull();
      expect(await other.turns.get(turn.id)).toMatchObject({ state: "done" });
      expect((await kit.granted(id, {}, other)).fence).toBeGreaterThan(fence);
    });

    test.inSession("one of two callers that ask at once gets the turn", async (kit, id) => {
      const other = await kit.second();
      const results = await Promise.all([kit.turn(id), kit.turn(id, {}, other), kit.turn(id)]);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await kit.texts(id)).toHaveLength(1);
    });

    test.inSession("a session that is not there has no turn", async (kit, id) => {
      await kit.store.sessions.delete(id);
      expect(await kit.turn(id)).toEqual({ ok: false, reason: "unknown_session" });
      expect(await kit.store.turns.requestStop(id)).toBe(false);
    });

    test.inSession("a turn keeps who wrote the message it answers", async (kit, id) => {
      const { turn: typed, fence } = await kit.granted(id);
      expect(typed.author).toBe("terminal");
      await kit.store.turns.finishTurn({ turnId: typed.id, fence, state: "done", messages: [], outbox: [] });
      const row = await kit.accepted("hello");
      const { turn } = await kit.granted(id, { cause: { kind: "inbox", inboxId: row.id }, surface: HOME_KEY });
      const { conversation, sender } = row.message;
      const { platform, account } = conversation;
      const author = { platform, account, conversation, senderId: sender.id, aliases: sender.aliases ?? [] };
      expect(turn.author).toEqual(author);
      await kit.restart();
      expect((await kit.store.turns.get(turn.id))?.author).toEqual(author);
    });

    test.inSession("the session remembers where it was used last", async (kit, id) => {
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
      await kit.clock.advance(1000);
      const { turn, fence, previousSurface } = await kit.granted(id, { surface: HOME_KEY });
      expect(previousSurface).toBe("terminal");
      const now = kit.clock.now();
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: HOME_KEY, updatedAt: now });
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ usedAt: now });
      await kit.finish({ turn, fence });
      expect((await kit.granted(id)).previousSurface).toBe(HOME_KEY);
    });

    test.inSession("the place that was used before is known until a turn elsewhere has ended", async (kit, id) => {
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
      const there = await kit.granted(id, { surface: HOME_KEY });
      const done = { state: "done", messages: [], outbox: [] } as const;
      await kit.store.turns.finishTurn({ turnId: there.turn.id, fence: there.fence, ...done });
      const holder = kit.process();
      expect((await kit.granted(id, { holder })).previousSurface).toBe(HOME_KEY);
      // It died, and told nobody that the work goes on in the terminal.
      kit.kill(holder);
      await kit.restart();
      const { turn, fence, previousSurface } = await kit.granted(id);
      expect(previousSurface).toBe(HOME_KEY);
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, ...done });
      expect((await kit.granted(id)).previousSurface).toBe("terminal");
    });

    test.inSession("anybody may ask the running turn to stop", async (kit, id) => {
      const other = await kit.second();
      const { turn, fence } = await kit.granted(id);
      const running = await kit.granted((await kit.session()).id);
      const held = [turn.id, running.turn.id];
      expect(await kit.store.turns.marks(held)).toEqual([]);
      expect(await other.turns.requestStop(id)).toBe(true);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ stopRequested: true });
      expect(await kit.store.turns.marks(held)).toEqual([
        { id: turn.id, fence, parkRequested: false, stopRequested: true, isRevoked: false },
      ]);
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "interrupted", messages: [], outbox: [] });
      expect(await other.turns.requestStop(id)).toBe(false);
    });

    test("what is said before an answer is queued in the step that begins its turn, once", async (kit) => {
      const { id } = await kit.session();
      const row = await kit.accepted("hello");
      const holder = kit.process("gateway");
      const start = { holder, surface: HOME_KEY, outbox: [entry("A new session.")] };
      const cause = { kind: "inbox", inboxId: row.id } as const;
      expect(await kit.turn(id, { ...start, cause: { ...cause, digest: "of another text" } })).toMatchObject({
        ok: false,
      });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      await kit.granted(id, { ...start, cause: { ...cause, digest: row.digest } });
      kit.kill(holder);
      await kit.granted(id, { ...start, cause, holder: kit.process("gateway") });
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["A new session."]);
    });

    test.inSession("the answer, its messages and the end of the turn are stored in one step", async (kit, id) => {
      const row = await kit.accepted("hello");
      const { turn, fence } = await kit.granted(id, { cause: { kind: "inbox", inboxId: row.id }, surface: HOME_KEY });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: row.id, state: "running" });
      const outbox = [entry("hi"), entry("elsewhere", { ...HOME, chatId: "200" })];
      await kit.finish({ turn, fence }, "hi", { outbox });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      expect(await kit.store.outbox.head(HOME_KEY)).toMatchObject({ turnId: turn.id, sessionId: id, handoffId: null });
      expect(await kit.texts(id)).toEqual(["user: a question", "assistant: hi"]);
    });
  });

  describe("a superseded holder", () => {
    test.inSession("can write nothing", async (kit, id) => {
      const old = await kit.granted(id);
      await kit.clock.advance(LEASE_MS);
      const other = await kit.second();
      await kit.granted(id, { message: { role: "user", text: "the next one" } }, other);
      const before = await kit.texts(id);

      const { turn, fence } = old;
      const superseded = { code: "TURN_SUPERSEDED" };
      const messages = [{ role: "assistant" as const, text: "late" }];
      await expect(kit.store.turns.append(turn.id, fence, messages)).rejects.toMatchObject(superseded);
      await expect(
        kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [entry("late")] }),
      ).rejects.toMatchObject(superseded);
      expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(false);
      expect(await kit.texts(id)).toEqual(before);
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test.inSession("the fence rejects the old holder after the same turn was run again", async (kit, id) => {
      const request = await kit.asked("hello");
      const old = await kit.granted(id, request);
      await kit.clock.advance(LEASE_MS);
      const again = await kit.granted(id, request);
      expect(again.turn.id).toBe(old.turn.id);
      expect(await kit.store.turns.renewTurn(old.turn.id, old.fence, LEASE_MS)).toBe(false);
      await expect(
        kit.store.turns.append(old.turn.id, old.fence, [{ role: "assistant", text: "late" }]),
      ).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
      expect(await kit.store.turns.renewTurn(again.turn.id, again.fence, LEASE_MS)).toBe(true);
    });

    test.inSession("keeps its turn when it only slept and nobody took over", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      await kit.clock.advance(10 * LEASE_MS);
      expect(await kit.store.turns.running(id)).toBeNull();
      expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(true);
      expect(await kit.store.turns.running(id)).toMatchObject({ id: turn.id });
      await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "awake" }]);
      expect(await kit.texts(id)).toContain("assistant: awake");
    });

    test.inSession("a lease that is renewed does not run out", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      for (let i = 0; i < 5; i++) {
        await kit.clock.advance(LEASE_MS - 1);
        expect(await kit.turn(id)).toMatchObject({ reason: "busy" });
        expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(true);
      }
    });

    test.inSession("a dead process loses its turn at once, a remote one when its lease expires", async (kit, id) => {
      const here = kit.process();
      await kit.granted(id, { holder: here });
      kit.kill(here);
      expect(await kit.store.turns.running(id)).toBeNull();
      const there = kit.process("terminal", "elsewhere");
      await kit.granted(id, { holder: there });
      kit.kill(there);
      expect(await kit.turn(id)).toMatchObject({ reason: "busy" });
      await kit.clock.advance(LEASE_MS);
      await kit.granted(id);
    });
  });
}
