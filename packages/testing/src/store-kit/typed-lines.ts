import type { Holder, LineId, SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { type Kit, LEASE_MS, type StoreTest } from "./kit.ts";

const [ONE, TWO, THREE] = ["lin_1", "lin_2", "lin_3"] as [LineId, LineId, LineId];

/** Stores two lines that were typed in a terminal. */
async function typed(kit: Kit, sessionId: SessionId, holder = kit.process()): Promise<Holder> {
  const lines = [
    { id: ONE, text: "one" },
    { id: TWO, text: "two" },
  ];
  await kit.store.typedLines.keep(sessionId, lines, holder, LEASE_MS);
  return holder;
}

async function leftTexts(kit: Kit, sessionId?: SessionId): Promise<string[]> {
  return (await kit.store.typedLines.left(sessionId)).map(({ text }) => text);
}

export function describeTypedLines(test: StoreTest): void {
  describe("lines that were typed ahead", () => {
    test.inSession("typed lines are left over only once their terminal is gone", async (kit, id) => {
      const typedAt = kit.clock.now();
      const holder = await typed(kit, id);
      expect(await kit.store.typedLines.left()).toEqual([]);
      kit.kill(holder);
      await kit.restart();
      expect(await kit.store.typedLines.left(id)).toEqual([
        { id: ONE, sessionId: id, text: "one", typedAt },
        { id: TWO, sessionId: id, text: "two", typedAt },
      ]);
    });

    test.inSession("typed lines are left over when their terminal releases or loses the lease", async (kit, id) => {
      const holder = await typed(kit, id, kit.process("terminal", "elsewhere"));
      await kit.clock.advance(LEASE_MS - 1);
      expect(await kit.store.typedLines.renew(holder, LEASE_MS)).toBe(true);
      await kit.clock.advance(LEASE_MS - 1);
      expect(await leftTexts(kit, id)).toEqual([]);
      await kit.clock.advance(1);
      expect(await leftTexts(kit, id)).toEqual(["one", "two"]);
      await kit.store.typedLines.renew(holder, LEASE_MS);
      await kit.store.typedLines.release(holder);
      expect(await leftTexts(kit)).toEqual(["one", "two"]);
      expect(await kit.store.typedLines.renew(kit.process(), LEASE_MS)).toBe(false);
    });

    test("typed lines are kept once, in order, in their own session", async (kit) => {
      const [first, second] = [await kit.session(), await kit.session()];
      const holder = await typed(kit, first.id);
      await kit.store.typedLines.keep(first.id, [{ id: THREE, text: "three \0" }], holder, LEASE_MS);
      await kit.store.typedLines.keep(first.id, [{ id: ONE, text: "again" }], holder, LEASE_MS);
      kit.kill(holder);
      expect(await leftTexts(kit, first.id)).toEqual(["one", "two", expect.stringMatching(/^three .$/u)]);
      expect(await leftTexts(kit, second.id)).toEqual([]);
    });

    test.inSession("typed lines are not in the transcript or search until their turn starts", async (kit, id) => {
      const holder = await typed(kit, id);
      expect(await kit.texts(id)).toEqual([]);
      expect(await kit.store.transcripts.search({ text: "one", visible: { kind: "all" }, limit: 5 })).toEqual([]);
      const cause = { kind: "terminal" as const, lines: [ONE] };
      await kit.granted(id, { holder, cause, message: { role: "user", text: "one" } });
      expect(await kit.texts(id)).toEqual(["user: one"]);
      kit.kill(holder);
      expect(await leftTexts(kit, id)).toEqual(["two"]);
    });

    test.inSession("a turn on typed lines that are gone does not start and writes nothing", async (kit, id) => {
      const holder = await typed(kit, id);
      const cause = { kind: "terminal" as const, lines: [ONE, TWO] };
      await kit.finish(await kit.granted(id, { holder, cause }));
      expect(await kit.turn(id, { holder, cause })).toEqual({ ok: false, reason: "taken" });
      expect(await kit.texts(id)).toHaveLength(1);
    });

    test.inSession("stay where they are while the turn on them has to wait", async (kit, id) => {
      const holder = await typed(kit, id);
      await kit.granted(id);
      expect(await kit.turn(id, { holder, cause: { kind: "terminal", lines: [ONE] } })).toMatchObject({ ok: false });
      kit.kill(holder);
      expect(await leftTexts(kit, id)).toEqual(["one", "two"]);
    });

    test.inSession("typed lines hold a message from the refusal of its turn to the start of it", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      const holder = kit.process();
      const message = { role: "user" as const, text: "one" };
      const waiting = { holder, message, cause: { kind: "terminal" as const, keepAs: ONE } };
      expect(await kit.turn(id, waiting)).toMatchObject({ reason: "busy" });
      expect(await kit.turn(id, waiting)).toMatchObject({ reason: "busy" });
      await kit.clock.advance(LEASE_MS - 1);
      expect(await leftTexts(kit, id)).toEqual([]);
      await kit.clock.advance(1);
      expect(await leftTexts(kit, id)).toEqual(["one"]);
      await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS);
      await kit.finish({ turn, fence });
      await kit.granted(id, { ...waiting, cause: { kind: "terminal", lines: [ONE] } });
      expect(await leftTexts(kit, id)).toEqual([]);

      const other = await kit.session();
      await kit.requested(other.id);
      const behind = { ...waiting, cause: { kind: "terminal" as const, keepAs: TWO } };
      expect(await kit.turn(other.id, behind)).toMatchObject({ reason: "handoff" });
      kit.kill(holder);
      expect(await leftTexts(kit, other.id)).toEqual(["one"]);
    });

    test.inSession("a message whose turn starts at once leaves no typed line", async (kit, id) => {
      const holder = kit.process();
      await kit.granted(id, { holder, cause: { kind: "terminal", keepAs: ONE } });
      kit.kill(holder);
      expect(await kit.store.typedLines.left()).toEqual([]);
    });

    test("follow their terminal into the session that its next turn starts in", async (kit) => {
      const [first, second] = [await kit.session(), await kit.session()];
      const holder = await typed(kit, first.id);
      await kit.granted(second.id, { holder, cause: { kind: "terminal", lines: [ONE] } });
      kit.kill(holder);
      expect(await leftTexts(kit, first.id)).toEqual([]);
      expect(await leftTexts(kit, second.id)).toEqual(["two"]);
    });

    test.inSession("one terminal takes over a dead one's lines; one that only slept sends none", async (kit, id) => {
      const sleeper = await typed(kit, id);
      const [left, right] = [kit.process(), kit.process()];
      expect(await kit.store.typedLines.takeOver([ONE, TWO], left, LEASE_MS)).toEqual([]);
      await kit.clock.advance(LEASE_MS);
      const other = await kit.second();
      const taken = await Promise.all([
        kit.store.typedLines.takeOver([ONE, TWO], left, LEASE_MS),
        other.typedLines.takeOver([ONE, TWO], right, LEASE_MS),
      ]);
      expect(taken.map((lines) => lines.length).sort()).toEqual([0, 2]);
      const owner = taken[0]?.length === 2 ? left : right;
      const cause = { kind: "terminal" as const, lines: [ONE] };
      expect(await kit.turn(id, { holder: sleeper, cause })).toEqual({ ok: false, reason: "taken" });
      expect(await kit.store.typedLines.remove([ONE], sleeper)).toBe(0);
      await kit.granted(id, { holder: owner, cause });
    });

    test.inSession("can be taken back, and go with their session", async (kit, id) => {
      const holder = await typed(kit, id);
      expect(await kit.store.typedLines.remove([ONE, THREE], holder)).toBe(1);
      expect(await kit.store.typedLines.remove([ONE], holder)).toBe(0);
      await kit.store.sessions.delete(id);
      kit.kill(holder);
      expect(await kit.store.typedLines.left()).toEqual([]);
      const late = kit.store.typedLines.keep(id, [{ id: THREE, text: "three" }], holder, LEASE_MS);
      await expect(late).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    });
  });
}
