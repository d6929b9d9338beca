import type { SendOutcome, SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { listed, NOTICES, offered, refused, settle } from "./deliveries.ts";
import { grownAnswer } from "./growing-answers.ts";
import { AT_HOME, entry, HOME, HOME_KEY, type Kit, PIECES, REFUSED, type StoreTest, UNCERTAIN } from "./kit.ts";

const MAY_HAVE_ARRIVED: SendOutcome = { kind: "uncertain", error: UNCERTAIN };
const NOTICE = NOTICES.uncertain.markdown;

/** Adds a message that may have arrived, of a session or of none. */
async function uncertain(kit: Kit, text: string, sessionId: SessionId | null = null): Promise<void> {
  await kit.store.outbox.enqueue([{ ...entry(text), sessionId }]);
  await settle(kit, MAY_HAVE_ARRIVED);
}

export function describeOffers(test: StoreTest): void {
  describe("what is said again below a notice", () => {
    test("what may have completed a message that grew is sent again as one of its own", async (kit) => {
      const gateway = await kit.gateway();
      for (const isOffered of [true, false]) {
        const { row } = await grownAnswer(kit, HOME, "d");
        await kit.store.outbox.beginSend(row.id, gateway, PIECES);
        await kit.store.outbox.settleSend(row.id, { kind: "uncertain", error: UNCERTAIN });
        if (isOffered) {
          await offered(kit);
          await settle(kit, { kind: "sent", receipt: { messageId: "notice", sentAt: 0 } });
        } else {
          await kit.store.deliveries.retry(row.id);
        }
        await kit.restart();
        const again = await kit.head();
        expect(again).toMatchObject({ id: row.id, state: "queued", draftMessageId: null, draftKey: null });
        expect(again.sendKey).not.toBe(row.sendKey);
        await kit.drain(HOME_KEY, gateway);
      }
    });

    test("what stood below a notice that is dropped is not sent bare, and is offered again", async (kit) => {
      const gateway = await kit.gateway();
      await uncertain(kit, "one");
      await refused(kit, "two");
      await offered(kit);
      await kit.store.outbox.enqueue([entry("an answer")]);
      expect(await kit.store.deliveries.drop((await kit.head()).id)).toBe(true);
      expect((await listed(kit)).sort()).toEqual(["one: uncertain", "two: failed"]);
      await kit.restart();
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["an answer"]);
      expect(await offered(kit)).toEqual(["one", "two"]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([NOTICE, "one", "two"]);
    });

    test.withGateway("what stood below a notice that goes with its session is not sent bare", async (kit, gateway) => {
      const [left, kept] = [await kit.session(), await kit.session()];
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: left.id, mirrors: false });
      await uncertain(kit, "of the session that left", left.id);
      await uncertain(kit, "of another", kept.id);
      await offered(kit);
      expect(await kit.store.bindings.part(HOME_KEY, left.id, [])).toBe(true);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([]);
      expect(await listed(kit)).toEqual(["of another: uncertain"]);
      expect(await offered(kit)).toEqual(["of another"]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([NOTICE, "of another"]);
    });

    test.withGateway("what stood below a notice that may not be read there is not sent bare", async (kit, gateway) => {
      await uncertain(kit, "one");
      await offered(kit);
      const { id } = await kit.head();
      await settle(kit, { kind: "dropped", error: { code: "SESSION_NOT_THEIRS", text: "they may not see it" } });
      expect((await kit.head()).id).not.toBe(id);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([]);
      expect(await listed(kit)).toEqual(["one: uncertain"]);
      await offered(kit);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([NOTICE, "one"]);
    });

    test.withGateway("what waits below a notice that is refused late is not sent bare", async (kit, gateway) => {
      await uncertain(kit, "one");
      await uncertain(kit, "two");
      await offered(kit);
      await settle(kit, { kind: "sent", receipt: { messageId: "notice", sentAt: 0 } });
      await settle(kit, { kind: "sent", receipt: { messageId: "one", sentAt: 0 } });
      await kit.store.outbox.settleLate("pager", undefined, "notice", REFUSED);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([]);
      expect(await listed(kit)).toEqual(["two: uncertain"]);
      await offered(kit);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([NOTICE, "two"]);
    });

    test("what is being sent when its notice is refused late is not sent again bare", async (kit) => {
      const gateway = await kit.gateway();
      await uncertain(kit, "one");
      await offered(kit);
      await settle(kit, { kind: "sent", receipt: { messageId: "notice", sentAt: 0 } });
      const { id } = await kit.begin(gateway, HOME_KEY, PIECES);
      await kit.store.outbox.settleLate("pager", undefined, "notice", REFUSED);
      await kit.store.outbox.settleSend(id, { kind: "again", dueAt: kit.clock.now(), error: UNCERTAIN });
      expect(await kit.drain(HOME_KEY, gateway)).toEqual([]);
      expect(await listed(kit)).toEqual(["one: uncertain"]);
      expect(await offered(kit)).toEqual(["one"]);
    });

    test.withGateway("a notice is not sent once nothing below it waits any more", async (kit, gateway) => {
      const [dropped, late] = [await refused(kit, "one"), await refused(kit, "two")];
      await offered(kit);
      await kit.store.deliveries.drop(dropped);
      // A process that was stopped in its call sends it now.
      await kit.store.outbox.settleSend(late, { kind: "sent", receipt: { messageId: "two", sentAt: 0 } });
      await kit.store.outbox.enqueue([entry("an answer")]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["an answer"]);
      expect(await listed(kit, true)).toEqual([]);
    });
  });
}
