import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, entry, HOME_KEY, LEASE_MS, type StoreTest, THREAD } from "./kit.ts";
import { waiting } from "./waiting.ts";

const LOST = { code: "PLATFORM_UNAVAILABLE", text: "Pager cannot be reached." } as const;

export function describeOverview(test: StoreTest): void {
  describe("what waits in conversations", () => {
    test("lists each conversation with what waits in and out, the oldest first", async (kit) => {
      const { store, clock } = kit;
      expect(await store.overview.lanes({ limit: 5 })).toEqual({ lanes: [], total: 0 });
      const { id } = await kit.session();
      await store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: false });
      const said = clock.now();
      await kit.accepted("one", THREAD);
      await clock.advance(1_000);
      await kit.accepted("two", THREAD);
      await store.outbox.enqueue([entry("an answer"), entry("another")]);
      const gateway = await kit.gateway();
      const lanes = [
        {
          ...{ ...AT_THREAD, sessionId: id, holder: gateway, turn: null },
          ...{ inbound: { count: 2, oldestAt: said, state: "queued" }, outbound: null },
        },
        {
          ...{ ...AT_HOME, sessionId: null, inbound: null, holder: gateway, turn: null },
          outbound: { count: 2, oldestAt: said + 1_000, state: "queued", attempts: 0, dueAt: clock.now(), error: null },
        },
      ];
      expect(await store.overview.lanes({ limit: 5 })).toEqual({ lanes, total: 2 });
      expect(await store.overview.lanes({ limit: 1 })).toEqual({ lanes: lanes.slice(0, 1), total: 2 });
      expect(await store.overview.lanes({ limit: 1, offset: 1 })).toEqual({ lanes: lanes.slice(1), total: 2 });
      expect(await store.overview.lanes({ limit: 1, offset: 9 })).toEqual({ lanes: [], total: 2 });
    });

    test.withGateway("names no holder of an account whose gateway is gone", async (kit, gateway) => {
      await kit.store.outbox.enqueue([entry("an answer")]);
      kit.kill(gateway);
      expect((await kit.store.overview.lanes({ limit: 5 })).lanes).toMatchObject([{ holder: null }]);
    });

    test("tells the reason and the next try of a message that could not be sent", async (kit) => {
      const { store, clock } = kit;
      const gateway = await kit.gateway();
      const [row] = await store.outbox.enqueue([entry("an answer")]);
      if (row === undefined) throw new Error("nothing was queued");
      await store.outbox.beginSend(row.id, gateway, [{ text: "an answer" }]);
      const dueAt = clock.now() + 30_000;
      await store.outbox.settleSend(row.id, { kind: "again", error: LOST, dueAt });
      const { lanes } = await store.overview.lanes({ limit: 5 });
      expect(lanes).toMatchObject([{ outbound: { state: "queued", attempts: 1, dueAt, error: LOST } }]);
    });

    test("shows the turn that waits for people", async (kit) => {
      const { id } = await waiting(kit);
      await kit.accepted("and now?");
      const { lanes } = await kit.store.overview.lanes({ limit: 5 });
      expect(lanes).toMatchObject([
        { sessionId: id, turn: { state: "waiting", waitsFor: "approval", surface: HOME_KEY } },
      ]);
    });
  });

  describe("who holds what", () => {
    test("lists the leases of accounts, turns, handoffs, views and typed lines", async (kit) => {
      const { store, clock } = kit;
      const since = clock.now();
      const gateway = await kit.gateway();
      const [one, other] = [await kit.session(), await kit.session()];
      const { turn } = await kit.granted(one.id);
      const handoff = await kit.claimed(other.id, gateway);
      await store.views.keep({
        sessionId: one.id,
        holder: gateway,
        surface: "terminal",
        restedMs: 0,
        leaseMs: LEASE_MS,
      });
      await store.typedLines.keep(one.id, [{ id: "l1" as never, text: "later" }], turn.holder, LEASE_MS);
      await clock.advance(1_000);
      await store.leases.acquire("account:pager:work:a", gateway, LEASE_MS);
      await store.leases.acquire("account:pager:", gateway, LEASE_MS);
      await store.leases.acquire("restart", gateway, LEASE_MS);
      const until = since + LEASE_MS;
      const times = { since, until, isLive: true };
      const late = { since: since + 1_000, until: until + 1_000, isLive: true };
      expect(await store.overview.leases()).toEqual([
        { of: { kind: "account", platform: "pager", account: undefined }, holder: gateway, ...late, since },
        { of: { kind: "account", platform: "pager", account: "work:a" }, holder: gateway, ...late },
        { of: { kind: "other", name: "restart" }, holder: gateway, ...late },
        { of: { kind: "turn", turnId: turn.id, sessionId: one.id }, holder: turn.holder, ...times },
        {
          of: { kind: "handoff", handoffId: handoff, sessionId: other.id, platform: "pager" },
          holder: gateway,
          ...times,
        },
        { of: { kind: "view", sessionId: one.id, surface: "terminal" }, holder: gateway, ...times },
        { of: { kind: "typed-lines", sessionId: one.id, count: 1 }, holder: turn.holder, ...times },
      ]);
    });

    test("puts a lease last that has expired or whose process is gone", async (kit) => {
      const { store, clock } = kit;
      const [gone, kept] = [kit.process("gateway"), kit.process("gateway")];
      await store.leases.acquire("account:a:", gone, LEASE_MS);
      await store.leases.acquire("account:b:", kept, LEASE_MS);
      kit.kill(gone);
      expect((await store.overview.leases()).map(({ holder, isLive }) => [holder.id, isLive])).toEqual([
        [kept.id, true],
        [gone.id, false],
      ]);
      await clock.advance(LEASE_MS);
      expect((await store.overview.leases()).map(({ isLive }) => isLive)).toEqual([false, false]);
    });
  });
}
