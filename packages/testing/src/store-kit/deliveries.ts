import { buildSessionKey } from "@hermes/core";
import type { OutboxId, SendOutcome } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import {
  AT_HOME,
  AT_THREAD,
  DAY_MS,
  entry,
  HOME,
  HOME_KEY,
  type Kit,
  REFUSED,
  type StoreTest,
  THREAD,
  THREAD_KEY,
  UNCERTAIN,
} from "./kit.ts";

const FAILED: SendOutcome = { kind: "failed", error: REFUSED };

export const NOTICES = {
  failed: { kind: "notice", markdown: "It was refused:" },
  uncertain: { kind: "notice", markdown: "It may be there:" },
} as const;

/** Settles the head of a lane. Returns its id. */
export async function settle(kit: Kit, outcome: SendOutcome, key = HOME_KEY): Promise<OutboxId> {
  const head = await kit.head(key);
  await kit.store.outbox.settleSend(head.id, outcome);
  return head.id;
}

/** Adds a message that was refused for good. Returns its id. */
export async function refused(kit: Kit, text: string, at = HOME): Promise<OutboxId> {
  await kit.store.outbox.enqueue([entry(text, at)]);
  return settle(kit, FAILED, buildSessionKey(at));
}

/** The platform refuses what it took in {@link Kit.drain}. */
async function refuseLate(kit: Kit, id = "" as OutboxId): Promise<void> {
  await kit.store.outbox.settleLate("pager", undefined, `sent-${id}`, REFUSED);
}

export async function offered(kit: Kit, limit = 10): Promise<string[]> {
  return (await kit.store.deliveries.offer(AT_HOME, NOTICES, limit)).map(({ message }) => message.markdown);
}

export async function listed(kit: Kit, waiting = false) {
  const all = await kit.store.deliveries.list({ limit: 50, waiting });
  return all.map(({ message, state }) => `${message.markdown}: ${state}`);
}

export function describeDeliveries(test: StoreTest): void {
  describe("a message that did not arrive", () => {
    test("keeps a refused message with its reason, and offers it once, before the next one", async (kit) => {
      const gateway = await kit.gateway();
      const id = await refused(kit, "one");
      await kit.restart();
      expect(await kit.store.deliveries.get(id)).toMatchObject({
        ...{ id, ...AT_HOME, state: "failed", error: REFUSED, pieces: { left: 1, all: 1 }, wasOffered: false },
      });
      expect(await offered(kit)).toEqual(["one"]);
      expect(await offered(kit)).toEqual([]);
      await kit.store.outbox.enqueue([entry("an answer")]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It was refused:", "one", "an answer"]);
      expect(await listed(kit)).toEqual([]);
      expect(await offered(kit)).toEqual([]);
    });

    test.withGateway("a message is offered again if the notice above it did not arrive", async (kit, gateway) => {
      await refused(kit, "one");
      await kit.store.outbox.enqueue([entry("two")]);
      await settle(kit, { kind: "uncertain", error: UNCERTAIN });
      for (const outcomes of [[FAILED], Array(3).fill({ kind: "uncertain", error: UNCERTAIN })]) {
        expect(await offered(kit)).toEqual(["one", "two"]);
        // One that may not have arrived is sent three times: an answer waits behind it.
        for (const outcome of outcomes) {
          const notice = await kit.store.outbox.head(HOME_KEY);
          expect(notice).toMatchObject({ state: "queued", message: NOTICES.uncertain });
          await kit.store.outbox.beginSend(notice?.id ?? ("" as OutboxId), gateway, [{ text: "It may be there:" }]);
          await settle(kit, outcome);
        }
        // The notice itself is not kept as undelivered.
        expect((await listed(kit)).sort()).toEqual(["one: failed", "two: uncertain"]);
        expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      }
      await offered(kit);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It may be there:", "one", "two"]);
    });

    test("a message refused below its notice too is listed, but not offered for ever", async (kit) => {
      await refused(kit, "one");
      await offered(kit);
      await settle(kit, { kind: "sent", receipt: { messageId: "notice", sentAt: 0 } });
      await settle(kit, FAILED);
      expect(await offered(kit)).toEqual([]);
      expect(await listed(kit)).toEqual(["one: failed"]);
    });

    test.withGateway("a message is offered again if the notice above it was refused late", async (kit, gateway) => {
      const [one, two] = [await refused(kit, "one"), await refused(kit, "two")];
      await offered(kit);
      const notice = await kit.store.outbox.head(HOME_KEY);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It was refused:", "one", "two"]);
      for (const id of [one, notice?.id, two]) await refuseLate(kit, id);
      // The notice itself is not kept as undelivered.
      expect((await listed(kit)).sort()).toEqual(["one: failed", "two: failed"]);
      await kit.restart();
      expect(await offered(kit)).toEqual(["one", "two"]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It was refused:", "one", "two"]);
    });

    test("each piece of an offered message is offered again if its notice is refused late", async (kit) => {
      const gateway = await kit.gateway();
      const id = await refused(kit, "one");
      await offered(kit);
      const notice = await kit.store.outbox.head(HOME_KEY);
      await settle(kit, { kind: "sent", receipt: { messageId: `sent-${notice?.id}`, sentAt: 0 } });
      // It is split only now.
      await kit.store.outbox.beginSend(id, gateway, [{ text: "o" }, { text: "ne" }]);
      await settle(kit, { kind: "sent", receipt: { messageId: `sent-${id}`, sentAt: 0 } });
      const second = await kit.store.outbox.head(HOME_KEY);
      await settle(kit, FAILED);
      await refuseLate(kit, notice?.id);
      expect(await offered(kit)).toEqual(["one"]);
      await settle(kit, { kind: "sent", receipt: { messageId: "notice-2", sentAt: 0 } });
      expect(await kit.store.outbox.head(HOME_KEY)).toMatchObject({ id: second?.id, state: "queued" });
    });

    test("what was taken and refused later is sent under another key, and edits no message", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one")]);
      const { id = "" as OutboxId, sendKey } = (await kit.store.outbox.head(HOME_KEY)) ?? {};
      await kit.store.outbox.takeDraft(id, "draft-1");
      const keys = new Set([sendKey]);
      for (const [times, again] of [offered, () => kit.store.deliveries.retry(id)].entries()) {
        await kit.drain(HOME_KEY, gateway);
        for (const _ of ["once", "again"]) await refuseLate(kit, id);
        await again(kit);
        const head = await kit.store.outbox.head(HOME_KEY);
        if (head?.id !== id) await settle(kit, { kind: "sent", receipt: { messageId: "notice", sentAt: 0 } });
        const row = await kit.store.outbox.head(HOME_KEY);
        expect(row).toMatchObject({ id, draftMessageId: null });
        expect(keys.add(row?.sendKey).size).toBe(times + 2);
      }
      // What was refused at once is the same piece when it is sent again.
      await settle(kit, FAILED);
      await kit.store.deliveries.retry(id);
      expect(keys.add((await kit.store.outbox.head(HOME_KEY))?.sendKey).size).toBe(3);
    });

    test("offers a message in its own lane alone, not in the chat or to another person", async (kit) => {
      const ofAda = { ...HOME, kind: "group", userId: "ada" } as const;
      await refused(kit, "in the thread", THREAD);
      await refused(kit, "to ada", ofAda);
      expect(await offered(kit)).toEqual([]);
      const others = [
        { ...ofAda, userId: "bob" },
        { ...ofAda, userId: undefined },
        { ...HOME, account: "b" },
      ];
      for (const conversation of others) {
        const at = { key: buildSessionKey(conversation), conversation };
        expect(await kit.store.deliveries.offer(at, NOTICES, 10)).toEqual([]);
      }
    });

    test("the notice above what tells of sessions is held back as that is", async (kit) => {
      const told = entry("your sessions");
      await kit.store.outbox.enqueue([{ ...told, message: { ...told.message, tellsOf: { user: "all" } } }]);
      await settle(kit, FAILED);
      await kit.restart();
      await offered(kit);
      const notice = await kit.store.outbox.head(HOME_KEY);
      expect(notice?.message).toMatchObject({ markdown: NOTICES.failed.markdown, tellsOf: {} });
      await settle(kit, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });
      expect((await kit.store.outbox.head(HOME_KEY))?.message.tellsOf).toEqual({ user: "all" });
    });

    test.withGateway("a message of several pieces does not repeat the pieces that arrived", async (kit, gateway) => {
      await kit.store.outbox.enqueue([entry("long")]);
      await kit.begin(gateway, HOME_KEY, [{ text: "1" }, { text: "2" }, { text: "3" }]);
      await settle(kit, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });
      const second = await settle(kit, FAILED);
      await settle(kit, FAILED);
      const [left, ...more] = await kit.store.deliveries.list({ limit: 5 });
      expect([left?.id, left?.pieces, more]).toEqual([second, { left: 2, all: 3 }, []]);
      await offered(kit);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It was refused:", "2", "3"]);
    });

    test.withGateway("a message is offered as one that may be there if a piece of it may", async (kit, gateway) => {
      await kit.store.outbox.enqueue([entry("long")]);
      await kit.store.outbox.beginSend((await kit.head()).id, gateway, [{ text: "1" }, { text: "2" }]);
      await settle(kit, { kind: "uncertain", error: UNCERTAIN });
      await settle(kit, FAILED);
      await offered(kit);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It may be there:", "1", "2"]);
    });

    test("offers a few messages at a time, oldest first; the rest follows later answers", async (kit) => {
      for (const text of ["1", "2", "3"]) await refused(kit, text);
      expect(await offered(kit, 2)).toEqual(["1", "2"]);
      expect(await offered(kit, 2)).toEqual(["3"]);
    });

    test.withGateway("goes along when its lane leaves a thread that is gone", async (kit, gateway) => {
      await refused(kit, "one", THREAD);
      await kit.store.outbox.moveLane(THREAD_KEY, AT_HOME);
      expect(await offered(kit)).toEqual(["one"]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["It was refused:", "one"]);
    });

    test("sends a message again on request, behind what waits, whoever serves the account", async (kit) => {
      const id = await refused(kit, "one");
      await kit.store.outbox.enqueue([entry("two")]);
      expect(await kit.store.deliveries.retry(id)).toBe(true);
      expect(await kit.store.deliveries.retry(id)).toBe(false);
      expect(await listed(kit)).toEqual([]);
      expect((await listed(kit, true)).sort()).toEqual(["one: waiting", "two: waiting"]);
      await kit.restart();
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["two", "one"]);
      expect(await kit.store.deliveries.get(id)).toBeNull();
    });

    test("a dropped message is neither sent nor offered nor counted", async (kit) => {
      const [one, two] = [await refused(kit, "one"), await refused(kit, "two")];
      expect(await kit.store.deliveries.drop(one)).toBe(true);
      expect(await kit.store.deliveries.drop(one)).toBe(false);
      await kit.store.deliveries.retry(two);
      expect(await kit.store.deliveries.drop(two)).toBe(true);
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      expect(await offered(kit)).toEqual([]);
      expect(await kit.store.outbox.counts("pager", undefined)).toEqual({ waiting: 0, failed: 0 });
    });

    test("an undelivered message of a running handoff goes when that handoff fails", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      const handoff = await kit.bound(id, gateway);
      const row = await settle(kit, FAILED, THREAD_KEY);
      expect(await kit.store.deliveries.offer(AT_THREAD, NOTICES, 10)).toEqual([]);
      expect(await kit.store.deliveries.retry(row)).toBe(false);
      expect(await kit.store.deliveries.drop(row)).toBe(false);
      expect(await kit.store.deliveries.untold(10)).toEqual([]);
      await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED);
      expect(await listed(kit)).toEqual([]);
      expect(await kit.store.deliveries.offer(AT_THREAD, NOTICES, 10)).toEqual([]);
    });

    test("a message whose handoff failed during its send is not listed as undelivered", async (kit) => {
      const gateway = await kit.gateway();
      for (const outcome of [FAILED, { kind: "again", dueAt: 0, error: UNCERTAIN }] as const) {
        const { id } = await kit.session();
        const handoff = await kit.bound(id, gateway);
        const head = await kit.begin(gateway, THREAD_KEY, [{ text: "notice" }]);
        await kit.store.handoffs.compensateHandoff(handoff, gateway, REFUSED);
        expect(await kit.store.outbox.settleSend(head.id, outcome)).toMatchObject({ state: "cancelled" });
        expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      }
    });

    test.withGateway("what is withheld again when it is offered is offered once more", async (kit, gateway) => {
      const withheld: SendOutcome = { kind: "withheld", error: { code: "CHAT_NOT_PRIVATE", text: "others are there" } };
      await kit.store.outbox.enqueue([entry("one")]);
      await settle(kit, withheld);
      for (const _ of [1, 2]) {
        expect(await offered(kit)).toEqual(["one"]);
        await kit.begin(gateway);
        await settle(kit, { kind: "sent", receipt: { messageId: "n", sentAt: 0 } });
        await settle(kit, withheld);
      }
      expect(await listed(kit)).toEqual(["one: failed"]);
    });

    test.withGateway("what may have arrived is said below its notice under a key of its own", async (kit, gateway) => {
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await kit.head();
      const begin = async () => (await kit.store.outbox.beginSend(id, gateway, [{ text: "one" }]))?.sendKey;
      const first = await begin();
      await settle(kit, { kind: "uncertain", error: UNCERTAIN });
      // By hand there is no notice: where it arrived, nothing is to be said twice.
      await kit.store.deliveries.retry(id);
      expect(await begin()).toBe(first);
      await settle(kit, { kind: "uncertain", error: UNCERTAIN });
      expect(await offered(kit)).toEqual(["one"]);
      await settle(kit, { kind: "sent", receipt: { messageId: "n", sentAt: 0 } });
      const below = await begin();
      expect(below).not.toBe(first);
      await settle(kit, { kind: "again", dueAt: 0, error: UNCERTAIN });
      expect(await begin()).toBe(below);
    });

    test.inSession("goes with its session when that is deleted", async (kit, id) => {
      await kit.store.outbox.enqueue([{ ...entry("one"), sessionId: id }]);
      await settle(kit, FAILED);
      await kit.store.sessions.delete(id);
      expect(await listed(kit)).toEqual([]);
      expect(await offered(kit)).toEqual([]);
    });

    test.inSession("keeps what waited when its session was deleted, and may not be said there", async (kit, id) => {
      await kit.store.outbox.enqueue([{ ...entry("one"), sessionId: id }]);
      await kit.store.sessions.delete(id);
      const refusal = { code: "SESSION_NOT_THEIRS", text: "they may not see it" } as const;
      const row = await settle(kit, { kind: "dropped", error: refusal });
      await kit.restart();
      expect(await kit.store.deliveries.untold(9)).toMatchObject([
        { id: row, state: "failed", error: refusal, isHeldBack: true, message: { tellsOf: { deleted: id } } },
      ]);
      expect(await offered(kit)).toEqual([]);
      for (const kind of ["dropped", "withheld"] as const) {
        await kit.store.deliveries.tell(row, []);
        expect(await kit.store.deliveries.retry(row)).toBe(true);
        expect(await kit.store.outbox.head(HOME_KEY)).toMatchObject({ id: row, isByHand: true });
        await settle(kit, { kind, error: refusal });
        expect(await kit.store.deliveries.untold(9)).toMatchObject([{ id: row, state: "failed", isHeldBack: true }]);
      }
    });

    test.withGateway("each piece of a long message that is sent by hand is sent by hand", async (kit, gateway) => {
      const { id } = await kit.session();
      await kit.store.outbox.enqueue([{ ...entry("one, two"), sessionId: id }]);
      await kit.store.sessions.delete(id);
      const row = await settle(kit, { kind: "dropped", error: { code: "SESSION_NOT_THEIRS", text: "no" } });
      await kit.store.deliveries.retry(row);
      await kit.store.outbox.beginSend(row, gateway, [{ text: "one" }, { text: "two" }]);
      await settle(kit, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });
      expect(await kit.store.outbox.head(HOME_KEY)).toMatchObject({ piece: { text: "two" }, isByHand: true });
    });

    test("a refusal is reported once, atomically; an uncertain message is not", async (kit) => {
      await kit.store.outbox.enqueue([entry("perhaps")]);
      await settle(kit, { kind: "uncertain", error: UNCERTAIN });
      const id = await refused(kit, "one");
      expect((await kit.store.deliveries.untold(5)).map((one) => one.id)).toEqual([id]);
      for (let i = 0; i < 2; i++) await kit.store.deliveries.tell(id, [entry("It was refused.", THREAD)]);
      expect(await kit.store.deliveries.untold(5)).toEqual([]);
      expect(await kit.drain(THREAD_KEY, await kit.gateway())).toEqual(["It was refused."]);
    });

    test("undelivered messages are listed newest first and pruned after 30 days", async (kit) => {
      await refused(kit, "one");
      await kit.clock.advance(1);
      await refused(kit, "two");
      expect(await listed(kit)).toEqual(["two: failed", "one: failed"]);
      await kit.clock.advance(30 * DAY_MS);
      await kit.store.prune();
      expect(await listed(kit)).toEqual(["two: failed"]);
    });
  });
}
