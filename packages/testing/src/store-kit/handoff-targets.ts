import type { HandoffId, Holder, PlatformTarget, SessionId } from "@hermes/core/embed";
import { homeOf, userOfIdentity } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { senderOf } from "./codes.ts";
import { AT_HOME, entry, HOME_KEY, type Kit, LEASE_MS, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";
import { place } from "./waiting.ts";

const ROOM: PlatformTarget = {
  ...{ kind: "conversation", platform: "pager", account: "work" },
  ...{ key: THREAD_KEY, conversation: { ...THREAD, account: "work" }, name: "#general" },
};

/** A session that was used at home, and a handoff of it that is bound in a thread of another chat. */
const FAR = { platform: "pager", chatId: "200", kind: "dm", threadId: "7" } as const;

export function describeHandoffTargets(test: StoreTest): void {
  describe("the target of a handoff", () => {
    test("each target is stored with its handoff, and only its own account finds it", async (kit) => {
      const targets = [homeOf("pager"), homeOf("pager", "work"), ROOM];
      const asked: HandoffId[] = [];
      for (const to of targets) asked.push(await request(kit, (await kit.session()).id, to));
      await kit.restart();
      const { handoffs } = kit.store;
      for (const [at, id] of asked.entries()) expect(await handoffs.get(id)).toMatchObject({ to: targets[at] });
      const pending = async (account?: string) =>
        (await handoffs.listPendingHandoffs({ platform: "pager", account })).map(({ id }) => id);
      expect(await pending()).toEqual([asked[0]]);
      expect(await pending("work")).toEqual([asked[1], asked[2]]);
      expect(await pending("other")).toEqual([]);
    });

    test.inSession("a request is refused if the session was handed off since the caller looked", async (kit, id) => {
      const { handoffs } = kit.store;
      const first = await handoffs.requestHandoff(id, homeOf("pager"), { after: null });
      if (!first.ok) throw new Error("the first request was refused");
      await handoffs.cancelHandoff(first.handoff.id);
      expect(await handoffs.requestHandoff(id, homeOf("pager"), { after: null })).toEqual({
        ok: false,
        reason: "moved",
      });
      expect(await handoffs.latestOf(id)).toMatchObject({ id: first.handoff.id });
      expect(await handoffs.requestHandoff(id, homeOf("pager"), { after: first.handoff.id })).toMatchObject({
        ok: true,
      });
    });

    test("what a dead gateway left is reclaimed for its own account only", async (kit) => {
      const id = await request(kit, (await kit.session()).id, ROOM);
      const [old, next] = [kit.process("gateway"), kit.process("gateway")];
      await kit.store.handoffs.claimHandoff(id, old, LEASE_MS);
      kit.kill(old);
      expect(await kit.store.handoffs.reclaimHandoffs(homeOf("pager"), next, LEASE_MS)).toEqual([]);
      expect(await kit.store.handoffs.reclaimHandoffs(homeOf("pager", "work"), next, LEASE_MS)).toMatchObject([
        { id, to: ROOM, attempt: 2 },
      ]);
    });
  });

  describe("the place that a handoff left", () => {
    test("the place that was left is told once, in the step that completes the handoff", async (kit) => {
      const { handoff, gateway } = await leaving(kit);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ from: HOME_KEY, leaves: HOME_KEY });
      const left = entry("It goes on elsewhere.");
      const { handoffs, outbox } = kit.store;
      expect(await handoffs.completeHandoff(handoff, kit.process("gateway"), { left })).toBe(false);
      expect(await outbox.head(HOME_KEY)).toBeNull();
      expect(await handoffs.completeHandoff(handoff, gateway, { left })).toBe(true);
      expect(await handoffs.completeHandoff(handoff, gateway, { left })).toBe(false);
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["It goes on elsewhere."]);
    });

    test("a place to which the session has come back meanwhile hears nothing", async (kit) => {
      const { id, handoff, gateway } = await leaving(kit);
      await kit.granted(id, { surface: HOME_KEY });
      await kit.store.handoffs.completeHandoff(handoff, gateway, { left: entry("It goes on elsewhere.") });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test("a place keeps its binding and is used last again when the handoff fails", async (kit) => {
      const { id, handoff, gateway } = await leaving(kit);
      const error = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, error)).toBe(true);
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ sessionId: id });
      expect((await kit.store.bindings.of(id)).map(({ key }) => key)).toEqual([HOME_KEY]);
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: HOME_KEY });
      expect((await kit.texts(id)).at(-1)).toMatch(/the session is back on pager/);
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test("a place that moves during the handoff is still the one that was left", async (kit) => {
      const { id, handoff, gateway } = await leaving(kit);
      const there = place("300");
      await kit.store.outbox.moveLane(HOME_KEY, there);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ from: there.key, leaves: there.key });
      const error = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, error)).toBe(true);
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: there.key });
    });

    test("a session is back where it was last when what the terminal asked for fails", async (kit) => {
      const { id } = await usedAtHome(kit);
      const gateway = kit.process("gateway");
      const asked = await kit.store.handoffs.requestHandoff(id, homeOf("pager"), { from: "terminal" });
      if (!asked.ok) throw new Error(asked.reason);
      const handoff = asked.handoff.id;
      await kit.store.handoffs.claimHandoff(handoff, gateway, LEASE_MS);
      await kit.bind(handoff, gateway, FAR);
      await kit.answeredHandoff(id, handoff, gateway, FAR);
      const error = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, error)).toBe(true);
      expect(await kit.store.sessions.get(id)).toMatchObject({ lastSurface: HOME_KEY });
    });

    test("a handoff to a private chat gives its person a pass to the session there", async (kit) => {
      const { store } = kit;
      const { id } = await kit.session();
      const gateway = await kit.gateway();
      const ada = await store.people.add({ name: "Ada", role: "operator" });
      const who = senderOf("bob");
      const { surface: key, conversation } = who;
      const to = {
        kind: "conversation",
        platform: "pager",
        account: undefined,
        key,
        conversation,
        name: "Bob",
      } as const;
      const asked = await store.handoffs.requestHandoff(id, to, { by: ada.id });
      if (!asked.ok) throw new Error("the handoff was refused");
      expect(asked.handoff).toMatchObject({ by: ada.id });
      await store.handoffs.claimHandoff(asked.handoff.id, gateway, LEASE_MS);
      await store.handoffs.advanceHandoff(asked.handoff.id, gateway, "threaded", { conversation });
      const person = userOfIdentity({ platform: "pager", account: undefined, key: "bob" });
      const pass = { issuer: ada.id, person, who };
      for (let at = 0; at < 2; at++)
        expect(await kit.bind(asked.handoff.id, gateway, conversation, store, pass)).toBe(true);
      await kit.restart();
      const given = { kind: "pass", state: "taken", issuer: ada.id, person, sessionId: id, who };
      expect(await kit.store.codes.passAt(key)).toMatchObject(given);
      expect(await kit.store.codes.list("pass")).toHaveLength(1);
      expect((await kit.store.people.standing({ platform: "pager", account: undefined }, "bob")).people.guests).toEqual(
        [],
      );
      await kit.store.people.setRole(ada.id, "member");
      expect(await kit.store.codes.passAt(key)).toBeNull();
      expect(await kit.store.bindings.get(key)).toBeNull();
    });

    test("the place that is left is where the session was last, whoever asked", async (kit) => {
      const { id } = await usedAtHome(kit);
      const result = await kit.store.handoffs.requestHandoff(id, ROOM, { from: "terminal" });
      expect(result).toMatchObject({ handoff: { from: "terminal", leaves: HOME_KEY } });
      const another = await kit.requested((await kit.session()).id);
      expect(another).toMatchObject({ from: "terminal", leaves: null });
    });
  });
}

async function request(kit: Kit, sessionId: SessionId, to: PlatformTarget): Promise<HandoffId> {
  const result = await kit.store.handoffs.requestHandoff(sessionId, to);
  if (!result.ok) throw new Error(result.reason);
  return result.handoff.id;
}

async function usedAtHome(kit: Kit): Promise<{ readonly id: SessionId }> {
  const { id } = await kit.session();
  await kit.store.bindings.bind({ ...AT_HOME, sessionId: id, mirrors: false });
  const { turn, fence } = await kit.granted(id, { surface: HOME_KEY });
  const messages = [{ role: "assistant", text: "an answer" }] as const;
  await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
  return { id };
}

/** A session that was used at home, and its handoff, which is answered in another chat. */
async function leaving(
  kit: Kit,
): Promise<{ readonly id: SessionId; readonly handoff: HandoffId; readonly gateway: Holder }> {
  const { id } = await usedAtHome(kit);
  const gateway = kit.process("gateway");
  const handoff = await kit.bound(id, gateway, FAR);
  await kit.answeredHandoff(id, handoff, gateway, FAR);
  return { id, handoff, gateway };
}
