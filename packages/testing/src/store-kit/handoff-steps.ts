import { type HandoffId, type Holder, homeOf } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_THREAD, HOME, handoffTurn, type Kit, LEASE_MS, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

const REFUSED = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;

export function describeHandoffSteps(test: StoreTest): void {
  describe("a handoff that runs", () => {
    test.inSession("was claimed by one gateway; every other is told no", async (kit, id) => {
      const other = await kit.second();
      const [a, b] = [kit.process("gateway"), kit.process("gateway")];
      const handoff = await kit.requested(id);
      const claims = await Promise.all([
        kit.store.handoffs.claimHandoff(handoff.id, a, LEASE_MS),
        other.handoffs.claimHandoff(handoff.id, b, LEASE_MS),
      ]);
      expect(claims.filter(Boolean)).toHaveLength(1);
      const winner = claims[0] ? a : b;
      expect(await kit.store.handoffs.claimHandoff(handoff.id, winner, LEASE_MS)).toBe(false);
      expect(await other.handoffs.get(handoff.id)).toMatchObject({
        state: "running",
        step: "claimed",
        attempt: 1,
        holder: winner,
        leaseUntil: kit.clock.now() + LEASE_MS,
      });
    });

    test.inSession("keeps the roles and the order of its transcript, from request to completion", async (kit, id) => {
      await kit.exchange(id, "one", "1");
      await kit.exchange(id, "two", "2");
      const before = await kit.store.transcripts.read(id);
      const gateway = kit.process("gateway");
      const handoff = await kit.bound(id, gateway);
      await kit.answeredHandoff(id, handoff, gateway);
      await kit.store.leases.acquire("account:pager:", gateway, LEASE_MS);
      await kit.drain(THREAD_KEY, gateway);
      expect(await kit.store.handoffs.completeHandoff(handoff, gateway, { link: "https://pager/7" })).toBe(true);

      expect((await kit.store.transcripts.read(id)).slice(0, 4)).toEqual(before);
      expect((await kit.texts(id)).slice(4)).toEqual([
        "user: The session came from the terminal.",
        "assistant: Here is where things stand.",
      ]);
      const state = await kit.store.handoffs.latestOf(id);
      expect(state).toMatchObject({ state: "completed", error: null, link: "https://pager/7", conversation: THREAD });
      expect(state?.steps.map(({ step }) => step)).toEqual([
        "pending",
        "claimed",
        "threaded",
        "bound",
        "answered",
        "delivered",
        "completed",
      ]);
    });

    test.inSession("only its holder advances a handoff, and never backwards", async (kit, id) => {
      const [gateway, stranger] = [kit.process("gateway"), kit.process("gateway")];
      const handoff = await kit.claimed(id, gateway);
      const { handoffs } = kit.store;
      expect(await handoffs.intendThread(handoff, stranger)).toBe(false);
      expect(await handoffs.advanceHandoff(handoff, stranger, "threaded")).toBe(false);
      expect(await handoffs.renewHandoff(handoff, stranger, LEASE_MS)).toBe(false);
      expect(await kit.bind(handoff, stranger)).toBe(false);
      expect(await handoffs.completeHandoff(handoff, stranger)).toBe(false);
      expect(await handoffs.failHandoff(handoff, stranger, REFUSED)).toBe(false);
      expect(await handoffs.compensateHandoff(handoff, stranger, REFUSED)).toBe(false);
      expect(await kit.texts(id)).toEqual([]);

      expect(await handoffs.intendThread(handoff, gateway)).toBe(true);
      expect(await handoffs.get(handoff)).toMatchObject({ step: "claimed", threadIntentAt: kit.clock.now() });
      const facts = { conversation: HOME, link: "l", flatBecause: "topics are off", warning: "a second one may exist" };
      expect(await handoffs.advanceHandoff(handoff, gateway, "threaded", facts)).toBe(true);
      expect(await handoffs.advanceHandoff(handoff, gateway, "claimed")).toBe(true);
      expect(await handoffs.get(handoff)).toMatchObject({
        step: "threaded",
        conversation: HOME,
        link: "l",
        flatBecause: "topics are off",
        warnings: ["a second one may exist"],
      });
    });

    test.inSession("needs a live lease to go on, and a sleeper may renew the one that nobody took", async (kit, id) => {
      const gateway = kit.process("gateway");
      const handoff = await kit.claimed(id, gateway);
      await kit.clock.advance(LEASE_MS);
      expect(await kit.store.handoffs.advanceHandoff(handoff, gateway, "threaded")).toBe(false);
      expect(await kit.bind(handoff, gateway)).toBe(false);
      expect(await kit.store.handoffs.renewHandoff(handoff, gateway, LEASE_MS)).toBe(true);
      expect(await kit.store.handoffs.advanceHandoff(handoff, gateway, "threaded")).toBe(true);
    });

    test.inSession("a failed handoff says why, in 500 whole characters at most", async (kit, id) => {
      const gateway = kit.process("gateway");
      const handoff = await kit.claimed(id, gateway);
      const error = { code: "PLATFORM_REJECTED", text: `\0${"😀".repeat(600)}` } as const;
      expect(await kit.store.handoffs.failHandoff(handoff, gateway, error)).toBe(true);
      const state = await kit.store.handoffs.get(handoff);
      expect(state).toMatchObject({ state: "failed", error: { code: "PLATFORM_REJECTED" } });
      expect([...(state?.error?.text ?? "")]).toHaveLength(500);
      expect(state?.error?.text.isWellFormed()).toBe(true);
      expect(await kit.store.handoffs.completeHandoff(handoff, gateway)).toBe(false);
    });

    test("keeps every other turn out until it is answered, and no longer", async (kit) => {
      const { id, gateway, handoff } = await kit.boundHandoff();
      expect(await kit.turn(id)).toEqual({ ok: false, reason: "handoff", handoffId: handoff, platform: "pager" });
      await kit.answeredHandoff(id, handoff, gateway);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ state: "running", step: "answered" });
      expect(await kit.turn(id, handoffTurn(handoff, gateway))).toEqual({ ok: false, reason: "answered" });
      await kit.granted(id);
    });
  });

  describe("a handoff whose holder died", () => {
    test.inSession("a dead holder's handoff is reclaimed at its step; a live one's is not", async (kit, id) => {
      const [old, next] = [kit.process("gateway"), kit.process("gateway")];
      const handoff = await kit.claimed(id, old);
      await kit.store.handoffs.intendThread(handoff, old);
      expect(await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), next, LEASE_MS)).toEqual([]);
      kit.kill(old);
      await kit.restart();
      expect(await kit.store.handoffs.reclaimHandoffs(homeOf("beacon"), next, LEASE_MS)).toEqual([]);
      const [taken] = await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), next, LEASE_MS);
      expect(taken).toMatchObject({ id: handoff, step: "claimed", attempt: 2, holder: next });
      expect(taken?.threadIntentAt).not.toBeNull();
      expect(await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), next, LEASE_MS)).toEqual([]);
      expect(await kit.store.handoffs.advanceHandoff(handoff, old, "threaded")).toBe(false);
      await kit.clock.advance(LEASE_MS);
      const [again] = await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), old, LEASE_MS);
      expect(again).toMatchObject({ attempt: 3 });
    });

    test("a handoff whose holder died after it was bound is not bound twice", async (kit) => {
      const former = await kit.session({ title: "former" });
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: former.id, mirrors: true });
      const { id } = await kit.session();
      const [old, next] = [kit.process("gateway"), kit.process("gateway")];
      const handoff = await kit.bound(id, old);
      kit.kill(old);
      await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), next, LEASE_MS);
      expect(await kit.bind(handoff, next)).toBe(true);
      expect(await kit.texts(id)).toHaveLength(1);
      expect(await kit.store.outbox.ofHandoff(handoff)).toHaveLength(1);
      const binding = { sessionId: id, previousSessionId: former.id };
      expect(await kit.store.bindings.get(THREAD_KEY)).toMatchObject(binding);
    });

    test("a handoff whose holder died while answering is asked again, without half answers", async (kit) => {
      const { id } = await kit.session();
      const [old, next] = [kit.process("gateway"), kit.process("gateway")];
      const handoff = await kit.bound(id, old);
      const first = await kit.granted(id, handoffTurn(handoff, old));
      expect(first.message).toMatchObject({ internal: true, text: "The session came from the terminal." });
      await kit.store.turns.append(first.turn.id, first.fence, [{ role: "assistant", text: "Half an ans" }]);
      kit.kill(old);
      await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), next, LEASE_MS);

      const second = await kit.granted(id, handoffTurn(handoff, next));
      expect(second.turn).toMatchObject({ id: first.turn.id, attempt: 2 });
      expect(second.message).toEqual(first.message);
      expect(await kit.texts(id)).toEqual(["user: The session came from the terminal."]);
      expect(await kit.store.sessions.get(id)).toMatchObject({ messageCount: 1 });
    });

    test("may be asked again after a turn that ended without an answer", async (kit) => {
      const { id, gateway, handoff } = await kit.boundHandoff();
      const { turn, fence } = await kit.granted(id, handoffTurn(handoff, gateway));
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "interrupted", messages: [], outbox: [] });
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "bound" });
      await kit.answeredHandoff(id, handoff, gateway);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "answered" });
    });

    test("may be cancelled by whoever waits; one that is alive may not", async (kit) => {
      const { id, gateway, handoff } = await kit.boundHandoff();
      expect(await kit.store.handoffs.cancelHandoff(handoff)).toBe(false);
      kit.kill(gateway);
      expect(await kit.store.handoffs.cancelHandoff(handoff)).toBe(true);
      const state = { state: "failed", error: { code: "HANDOFF_CANCELLED" } };
      expect(await kit.store.handoffs.get(handoff)).toMatchObject(state);
      expect(await kit.store.bindings.get(THREAD_KEY)).toBeNull();
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      await kit.granted(id);
    });
  });

  describe("a thread that was opened for a handoff", () => {
    const here = { platform: "pager", account: undefined };
    const opened = { conversation: THREAD, threadOpened: true };

    const ends = {
      "fails before it is bound": (kit: Kit, handoff: HandoffId, gateway: Holder) =>
        kit.store.handoffs.failHandoff(handoff, gateway, REFUSED),
      "fails after it was bound": async (kit: Kit, handoff: HandoffId, gateway: Holder) => {
        await kit.bind(handoff, gateway);
        await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED);
      },
      "is cancelled once its gateway is dead": async (kit: Kit, handoff: HandoffId, gateway: Holder) => {
        kit.kill(gateway);
        await kit.store.handoffs.cancelHandoff(handoff);
      },
    };

    for (const [how, end] of Object.entries(ends)) {
      test.inSession(`a thread is left until it is removed, where its handoff ${how}`, async (kit, id) => {
        const { handoffs } = kit.store;
        const gateway = kit.process("gateway");
        const handoff = await kit.claimed(id, gateway);
        await handoffs.advanceHandoff(handoff, gateway, "threaded", opened);
        expect(await handoffs.leftThreads(here)).toEqual([]);
        await end(kit, handoff, gateway);
        expect(await handoffs.leftThreads(here)).toMatchObject([{ id: handoff, conversation: THREAD }]);
        expect(await handoffs.leftThreads({ ...here, account: "b" })).toEqual([]);
        await handoffs.threadRemoved(handoff);
        expect(await handoffs.leftThreads(here)).toEqual([]);
      });
    }

    test.inSession("a place that was there before is no thread that is left", async (kit, id) => {
      const gateway = kit.process("gateway");
      const handoff = await kit.claimed(id, gateway);
      await kit.store.handoffs.advanceHandoff(handoff, gateway, "threaded", { conversation: THREAD });
      await kit.store.handoffs.failHandoff(handoff, gateway, REFUSED);
      expect(await kit.store.handoffs.leftThreads(here)).toEqual([]);
    });
  });

  describe("a handoff that fails after it was bound", () => {
    test("puts back what was bound there, and takes back what was not sent", async (kit) => {
      const former = await kit.session({ title: "former" });
      const binding = { ...AT_THREAD, sessionId: former.id, mirrors: true };
      await kit.store.bindings.bind(binding);
      const before = await kit.store.bindings.get(THREAD_KEY);
      const { id } = await kit.session();
      await kit.exchange(id, "one", "1");
      const gateway = kit.process("gateway");
      await kit.clock.advance(5);
      const handoff = await kit.bound(id, gateway);
      expect(await kit.store.handoffs.failHandoff(handoff, gateway, REFUSED)).toBe(false);

      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED)).toBe(true);
      expect(await kit.store.bindings.get(THREAD_KEY)).toEqual(before);
      expect((await kit.store.outbox.ofHandoff(handoff)).map(({ state }) => state)).toEqual(["cancelled"]);
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      expect((await kit.texts(id)).at(-1)).toMatch(/^assistant: ⟦the handoff to pager failed: refused/);
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: "terminal" });
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ state: "failed", error: REFUSED });
      expect(await kit.store.handoffs.latestBoundAt(THREAD_KEY)).toMatchObject({ id: handoff, state: "failed" });
      await kit.granted(id);
    });

    test("leaves nothing where nothing was bound, and the session is in the terminal again", async (kit) => {
      const { id, gateway, handoff } = await kit.boundHandoff();
      const { turn, fence } = await kit.granted(id, handoffTurn(handoff, gateway));
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: THREAD_KEY });
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED)).toBe(true);
      expect(await kit.store.bindings.get(THREAD_KEY)).toBeNull();
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: "terminal" });
      expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(false);
      await kit.granted(id);
    });

    test.inSession("leaves a binding alone that somebody else has made since", async (kit, id) => {
      const other = await kit.session();
      const gateway = kit.process("gateway");
      const handoff = await kit.bound(id, gateway);
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: other.id, mirrors: false });
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED)).toBe(true);
      expect(await kit.store.bindings.get(THREAD_KEY)).toMatchObject({ sessionId: other.id });
    });

    for (const order of ["first", "last"] as const) {
      test(`two failed handoffs to one place put back what was there, the newer one ${order}`, async (kit) => {
        const former = await kit.session({ title: "former" });
        await kit.store.bindings.bind({ ...AT_THREAD, sessionId: former.id, mirrors: true });
        const before = await kit.store.bindings.get(THREAD_KEY);
        const gateway = kit.process("gateway");
        const older = await kit.bound((await kit.session()).id, gateway);
        const newer = await kit.bound((await kit.session()).id, gateway);
        for (const handoff of order === "first" ? [newer, older] : [older, newer]) {
          expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED)).toBe(true);
        }
        expect(await kit.store.bindings.get(THREAD_KEY)).toEqual(before);
      });
    }

    test("thirty handoffs to one place at once fail, and put back what was there", async (kit) => {
      const former = await kit.session({ title: "former" });
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: former.id, mirrors: true });
      const before = await kit.store.bindings.get(THREAD_KEY);
      const gateway = kit.process("gateway");
      const handoffs: HandoffId[] = [];
      for (let at = 0; at < 30; at++) handoffs.push(await kit.bound((await kit.session()).id, gateway));
      for (const handoff of handoffs) await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED);
      expect(await kit.store.bindings.get(THREAD_KEY)).toEqual(before);
    });

    test("a failed handoff leaves the place to the newer one that replaced it", async (kit) => {
      const gateway = kit.process("gateway");
      const older = await kit.bound((await kit.session()).id, gateway);
      const { id } = await kit.session();
      await kit.bound(id, gateway);
      expect(await kit.store.handoffs.compensateHandoff(older, gateway, REFUSED)).toBe(true);
      expect(await kit.store.bindings.get(THREAD_KEY)).toMatchObject({ sessionId: id });
    });

    test.inSession("stays as it is once the person has written there: they are there", async (kit, id) => {
      await kit.accepted("before", THREAD);
      const gateway = kit.process("gateway");
      const handoff = await kit.bound(id, gateway);
      await kit.accepted("I am here", THREAD);
      const texts = await kit.texts(id);
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED)).toBe(false);
      expect(await kit.texts(id)).toEqual(texts);
      expect(await kit.store.bindings.get(THREAD_KEY)).toMatchObject({ sessionId: id });
      expect(await kit.store.outbox.head(THREAD_KEY)).toMatchObject({ state: "queued" });
      expect(await kit.store.handoffs.completeHandoff(handoff, gateway, { warning: "not all arrived" })).toBe(true);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ warnings: ["not all arrived"] });
    });

    test.inSession("stays as it is once a message that waited there was answered in the session", async (kit, id) => {
      const row = await kit.accepted("before", THREAD);
      const gateway = kit.process("gateway");
      const handoff = await kit.bound(id, gateway);
      await kit.answeredHandoff(id, handoff, gateway);
      await kit.granted(id, { cause: { kind: "inbox", inboxId: row.id }, surface: THREAD_KEY });
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED)).toBe(false);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ state: "running" });
    });
  });
}
