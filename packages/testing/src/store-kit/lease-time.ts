import { type GatewayRow, type Holder, homeOf, type LineId, type Store } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { HOUR_MS, type Kit, LEASE_MS, type StoreTest } from "./kit.ts";

/** An exclusive right: how to acquire it, and whether another process may take it. */
interface Right {
  readonly what: string;
  /** Acquires the right; returns a check whether a process with the given handle may take it. */
  have(kit: Kit): Promise<(by: Store) => Promise<boolean>>;
}

/** Everything in a store that expires when nobody renews it for 15 s. */
const RIGHTS: readonly Right[] = [
  {
    what: "an account",
    async have(kit) {
      await kit.gateway();
      return (by) => by.leases.acquire("account:pager:", kit.process("gateway"), LEASE_MS);
    },
  },
  {
    what: "a turn",
    async have(kit) {
      const { id } = await kit.session();
      await kit.granted(id);
      return async (by) => (await kit.turn(id, {}, by)).ok;
    },
  },
  {
    what: "a handoff",
    async have(kit) {
      const { id } = await kit.session();
      await kit.claimed(id, kit.process("gateway"));
      return async (by) =>
        (await by.handoffs.reclaimHandoffs(homeOf("pager"), kit.process("gateway"), LEASE_MS)).length > 0;
    },
  },
  {
    what: "a typed line",
    async have(kit) {
      const { id } = await kit.session();
      const line = "line-1" as LineId;
      await kit.store.typedLines.keep(id, [{ id: line, text: "later" }], kit.process(), LEASE_MS);
      return async (by) => (await by.typedLines.takeOver([line], kit.process(), LEASE_MS)).length > 0;
    },
  },
  {
    what: "a gateway's place",
    async have(kit) {
      await kit.store.gateways.heartbeat(gatewayRow(kit.process("gateway")));
      // A gateway that has been silent for exactly 15 s still counts as alive.
      return async (by) => {
        await kit.clock.advance(1);
        return (await by.gateways.alive()).length === 0;
      };
    },
  },
];

function gatewayRow(holder: Holder): Omit<GatewayRow, "heartbeatAt"> {
  return { id: "gateway", holder, startedAt: 0, configPath: null, configChanged: false, platforms: [] };
}

/** A proof with an empty store. It throws if the store does not do what the name says. */
export interface LeaseTimeProof {
  readonly name: string;
  prove(kit: Kit): Promise<void>;
}

export const LEASE_TIME_PROOFS: readonly LeaseTimeProof[] = [
  ...RIGHTS.flatMap(({ what, have }): LeaseTimeProof[] => [
    {
      name: `a clock that is set two hours ahead takes ${what} from nobody`,
      async prove(kit) {
        const isFree = await have(kit);
        kit.clock.setWall(2 * HOUR_MS);
        expect(await isFree(await kit.second())).toBe(false);
      },
    },
    {
      name: `a clock that is set two hours back leaves ${what} to nobody for longer`,
      async prove(kit) {
        const isFree = await have(kit);
        kit.clock.setWall(-2 * HOUR_MS);
        await kit.clock.advance(LEASE_MS - 2);
        expect(await isFree(await kit.second())).toBe(false);
        await kit.clock.advance(2);
        expect(await isFree(await kit.second())).toBe(true);
      },
    },
    {
      name: `another machine goes by wall time, and so takes ${what} after 15 s of it`,
      async prove(kit) {
        const isFree = await have(kit);
        const elsewhere = await kit.onAnotherMachine();
        await kit.clock.advance(LEASE_MS - 2);
        expect(await isFree(elsewhere)).toBe(false);
        // This machine slept: its monotonic clock stood still.
        kit.clock.setWall(HOUR_MS);
        expect(await isFree(await kit.second())).toBe(false);
        expect(await isFree(elsewhere)).toBe(true);
      },
    },
    {
      name: `${what} that was had before the machine started anew is free after 15 s of wall time`,
      async prove(kit) {
        const isFree = await have(kit);
        await kit.reboot();
        kit.clock.setWall(LEASE_MS - 2);
        expect(await isFree(kit.store)).toBe(false);
        kit.clock.setWall(2);
        expect(await isFree(kit.store)).toBe(true);
      },
    },
  ]),
  {
    name: "a lease that is renewed before the clock is set is had by its holder after it",
    async prove(kit) {
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      await kit.clock.advance(LEASE_MS - 1);
      expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(true);
      kit.clock.setWall(2 * HOUR_MS);
      await kit.clock.advance(LEASE_MS - 1);
      expect(await kit.turn(id, {}, await kit.second())).toMatchObject({ reason: "busy", turn: { id: turn.id } });
    },
  },
  {
    name: "who slept while another machine took their turn writes nothing when they wake up",
    async prove(kit) {
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      kit.clock.setWall(HOUR_MS);
      await kit.granted(id, {}, await kit.onAnotherMachine());
      expect(await kit.store.turns.renewTurn(turn.id, fence, LEASE_MS)).toBe(false);
      const late = kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "late" }]);
      await expect(late).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
    },
  },
  {
    name: "a handoff waits its minute to be claimed, however the clock is set meanwhile",
    async prove(kit) {
      const { id } = await kit.session();
      await kit.requested(id);
      kit.clock.setWall(2 * HOUR_MS);
      expect(await kit.store.handoffs.listPendingHandoffs()).toHaveLength(1);
      kit.clock.setWall(-4 * HOUR_MS);
      await kit.clock.advance(59_999);
      expect(await kit.store.handoffs.listPendingHandoffs()).toHaveLength(1);
      await kit.clock.advance(1);
      expect(await kit.store.handoffs.latestOf(id)).toMatchObject({ error: { code: "HANDOFF_NOT_CLAIMED" } });
    },
  },
  {
    name: "a gateway whose process is there stays listed when another's clock is set ahead",
    async prove(kit) {
      await kit.store.gateways.heartbeat(gatewayRow(kit.process("gateway")));
      kit.clock.setWall(2 * HOUR_MS);
      const other = await kit.second();
      await other.gateways.heartbeat({ ...gatewayRow(kit.process("gateway")), id: "other" });
      expect((await other.gateways.alive()).map(({ id }) => id).sort()).toEqual(["gateway", "other"]);
    },
  },
];

export function describeLeaseTime(test: StoreTest): void {
  describe("the time of leases", () => {
    for (const { name, prove } of LEASE_TIME_PROOFS) test(name, prove);
  });
}
