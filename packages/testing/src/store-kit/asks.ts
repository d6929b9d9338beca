import type { AskPlace, AskResult, NewAsk, SessionId } from "@hermes/core/embed";
import { askChoiceId, EVERY_SESSION, newAskId, OPERATOR, type Surface, type UserId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, HOME_KEY, type Kit, LEASE_MS, MOVED, type StoreTest, THREAD_KEY } from "./kit.ts";
import { place, queued, texts, waiting } from "./waiting.ts";

export const MINUTE_MS = 60_000;
export const ASKED = "Go on here with **plan**?";
export const OUTCOMES = { taken: "Going on.", declined: "Not taken along.", expired: "This offer is over." };

/** An offer to go on with a session at a place. */
export function offerOf(sessionId: SessionId | null, change: Partial<NewAsk> = {}): NewAsk {
  const id = newAskId();
  return {
    ...{ id, kind: "offer", person: OPERATOR, sessionId, at: [AT_HOME], ttlMs: 30 * MINUTE_MS, outcomes: OUTCOMES },
    message: {
      ...{ kind: "question", markdown: ASKED },
      choices: [
        { id: askChoiceId(id, "take"), label: "Go on with it", style: "primary" },
        { id: askChoiceId(id, "decline"), label: "No", style: "plain" },
      ],
    },
    ...change,
  };
}

function newcomer(...at: [AskPlace, ...AskPlace[]]): NewAsk {
  return offerOf(null, { kind: "pairing", at });
}

const outcome = ({ state }: AskResult) => state;

/** What a person may go on with at the home. */
async function offerable(kit: Kit, surface: Surface = HOME_KEY, person = OPERATOR): Promise<SessionId | null> {
  const found = await kit.store.asks.offerable({ person, surface, visible: EVERY_SESSION });
  return found?.id ?? null;
}

async function used(kit: Kit): Promise<SessionId> {
  const { id } = await kit.session({ title: "plan" });
  await kit.exchange(id, "a question", "an answer");
  return id;
}

export function describeAsks(test: StoreTest): void {
  describe("questions that are no approvals", () => {
    test("a question stands at each of its places until the first answer closes it", async (kit) => {
      const ask = await kit.store.asks.open(newcomer(AT_HOME, AT_THREAD));
      expect(texts(await queued(kit))).toEqual([ASKED]);
      expect(await kit.store.asks.shownAt(THREAD_KEY)).toMatchObject([{ id: ask.id }]);
      const other = await kit.second();
      const results = await Promise.all([
        kit.store.asks.decide(ask.id, "taken"),
        other.asks.decide(ask.id, "declined"),
      ]);
      expect(results.map(outcome)).toEqual(["decided", "over"]);
      expect(results[1]).toMatchObject({ ask: { state: "taken" } });
      const [closing] = await queued(kit);
      expect(closing).toMatchObject({ message: { markdown: OUTCOMES.taken } });
      expect(closing?.draftMessageId).toMatch(/^sent-/);
      // What nobody has seen yet is not asked any more.
      expect(texts(await queued(kit, THREAD_KEY))).toEqual([OUTCOMES.taken]);
      expect(await kit.store.asks.shownAt(HOME_KEY)).toEqual([]);
      expect(outcome(await kit.store.asks.decide(newAskId(), "taken"))).toBe("unknown");
    });

    test("a question is over in time, by the steady clock, for whichever call meets it", async (kit) => {
      const { id } = await kit.store.asks.open(newcomer(AT_HOME));
      await queued(kit);
      await kit.restart();
      kit.clock.setWall(0);
      await kit.clock.advance(30 * MINUTE_MS - 1);
      expect(await kit.store.asks.get(id)).toMatchObject({ state: "open" });
      await kit.clock.advance(1);
      await kit.store.turns.resumable({ platform: "pager", account: undefined });
      expect(texts(await queued(kit))).toEqual([OUTCOMES.expired]);
      expect(outcome(await kit.store.asks.decide(id, "taken"))).toBe("over");
    });

    test("a question goes along with a chat that gets another id", async (kit) => {
      const { id } = await kit.store.asks.open(newcomer(AT_HOME));
      await queued(kit);
      const to = place("200");
      await kit.store.bindings.moveChat(AT_HOME, to, MOVED);
      expect(await kit.store.asks.shownAt(to.key)).toMatchObject([{ id, surface: to.key }]);
      expect(texts(await queued(kit, to.key))).toEqual([ASKED]);
    });

    test("an offer closes when its session is deleted", async (kit) => {
      const sessionId = await used(kit);
      const { id } = await kit.store.asks.open(offerOf(sessionId));
      await queued(kit);
      await kit.store.sessions.delete(sessionId);
      expect(texts(await queued(kit))).toEqual([OUTCOMES.expired]);
      expect(await kit.store.asks.get(id)).toBeNull();
    });
  });

  describe("the session that a person may go on with elsewhere", () => {
    test("the session used last, elsewhere and within half an hour, is offered", async (kit) => {
      await kit.exchange((await kit.session()).id, "an older question", "an answer");
      await kit.clock.advance(1);
      const id = await used(kit);
      expect(await offerable(kit)).toBe(id);
      expect(await offerable(kit, "terminal")).toBeNull();
      expect(await offerable(kit, HOME_KEY, "pager:eve" as UserId)).toBeNull();
      const visible = { kind: "begun-by", user: "pager:eve" as UserId } as const;
      expect(await kit.store.asks.offerable({ person: OPERATOR, surface: HOME_KEY, visible })).toBeNull();
      await kit.clock.advance(30 * MINUTE_MS);
      expect(await offerable(kit)).toBe(id);
      await kit.clock.advance(1);
      expect(await offerable(kit)).toBeNull();
    });

    test("no session is offered that waits for people or is being handed off", async (kit) => {
      await waiting(kit);
      expect(await offerable(kit, THREAD_KEY)).toBeNull();
      const id = await used(kit);
      const { id: handoff } = await kit.requested(id);
      expect(await offerable(kit, THREAD_KEY)).toBeNull();
      await kit.store.handoffs.cancelHandoff(handoff);
      expect(await offerable(kit, THREAD_KEY)).toBe(id);
    });

    test("a session is offered once a place, and nowhere after a no, until it is used", async (kit) => {
      const id = await used(kit);
      await kit.clock.advance(1);
      const ask = await kit.store.asks.open(offerOf(id));
      expect(await offerable(kit)).toBeNull();
      expect(await offerable(kit, THREAD_KEY)).toBe(id);
      await kit.store.asks.decide(ask.id, "declined");
      expect(await offerable(kit, THREAD_KEY)).toBeNull();
      await kit.clock.advance(1);
      await kit.exchange(id, "and another question", "an answer");
      expect(await offerable(kit)).toBe(id);
    });

    test("an offer is made in the step in which a turn begins, and not once more", async (kit) => {
      const id = await used(kit);
      const { id: fresh } = await kit.session();
      const row = await kit.accepted("how is it going?");
      const offer = offerOf(id);
      const holder = kit.process("gateway");
      const start = { cause: { kind: "inbox", inboxId: row.id }, surface: HOME_KEY, offer } as const;
      await kit.granted(fresh, { ...start, holder });
      expect(await kit.store.asks.shownAt(HOME_KEY)).toMatchObject([{ id: offer.id, fresh, sessionId: id }]);
      kit.kill(holder);
      await kit.clock.advance(LEASE_MS);
      await kit.granted(fresh, { ...start, offer: offerOf(id) });
      expect(texts(await queued(kit))).toEqual([ASKED]);
    });
  });
}
