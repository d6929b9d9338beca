import type { AskId, SessionId, StartTurn, TakeAlongResult, Turn } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { OUTCOMES, offerOf } from "./asks.ts";
import { AT_HOME, HOME_KEY, type Kit, LEASE_MS, type StartedTurn, type StoreTest } from "./kit.ts";
import { asks, calls, queued, resume, resumed, texts } from "./waiting.ts";

interface Offered {
  readonly id: AskId;
  readonly session: SessionId;
  readonly fresh: SessionId;
  /** The turn that answers what was written at the place. */
  readonly started: StartedTurn;
}

/** A session of the terminal, and a message in a private chat, which is being answered in a session of its own. */
async function offered(kit: Kit, change: Partial<StartTurn> = {}): Promise<Offered> {
  const { id: session } = await kit.session({ title: "plan" });
  await kit.exchange(session, "make a plan", "here it is");
  const { id: fresh } = await kit.session({ origin: HOME_KEY });
  await kit.store.bindings.bind({ ...AT_HOME, sessionId: fresh, mirrors: true });
  const offer = offerOf(session);
  const started = await kit.granted(fresh, { ...(await kit.asked("how is it going?")), offer, ...change });
  return { id: offer.id, session, fresh, started };
}

function finish(kit: Kit, { turn, fence }: Pick<StartedTurn, "turn" | "fence">, text = "how is what going?") {
  return kit.finish({ turn, fence }, text);
}

async function answered(kit: Kit): Promise<Offered> {
  const offer = await offered(kit);
  await finish(kit, offer.started);
  return offer;
}

async function led(kit: Kit): Promise<SessionId | undefined> {
  return (await kit.store.bindings.get(HOME_KEY))?.sessionId;
}

async function resumable(kit: Kit): Promise<Turn[]> {
  return kit.store.turns.resumable({ platform: "pager", account: undefined });
}

function reason(result: TakeAlongResult): string {
  return result.state === "refused" ? result.reason : result.state;
}

const PLAN = ["user: make a plan", "assistant: here it is"];

export function describeTakeAlong(test: StoreTest): void {
  describe("taking along what was written elsewhere", () => {
    test("the files of what was written there go along", async (kit) => {
      const files = [{ hash: "a".repeat(64), name: "cat.png", mediaType: "image/png", size: 70 }];
      const offer = await offered(kit, { message: { role: "user", text: "what is it?", files } });
      await finish(kit, offer.started);
      await kit.store.asks.takeAlong(offer.id);
      expect((await kit.store.transcripts.read(offer.session)).at(-1)).toMatchObject({ text: "what is it?", files });
    });

    test("one step hides it, leads the place there and leaves a turn in the session", async (kit) => {
      const { id, session, fresh } = await answered(kit);
      await queued(kit);
      const result = await kit.store.asks.takeAlong(id);
      expect(result).toMatchObject({ state: "taken", ask: { state: "taken" } });
      await kit.restart();
      expect(await kit.texts(fresh)).toEqual([]);
      expect(await kit.texts(session)).toEqual([...PLAN, "user: how is it going?"]);
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ sessionId: session, mirrors: true });
      expect(texts(await queued(kit))).toEqual([OUTCOMES.taken]);
      const [turn] = await resumable(kit);
      expect(turn).toMatchObject({
        ...{ sessionId: session, state: "waiting", waitsFor: "offer", surface: HOME_KEY, attempt: 1 },
        ...{ cause: { kind: "offer", askId: id }, author: { platform: "pager", senderId: "ada" }, toolStarted: false },
      });
      if (turn === undefined) throw new Error("nobody can go on with it");
      const granted = await resumed(kit, turn.id);
      expect(granted).toMatchObject({ message: { text: "how is it going?" }, previousSurface: "terminal" });
      await finish(kit, granted, "it is done");
      expect(await resumable(kit)).toEqual([]);
      expect(await kit.store.sessions.get(session)).toMatchObject({ lastSurface: HOME_KEY });
    });

    test("two processes that take it along at the same time do so once", async (kit) => {
      const { id, session } = await answered(kit);
      const other = await kit.second();
      const results = await Promise.all([kit.store.asks.takeAlong(id), other.asks.takeAlong(id)]);
      expect(results.map(({ state }) => state)).toEqual(["taken", "over"]);
      expect(await resumable(kit)).toHaveLength(1);
      expect(await kit.texts(session)).toEqual([...PLAN, "user: how is it going?"]);
    });

    test("one process goes on with it, and the next one when that dies", async (kit) => {
      await kit.store.asks.takeAlong((await answered(kit)).id);
      const [turn] = await resumable(kit);
      if (turn === undefined) throw new Error("nobody can go on with it");
      const holder = kit.process("gateway");
      await resumed(kit, turn.id, holder);
      expect(await resume(kit, turn.id)).toEqual({ ok: false, reason: "held" });
      kit.kill(holder);
      await kit.clock.advance(LEASE_MS);
      expect((await resumed(kit, turn.id)).turn).toMatchObject({ attempt: 2, cause: { kind: "offer" } });
    });

    test("all that was written there since the session began goes along", async (kit) => {
      const { id, session, fresh } = await answered(kit);
      await finish(kit, await kit.granted(fresh, await kit.asked("are you there?")));
      await kit.store.asks.takeAlong(id);
      expect(await kit.texts(session)).toEqual([...PLAN, "user: how is it going?", "user: are you there?"]);
      expect(await resumable(kit)).toHaveLength(1);
    });

    test("an answer that grows is waited for: the step that ends its turn takes it along", async (kit) => {
      const { id, session, fresh, started } = await offered(kit);
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("waits");
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("waits");
      expect(await led(kit)).toBe(fresh);
      await kit.restart();
      await finish(kit, started);
      expect(await led(kit)).toBe(session);
      expect(await resumable(kit)).toMatchObject([{ sessionId: session }]);
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("over");
    });

    test("the process that goes on with a dead one's answer takes it along", async (kit) => {
      const holder = kit.process("gateway");
      const { id, session, fresh, started } = await offered(kit, { holder });
      await kit.store.asks.takeAlong(id);
      kit.kill(holder);
      await kit.clock.advance(LEASE_MS);
      const { cause } = started.turn;
      await finish(kit, await kit.granted(fresh, { cause, surface: HOME_KEY }));
      expect(await led(kit)).toBe(session);
      expect(await kit.texts(session)).toEqual([...PLAN, "user: how is it going?"]);
    });

    test("an answer that nobody goes on with is taken along by the step that closes it", async (kit) => {
      const holder = kit.process("gateway");
      const { id, session, fresh, started } = await offered(kit, { holder });
      await kit.store.asks.takeAlong(id);
      const { cause } = started.turn;
      kit.kill(holder);
      await kit.clock.advance(LEASE_MS);
      for (const _attempt of [2, 3]) {
        const next = kit.process("gateway");
        await kit.granted(fresh, { cause, surface: HOME_KEY, holder: next });
        kit.kill(next);
        await kit.clock.advance(LEASE_MS);
      }
      expect(await kit.turn(fresh, { cause, surface: HOME_KEY })).toMatchObject({ ok: false, reason: "closed" });
      expect(await led(kit)).toBe(session);
      expect(await kit.texts(session)).toEqual([...PLAN, "user: how is it going?"]);
    });

    test("what was taken in time is taken along however long the answer grows", async (kit) => {
      const { id, session, started } = await offered(kit);
      await kit.store.asks.takeAlong(id);
      for (let minute = 0; minute < 31; minute += 1) {
        await kit.clock.advance(60_000);
        await kit.store.turns.renewTurn(started.turn.id, started.fence, LEASE_MS);
      }
      expect(await kit.store.asks.get(id)).toMatchObject({ state: "open" });
      await finish(kit, started);
      expect(await led(kit)).toBe(session);
    });

    test("what cannot be taken along any more is said, and not done later unasked", async (kit) => {
      const { id, session, fresh, started } = await offered(kit);
      await kit.store.asks.takeAlong(id);
      const other = await kit.granted(session);
      await queued(kit);
      await finish(kit, started);
      expect(await led(kit)).toBe(fresh);
      expect(texts(await queued(kit))).toEqual([expect.stringContaining("at work in that session")]);
      await finish(kit, other);
      await finish(kit, await kit.granted(fresh, await kit.asked("are you there?")));
      expect(await led(kit)).toBe(fresh);
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("taken");
    });

    test("a session whose terminal was killed in the middle of its turn is taken along", async (kit) => {
      const { id, session } = await answered(kit);
      const terminal = kit.process("terminal");
      await kit.granted(session, { holder: terminal });
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("at-work");
      kit.kill(terminal);
      await kit.clock.advance(LEASE_MS);
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("taken");
      expect((await kit.texts(session)).at(-1)).toBe("user: how is it going?");
      expect(await resumable(kit)).toHaveLength(1);
    });

    test("a message on its way to the session that is taken along begins nothing there", async (kit) => {
      const { id, session, fresh } = await answered(kit);
      const late = await kit.asked("are you there?");
      await kit.store.asks.takeAlong(id);
      expect(await kit.turn(fresh, late)).toEqual({ ok: false, reason: "closed" });
      expect(await kit.texts(fresh)).toEqual([]);
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: late.cause.inboxId });
      const [turn] = await resumable(kit);
      if (turn === undefined) throw new Error("nobody can go on with it");
      await finish(kit, await resumed(kit, turn.id), "it is done");
      await kit.granted(session, late);
      expect((await kit.texts(session)).at(-1)).toBe("user: are you there?");
    });

    test("where a tool had run, the place is led there, and what stays is quoted", async (kit) => {
      const { id, session, fresh, started } = await offered(kit);
      await calls(kit, started, "1.1");
      await kit.store.turns.beginCall(started.turn.id, started.fence, { id: "1.1", repeats: false });
      await kit.store.turns.append(started.turn.id, started.fence, [{ role: "tool", text: "ran", toolCallId: "1.1" }]);
      await finish(kit, started);
      await queued(kit);
      expect(await kit.store.asks.takeAlong(id)).toMatchObject({ state: "taken", turnId: null });
      expect(await led(kit)).toBe(session);
      expect(await kit.texts(session)).toEqual(PLAN);
      expect(await kit.texts(fresh)).toContain("user: how is it going?");
      const [notice] = texts(await queued(kit));
      expect(notice).toContain("how is it going?");
      expect(notice).toContain("how is what going?");
      expect(await resumable(kit)).toEqual([]);
    });

    test("nothing is taken along while a turn is open there, or people are waited for", async (kit) => {
      const { id, session, started } = await offered(kit);
      const { turn, fence } = started;
      await calls(kit, started, "1.1");
      await kit.store.turns.parkTurn({
        ...{ turnId: turn.id, fence, reason: "approval", approvals: [asks("1.1")], shownAt: [AT_HOME], outbox: [] },
      });
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("asked");
      await kit.store.turns.requestStop(turn.sessionId);
      const other = await kit.granted(session);
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("at-work");
      await finish(kit, other);
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("taken");
    });

    test("nothing is taken along while one of both is being handed off", async (kit) => {
      for (const which of ["session", "fresh"] as const) {
        const offer = await answered(kit);
        const handoff = await kit.requested(offer[which]);
        expect(reason(await kit.store.asks.takeAlong(offer.id)), which).toBe("handed-off");
        await kit.store.handoffs.cancelHandoff(handoff.id);
        expect(reason(await kit.store.asks.takeAlong(offer.id)), which).toBe("taken");
        const [turn] = await resumable(kit);
        if (turn !== undefined) await finish(kit, await resumed(kit, turn.id));
      }
    });

    test("nothing is taken along from a place that leads elsewhere, after a no, or late", async (kit) => {
      const { id, session, fresh } = await answered(kit);
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: session, mirrors: false });
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("elsewhere");
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: fresh, mirrors: false });
      await kit.store.asks.decide(id, "declined");
      expect(reason(await kit.store.asks.takeAlong(id))).toBe("over");
      const late = await answered(kit);
      await kit.clock.advance(30 * 60_000);
      expect(await kit.store.asks.takeAlong(late.id)).toMatchObject({ state: "over", ask: { state: "expired" } });
      expect(await resumable(kit)).toEqual([]);
    });

    test("what was typed in the terminal is taken along, too", async (kit) => {
      const { id: session } = await kit.session({ origin: HOME_KEY });
      await kit.exchange(session, "make a plan", "here it is");
      const { id: fresh } = await kit.session();
      await kit.exchange(fresh, "how is it going?", "how is what going?");
      const { id } = await kit.store.asks.open(offerOf(session, { at: ["terminal"], fresh }));
      expect(await kit.store.asks.shownAt("terminal")).toMatchObject([{ id }]);
      await kit.store.asks.takeAlong(id);
      expect(await kit.store.turns.resumable("terminal")).toMatchObject([{ sessionId: session, author: "terminal" }]);
      expect(await kit.texts(fresh)).toEqual([]);
    });

    test("what was taken along is undone like any other exchange", async (kit) => {
      const { id, session } = await answered(kit);
      await kit.store.asks.takeAlong(id);
      expect(await kit.store.turns.undoLast(session)).toMatchObject({ text: "how is it going?" });
      expect(await kit.texts(session)).toEqual(PLAN);
      expect(await resumable(kit)).toEqual([]);
    });
  });
}
