import {
  dayOf,
  type NewUsage,
  OPERATOR,
  type SessionId,
  type UsageSum,
  type UserId,
  userOfIdentity,
} from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { DAY_MS, type Kit, type StoreTest } from "./kit.ts";
import { asks, decide, waiting } from "./waiting.ts";

const NOTHING: UsageSum = {
  ...{ requests: 0, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 },
  ...{ cost: 0, unpriced: 0, estimated: 0 },
};

/** What one request used: 111 tokens for 7 millionths of a dollar. */
export function usedBy(model: string, person: UserId = OPERATOR, more: Partial<NewUsage> = {}): NewUsage {
  const tokens = { input: 100, cacheRead: 5, cacheWrite: 4, output: 2 };
  return { kind: "message", ...tokens, model, person, cost: 7, isEstimated: false, ...more };
}

const FAST = usedBy("acme/fast");
const FREE = usedBy("acme/unknown", OPERATOR, { cost: null, isEstimated: true });

/** A turn of one step and an answer, with what each used. */
async function paid(kit: Kit, sessionId: SessionId, step: readonly NewUsage[], answer: readonly NewUsage[] = []) {
  const { turn, fence } = await kit.granted(sessionId);
  const calls = { role: "assistant", text: "", toolCalls: [{ id: "1.1", name: "look", input: {} }] } as const;
  await kit.store.turns.append(turn.id, fence, [calls, { role: "tool", text: "12:00", toolCallId: "1.1" }], step);
  const messages = [{ role: "assistant", text: "At noon." }] as const;
  const finish = { turnId: turn.id, fence, state: "done", messages, outbox: [], usage: answer } as const;
  await kit.store.turns.finishTurn(finish);
  return { turnId: turn.id, fence, finish };
}

export function describeUsage(test: StoreTest): void {
  describe("usage", () => {
    test.inSession("the usage of requests is kept with their outcome, and stays", async (kit, id) => {
      expect(await kit.store.usage.sum({})).toEqual(NOTHING);
      await paid(kit, id, [FAST], [FREE]);
      await kit.restart();
      expect(await kit.store.usage.sum({ session: id })).toEqual({
        ...{ requests: 2, input: 200, cacheRead: 10, cacheWrite: 8, output: 4 },
        ...{ cost: 7, unpriced: 111, estimated: 1 },
      });
    });

    test.inSession("a step that is refused counts nothing, and one that is repeated counts once", async (kit, id) => {
      const { finish, fence } = await paid(kit, id, [], [FAST]);
      const superseded = { code: "TURN_SUPERSEDED" };
      await expect(kit.store.turns.finishTurn(finish)).rejects.toMatchObject(superseded);
      await expect(kit.store.turns.append(finish.turnId, fence, [], [FAST])).rejects.toMatchObject(superseded);
      expect(await kit.store.usage.sum({})).toMatchObject({ requests: 1 });
    });

    test("sums what one session, person, day or the time since a moment used", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const ada = "pager:ada" as UserId;
      await paid(kit, a.id, [FAST], [FREE]);
      const firstDay = dayOf(kit.clock.now());
      await kit.clock.advance(DAY_MS);
      const later = kit.clock.now();
      await paid(kit, b.id, [usedBy("acme/fast", ada)]);
      const requests = async (filter: Parameters<typeof kit.store.usage.sum>[0]) =>
        (await kit.store.usage.sum(filter)).requests;
      expect(await requests({})).toBe(3);
      expect(await requests({ session: a.id })).toBe(2);
      expect(await requests({ person: ada })).toBe(1);
      expect(await requests({ day: firstDay })).toBe(2);
      expect(await requests({ day: dayOf(later), person: OPERATOR })).toBe(0);
      expect(await requests({ since: later })).toBe(1);
    });

    test("groups by turn, session, day, person and model, the latest first", async (kit) => {
      const [a, b] = [await kit.session(), await kit.session()];
      const ada = "pager:ada" as UserId;
      const first = await paid(kit, a.id, [FAST], [FAST]);
      const days = [dayOf(kit.clock.now())];
      await kit.clock.advance(DAY_MS);
      days.unshift(dayOf(kit.clock.now()));
      const second = await paid(kit, b.id, [usedBy("acme/slow", ada)]);
      const keys = async (by: Parameters<typeof kit.store.usage.groups>[0], limit = 9) =>
        (await kit.store.usage.groups(by, { limit })).map(({ key, requests }) => [key, requests]);
      expect(await keys("turn")).toEqual([
        [second.turnId, 1],
        [first.turnId, 2],
      ]);
      expect(await keys("session", 1)).toEqual([[b.id, 1]]);
      expect(await keys("day")).toEqual([
        [days[0], 1],
        [days[1], 2],
      ]);
      expect(await keys("person")).toEqual([
        [ada, 1],
        [OPERATOR, 2],
      ]);
      expect(await keys("model")).toEqual([
        ["acme/slow", 1],
        ["acme/fast", 2],
      ]);
      const [group] = await kit.store.usage.groups("turn", { session: a.id, limit: 9 });
      expect(group).toMatchObject({ sessionId: a.id, cost: 14, firstAt: kit.clock.now() - DAY_MS });
    });

    test.inSession("the last request is that of the last message that still stands", async (kit, id) => {
      expect(await kit.store.usage.lastOf(id)).toBeNull();
      await paid(kit, id, [FAST], [usedBy("acme/fast", OPERATOR, { kind: "nothing", input: 900 }), FREE]);
      const [, , , answer] = await kit.store.transcripts.read(id);
      expect(await kit.store.usage.lastOf(id)).toEqual({
        ...{ input: 100, cacheRead: 5, cacheWrite: 4, output: 2, model: "acme/unknown", isEstimated: true },
        ...{ seq: answer?.seq, at: kit.clock.now() },
      });
      await paid(kit, id, [], [usedBy("acme/fast", OPERATOR, { input: 300 })]);
      const { turn, fence } = await kit.granted(id);
      const compaction = usedBy("acme/fast", OPERATOR, { kind: "compaction", input: 5_000 });
      await kit.store.turns.append(turn.id, fence, [], [compaction]);
      expect(await kit.store.usage.lastOf(id)).toMatchObject({ input: 300 });
      await kit.finish({ turn, fence });
      await kit.store.turns.undoLast(id);
      await kit.store.turns.undoLast(id);
      expect(await kit.store.usage.lastOf(id)).toMatchObject({ input: 100 });
    });

    test("a deleted session leaves the sums of its days, which name no session or turn", async (kit) => {
      const [gone, stays] = [await kit.session(), await kit.session()];
      await paid(kit, gone.id, [FAST], [FREE]);
      await paid(kit, gone.id, [FAST]);
      await paid(kit, stays.id, [FAST]);
      const before = await kit.store.usage.sum({});
      await kit.store.sessions.delete(gone.id);
      await kit.restart();
      expect(await kit.store.usage.sum({})).toEqual(before);
      expect(await kit.store.usage.sum({ day: dayOf(kit.clock.now()), person: OPERATOR })).toEqual(before);
      expect(await kit.store.usage.sum({ session: gone.id })).toEqual(NOTHING);
      for (const by of ["session", "turn"] as const) {
        const groups = await kit.store.usage.groups(by, { limit: 9 });
        expect(groups.map(({ key, requests }) => ({ isKnown: key !== null, requests }))).toEqual(
          expect.arrayContaining([
            { isKnown: false, requests: 3 },
            { isKnown: true, requests: 1 },
          ]),
        );
      }
      expect(await kit.store.usage.groups("model", { limit: 9 })).toHaveLength(2);
    });

    test("what an identity used is the person's once it is linked", async (kit) => {
      const identity = { platform: "pager", account: "", key: "ada" };
      await paid(kit, (await kit.session()).id, [usedBy("acme/fast", userOfIdentity(identity))]);
      const person = await kit.store.people.add({ name: "Ada", role: "member" });
      await kit.store.people.link(identity, person.id, "terminal", null);
      expect(await kit.store.usage.sum({ person: person.id })).toMatchObject({ requests: 1 });
    });

    test("a yes raises its limit once, and a no does not", async (kit) => {
      const subject = "day:2026-11-29";
      const raises = { subject, cost: 5_000_000, tokens: 7 };
      const first = asks("1.1", { kind: "limit", raises });
      const second = asks("1.2", { kind: "limit", raises: { ...raises, cost: 9 } });
      await waiting(kit, { approvals: [first, second] });
      expect(await kit.store.usage.raised(subject)).toEqual({ subject, cost: 0, tokens: 0 });
      await decide(kit, first);
      await decide(kit, first);
      await decide(kit, second, { kind: "no" });
      await kit.restart();
      expect(await kit.store.usage.raised(subject)).toEqual(raises);
      await kit.store.usage.raise(raises, "once");
      await kit.store.usage.raise(raises, "once");
      await kit.store.usage.raise(raises, null);
      expect(await kit.store.usage.raised(subject)).toEqual({ subject, cost: 15_000_000, tokens: 21 });
      expect(await kit.store.usage.raised("day:2026-11-30")).toMatchObject({ cost: 0 });
    });

    test.inSession("what was allowed beyond a limit goes with its session, and else after 30 days", async (kit, id) => {
      const [ofSession, ofDay] = [`session:${id}`, "day:2026-11-29"];
      for (const subject of [ofSession, ofDay]) await kit.store.usage.raise({ subject, cost: 1, tokens: 1 }, null);
      await kit.clock.advance(31 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.usage.raised(ofSession)).toMatchObject({ cost: 1 });
      expect(await kit.store.usage.raised(ofDay)).toMatchObject({ cost: 0 });
      await kit.store.sessions.delete(id);
      expect(await kit.store.usage.raised(ofSession)).toMatchObject({ cost: 0 });
    });

    test.inSession("what turns used stays when their rows are pruned", async (kit, id) => {
      await paid(kit, id, [FAST]);
      await kit.clock.advance(31 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.usage.sum({ session: id })).toMatchObject({ requests: 1 });
    });
  });
}
