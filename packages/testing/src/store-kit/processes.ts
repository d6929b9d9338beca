import { type GatewayRow, homeOf, OPERATOR, type UserId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { entry, HOME_KEY, type Kit, LEASE_MS, type StoreTest } from "./kit.ts";

/** In milliseconds: longer than the polling interval of any store. */
const POLL_MS = 2000;

function gatewayRow(kit: Kit, id: string): Omit<GatewayRow, "heartbeatAt"> {
  return {
    id,
    holder: kit.process("gateway"),
    startedAt: kit.clock.now(),
    configPath: "/home/ada/hermes.config.ts",
    configChanged: true,
    platforms: [
      {
        platform: "pager",
        health: { state: "degraded", detail: "it does not receive" },
        standby: false,
        takesHandoffs: true,
        home: { chatId: "100", kind: "dm", forumTag: "x", key: HOME_KEY },
      },
    ],
  };
}

export function describeProcesses(test: StoreTest): void {
  describe("leases", () => {
    test("one process has a lease at a time, and renews its own", async (kit) => {
      const other = await kit.second();
      const [a, b] = [kit.process("gateway"), kit.process("gateway")];
      expect(await kit.store.leases.acquire("x", a, LEASE_MS)).toBe(true);
      expect(await other.leases.acquire("x", b, LEASE_MS)).toBe(false);
      expect(await other.leases.acquire("y", b, LEASE_MS)).toBe(true);
      await kit.clock.advance(LEASE_MS - 1);
      expect(await kit.store.leases.acquire("x", a, LEASE_MS)).toBe(true);
      await kit.clock.advance(LEASE_MS - 1);
      expect(await other.leases.acquire("x", b, LEASE_MS)).toBe(false);
      expect(await kit.store.leases.acquire("y", a, LEASE_MS)).toBe(true);
    });

    test("a lease passes on when it is released, runs out, or its process is gone", async (kit) => {
      const [a, b, c, d] = [kit.process(), kit.process(), kit.process(), kit.process()];
      const { leases } = kit.store;
      await leases.acquire("x", a, LEASE_MS);
      await leases.release("x", b);
      expect(await leases.acquire("x", b, LEASE_MS)).toBe(false);
      await leases.release("x", a);
      expect(await leases.acquire("x", b, LEASE_MS)).toBe(true);
      await kit.clock.advance(LEASE_MS);
      expect(await leases.acquire("x", c, LEASE_MS)).toBe(true);
      kit.kill(c);
      expect(await leases.acquire("x", d, LEASE_MS)).toBe(true);
    });
  });

  describe("gateways", () => {
    test("a gateway is alive while its heart beats and its process is there", async (kit) => {
      const [a, b] = [gatewayRow(kit, "a"), gatewayRow(kit, "b")];
      await kit.store.gateways.heartbeat(a);
      await kit.store.gateways.heartbeat(b);
      const other = await kit.second();
      const heartbeatAt = kit.clock.now();
      expect(await other.gateways.alive()).toEqual([
        { ...a, heartbeatAt },
        { ...b, heartbeatAt },
      ]);
      kit.kill(a.holder);
      expect((await other.gateways.alive()).map(({ id }) => id)).toEqual(["b"]);
      await kit.clock.advance(15_000);
      await kit.store.gateways.heartbeat({ ...b, platforms: [] });
      await kit.clock.advance(15_000);
      expect(await other.gateways.alive()).toMatchObject([{ id: "b", platforms: [] }]);
      await kit.clock.advance(1);
      expect(await other.gateways.alive()).toEqual([]);
    });

    test("a running gateway is silent when its heart stops, until it beats again", async (kit) => {
      const [a, b] = [gatewayRow(kit, "a"), gatewayRow(kit, "b")];
      await kit.store.gateways.heartbeat(a);
      await kit.store.gateways.heartbeat(b);
      const other = await kit.second();
      await kit.clock.advance(15_000);
      expect(await other.gateways.silent()).toEqual([]);
      await kit.clock.advance(1);
      kit.kill(b.holder);
      expect(await other.gateways.silent()).toMatchObject([{ id: "a", platforms: a.platforms }]);
      await kit.store.gateways.heartbeat(a);
      expect(await other.gateways.silent()).toEqual([]);
    });

    test("a gateway that leaves is gone at once", async (kit) => {
      await kit.store.gateways.heartbeat(gatewayRow(kit, "a"));
      await kit.store.gateways.remove("a");
      expect(await kit.store.gateways.alive()).toEqual([]);
    });
  });

  describe("people", () => {
    test("go by the name they had last", async (kit) => {
      const ada = "pager:ada" as UserId;
      await kit.store.users.note(ada, "Ada");
      await kit.store.users.note(ada, "Ada \0L.");
      expect(await kit.store.users.name(ada)).toMatch(/^Ada .L\.$/u);
      expect(await kit.store.users.name(OPERATOR)).toBeNull();
    });

    test("who is turned away is counted, by account, and nothing more", async (kit) => {
      for (let i = 0; i < 3; i++) await kit.store.users.countRefused("pager", undefined);
      await kit.store.users.countRefused("pager", "second");
      expect(await kit.store.users.refused("pager", undefined)).toBe(3);
      expect(await kit.store.users.refused("pager", "second")).toBe(1);
      expect(await kit.store.users.refused("beacon", undefined)).toBe(0);
    });
  });

  describe("watching", () => {
    test("a listener is told of writes by this process and by others", async (kit) => {
      const other = await kit.second();
      for (const writer of [kit.store, other]) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const { promise: alsoTold, resolve: alsoTell } = Promise.withResolvers<void>();
        using _first = kit.store.watch(resolve);
        using _second = kit.store.watch(alsoTell);
        await writer.users.countRefused("pager", undefined);
        await kit.clock.advance(POLL_MS);
        await Promise.all([promise, alsoTold]);
      }
    });

    test("whoever listens for some rows is told of each write of them by any process", async (kit) => {
      const other = await kit.second();
      const { id } = await kit.session();
      const asked = await kit.requested(id);
      const writes = [
        ["away", () => kit.store.away.set(id, { to: homeOf("pager"), restMs: 60_000, by: OPERATOR })],
        ["outbox", () => kit.store.outbox.enqueue([entry("said")])],
        ["handoffs", () => kit.store.handoffs.cancelHandoff(asked.id)],
        ["handoffs", () => other.handoffs.requestHandoff(id, homeOf("pager"))],
        ["away", () => other.away.clear(id)],
      ] as const;
      for (const [rows, write] of writes) {
        await kit.clock.advance(POLL_MS);
        const { promise, resolve } = Promise.withResolvers<void>();
        using _watching = kit.store.watch(resolve, [rows]);
        await write();
        await kit.clock.advance(POLL_MS);
        await promise;
      }
    });

    test("what was written is there to be read when it is told", async (kit) => {
      const other = await kit.second();
      const { id } = await kit.session();
      const seen = Promise.withResolvers<string[]>();
      using _watching = kit.store.watch(async () => {
        const texts = await kit.texts(id);
        if (texts.length > 0) seen.resolve(texts);
      });
      await kit.granted(id, {}, other);
      await kit.clock.advance(POLL_MS);
      expect(await seen.promise).toEqual(["user: a question"]);
    });

    test("calls no listener that stopped, and nobody after a call that changes nothing", async (kit) => {
      await kit.clock.advance(POLL_MS);
      let calls = 0;
      const { id } = await kit.session();
      const handoff = await kit.requested(id);
      await kit.store.handoffs.cancelHandoff(handoff.id);
      const watching = kit.store.watch(() => {
        calls++;
      });
      await kit.clock.advance(POLL_MS);
      calls = 0;
      expect(await kit.store.handoffs.cancelHandoff(handoff.id)).toBe(false);
      await kit.clock.advance(POLL_MS);
      expect(calls).toBe(0);
      watching[Symbol.dispose]();
      await kit.granted(id);
      await kit.clock.advance(POLL_MS);
      expect(calls).toBe(0);
    });
  });

  describe("a closed store", () => {
    test("a closed store fails with STORE_CLOSED and may be closed again", async (kit) => {
      const other = await kit.second();
      await other.close();
      await other.close();
      await expect(other.sessions.count()).rejects.toMatchObject({ code: "STORE_CLOSED" });
      await expect(other.leases.acquire("x", kit.process(), 1)).rejects.toMatchObject({ code: "STORE_CLOSED" });
      expect(await kit.store.sessions.count()).toBe(0);
    });
  });
}
