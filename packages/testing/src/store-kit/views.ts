import type { KeepView, SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { HOME_KEY, type Kit, LEASE_MS, type StoreTest } from "./kit.ts";

export function viewOf(kit: Kit, sessionId: SessionId, options: Partial<KeepView> = {}): KeepView {
  return { sessionId, holder: kit.process(), surface: "terminal", restedMs: 0, leaseMs: LEASE_MS, ...options };
}

export function describeViews(test: StoreTest): void {
  describe("who has a session open", () => {
    test.inSession("lists terminals and pages that have a session open, and their last key", async (kit, id) => {
      const terminal = kit.process();
      const openedAt = kit.clock.now();
      expect(await kit.store.views.keep(viewOf(kit, id, { holder: terminal }))).toBe(true);
      await kit.clock.advance(10_000);
      const page = viewOf(kit, id, { holder: kit.process("gateway"), surface: HOME_KEY });
      await kit.store.views.keep(page);
      await kit.store.views.keep(viewOf(kit, id, { holder: terminal, restedMs: 4_000 }));
      await kit.clock.advance(1_000);
      expect(await kit.store.views.of(id)).toEqual([
        {
          ...{ sessionId: id, holder: terminal, surface: "terminal", openedAt },
          ...{ activeAt: openedAt + 6_000, restedMs: 5_000 },
        },
        expect.objectContaining({ holder: page.holder, surface: HOME_KEY, restedMs: 1_000 }),
      ]);
    });

    test("a terminal shows one session at a time", async (kit) => {
      const [one, other] = [await kit.session(), await kit.session()];
      const holder = kit.process();
      await kit.store.views.keep(viewOf(kit, one.id, { holder }));
      await kit.store.views.keep(viewOf(kit, other.id, { holder }));
      expect(await kit.store.views.of(one.id)).toEqual([]);
      expect(await kit.store.views.of(other.id)).toHaveLength(1);
    });

    test.inSession("a view ends when it is closed, with its lease, its process or its session", async (kit, id) => {
      const [closed, killed, slow, last] = [kit.process(), kit.process(), kit.process(), kit.process()];
      for (const holder of [closed, killed, last]) await kit.store.views.keep(viewOf(kit, id, { holder }));
      await kit.store.views.keep(viewOf(kit, id, { holder: slow, leaseMs: LEASE_MS / 3 }));
      await kit.store.views.close(closed);
      kit.kill(killed);
      expect((await kit.store.views.of(id)).map(({ holder }) => holder)).toEqual([slow, last]);
      await kit.clock.advance(LEASE_MS / 3);
      expect((await kit.store.views.of(id)).map(({ holder }) => holder)).toEqual([last]);
      await kit.store.sessions.delete(id);
      expect(await kit.store.views.of(id)).toEqual([]);
      expect(await kit.store.views.keep(viewOf(kit, id))).toBe(false);
    });

    test.inSession("a clock that is set does not change how long nothing was typed", async (kit, id) => {
      await kit.store.views.keep(viewOf(kit, id, { restedMs: 1_000 }));
      kit.clock.setWall(3_600_000);
      expect(await kit.store.views.of(id)).toMatchObject([{ restedMs: 1_000 }]);
    });
  });

  describe("what a turn says while somebody views it", () => {
    test.inSession("the text of a turn is readable until the message that it becomes is stored", async (kit, id) => {
      const { turn, fence, message } = await kit.granted(id);
      await kit.store.views.keep(viewOf(kit, id));
      expect(await kit.store.turns.noteText(turn.id, fence, "The pl")).toBe(true);
      expect(await kit.store.turns.noteText(turn.id, fence, "The plan is")).toBe(true);
      expect(await (await kit.second()).turns.growing(id)).toMatchObject({
        ...{ turn: { id: turn.id }, text: "The plan is", after: message.seq },
      });
      const [step] = await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "The plan is set." }]);
      expect(await kit.store.turns.growing(id)).toMatchObject({ text: null, after: step?.seq });
      await kit.store.turns.noteText(turn.id, fence, "It is");
      expect(await kit.store.turns.growing(id)).toMatchObject({ text: "It is", after: step?.seq });
      await kit.finish({ turn, fence });
      expect(await kit.store.turns.growing(id)).toBeNull();
      expect(await kit.texts(id)).toEqual(["user: a question", "assistant: The plan is set."]);
    });

    test.inSession("the text is not written where no other process has the session open", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      expect(await kit.store.turns.noteText(turn.id, fence, "The pl")).toBe(false);
      await kit.store.views.keep(viewOf(kit, id, { holder: turn.holder }));
      await kit.store.views.keep(viewOf(kit, (await kit.session()).id));
      expect(await kit.store.turns.noteText(turn.id, fence, "The pl")).toBe(false);
      expect(await kit.store.turns.growing(id)).toMatchObject({ text: null });
    });

    test.inSession("the text goes with the lease of its turn, and a superseded turn notes nothing", async (kit, id) => {
      const holder = kit.process();
      const { turn, fence } = await kit.granted(id, { holder });
      await kit.store.views.keep(viewOf(kit, id, { leaseMs: 10 * LEASE_MS }));
      await kit.store.turns.noteText(turn.id, fence, "half a");
      await kit.clock.advance(LEASE_MS);
      expect(await kit.store.turns.growing(id)).toBeNull();
      await kit.granted(id);
      expect(await kit.store.turns.growing(id)).toMatchObject({ text: null });
      await expect(kit.store.turns.noteText(turn.id, fence, "half a word")).rejects.toMatchObject({
        code: "TURN_SUPERSEDED",
      });
    });

    test.inSession("the text goes at once when the process that says it is killed", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      await kit.store.views.keep(viewOf(kit, id));
      await kit.store.turns.noteText(turn.id, fence, "half a");
      kit.kill(turn.holder);
      expect(await kit.store.turns.growing(id)).toBeNull();
    });
  });
}
