import { buildSessionKey, type Conversation } from "@hermes/core";
import { describe, expect } from "vitest";
import { offered, settle } from "./deliveries.ts";
import {
  entry,
  HOME,
  HOME_KEY,
  PIECES,
  REFUSED,
  type StoreTest,
  THREAD,
  THREAD_KEY,
  UNCERTAIN,
  UNREACHABLE,
} from "./kit.ts";

export function describeRefusals(test: StoreTest): void {
  describe("what becomes of a message", () => {
    test.withGateway("the platform's late word finds its message", async (kit, gateway) => {
      await kit.store.outbox.enqueue([entry("one"), entry("two")]);
      const first = await kit.head();
      await kit.drain(HOME_KEY, gateway);
      const late = (messageId: string, refusal: typeof UNREACHABLE | null, platform = "pager") =>
        kit.store.outbox.settleLate(platform, undefined, messageId, refusal);
      expect(await late(`sent-${first.id}`, null)).toMatchObject({ id: first.id, state: "sent", confirmed: true });
      const refused = { id: first.id, state: "failed", error: UNREACHABLE, confirmed: false };
      expect(await late(`sent-${first.id}`, UNREACHABLE)).toMatchObject(refused);
      expect(await late("unknown", null)).toBeNull();
      expect(await late(`sent-${first.id}`, null, "beacon")).toBeNull();
      expect(await kit.store.outbox.counts("pager", undefined)).toEqual({ waiting: 0, failed: 1 });
    });

    test("the late word finds its message in its own chat where ids are unique in one only", async (kit) => {
      const gateway = await kit.gateway();
      const street = { ...HOME, chatId: "101" };
      await kit.store.outbox.enqueue([entry("one"), entry("two", street)]);
      const rows = [await kit.head(), await kit.head(buildSessionKey(street))];
      for (const { id } of rows) {
        await kit.store.outbox.beginSend(id, gateway, PIECES);
        await kit.store.outbox.settleSend(id, { kind: "sent", receipt: { messageId: "7", sentAt: 0 } });
      }
      const late = async (at: Conversation) =>
        (await kit.store.outbox.settleLate("pager", undefined, "7", null, at))?.id;
      expect([await late(THREAD), await late(street)]).toEqual(rows.map(({ id }) => id));
    });

    test.withGateway("a late word with its key settles what may have arrived, refused or not", async (kit, gateway) => {
      const { outbox } = kit.store;
      await outbox.enqueue([entry("one"), entry("two"), entry("three")]);
      const keys: string[] = [];
      for (const _ of ["one", "two", "three"]) {
        const { id, sendKey } = await kit.head();
        keys.push(sendKey);
        await outbox.beginSend(id, gateway, PIECES);
        await outbox.settleSend(id, { kind: "uncertain", error: UNCERTAIN });
      }
      const [one = "", two = "", three = ""] = keys;
      const late = (messageId: string, key: string, refusal: typeof REFUSED | null = null) =>
        outbox.settleLate("pager", undefined, messageId, refusal, undefined, key);
      expect(await offered(kit)).toEqual(["one", "two", "three"]);
      expect(await late("m-1", one)).toMatchObject({ state: "sent", confirmed: true, receipt: { messageId: "m-1" } });
      await settle(kit, { kind: "failed", error: REFUSED });
      expect(await late("m-2", two, REFUSED)).toMatchObject({ state: "failed", error: REFUSED });
      expect(await late("m-3", three)).toMatchObject({ state: "sent" });
      expect(await late("m-4", "nobody's")).toBeNull();
      expect(await offered(kit)).toEqual(["two"]);
    });

    test("a late word that cannot tell offers the message as one that may have arrived", async (kit) => {
      const { outbox } = kit.store;
      await outbox.enqueue([entry("one")]);
      const { id, sendKey } = await kit.head();
      await kit.drain(HOME_KEY, await kit.gateway());
      const late = (messageId: string, refusal: typeof UNCERTAIN | null, key?: string) =>
        outbox.settleLate("pager", undefined, messageId, refusal, undefined, key);
      // Adapters say it twice.
      for (const key of [undefined, sendKey]) {
        expect(await late(`sent-${id}`, UNCERTAIN, key)).toMatchObject({ id, state: "uncertain", receipt: null });
      }
      expect(await late("in-its-place", null, sendKey)).toMatchObject({ id, state: "sent", confirmed: true });
      expect(await offered(kit)).toEqual([]);
    });

    test("what is being sent is left to its sender by a late refusal of its key", async (kit) => {
      const { outbox } = kit.store;
      await outbox.enqueue([entry("one")]);
      const { id, sendKey } = await kit.head();
      await outbox.beginSend(id, await kit.gateway(), PIECES);
      expect(await outbox.settleLate("pager", undefined, "m-1", REFUSED, undefined, sendKey)).toBeNull();
      expect(await kit.head()).toMatchObject({ id, state: "sending" });
    });

    test("a refusal that no handoff waits for is told in the session, once for all pieces", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      await kit.store.outbox.enqueue([{ ...entry("answer"), sessionId: id }]);
      const { id: first } = await kit.begin(gateway, HOME_KEY, [{ text: "1" }, { text: "2" }]);
      await kit.store.outbox.settleSend(first, { kind: "failed", error: REFUSED });
      await kit.store.outbox.settleSend((await kit.head()).id, { kind: "failed", error: REFUSED });
      const told = await kit.store.transcripts.read(id);
      expect(told.map(({ role, internal }) => [role, internal])).toEqual([["assistant", true]]);
      expect(told[0]?.text).toContain(REFUSED.text);
    });

    test.withGateway("a late refusal that no handoff waits for is told in the session, once", async (kit, gateway) => {
      const { id } = await kit.session();
      await kit.store.outbox.enqueue([{ ...entry("answer"), sessionId: id }]);
      const { id: rowId } = await kit.head();
      await kit.drain(HOME_KEY, gateway);
      const refuse = () => kit.store.outbox.settleLate("pager", undefined, `sent-${rowId}`, UNREACHABLE);
      await refuse();
      await refuse();
      const told = await kit.store.transcripts.read(id);
      expect(told.map(({ role, internal }) => [role, internal])).toEqual([["assistant", true]]);
      expect(told[0]?.text).toContain(UNREACHABLE.text);
    });
  });

  describe("a handoff's messages", () => {
    test("a handoff is delivered when its last row is out; an uncertain row adds a warning", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      const handoff = await kit.bound(id, gateway);
      const notice = await kit.begin(gateway, THREAD_KEY, PIECES);
      await kit.store.outbox.settleSend(notice.id, { kind: "uncertain", error: UNCERTAIN });
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "bound" });
      await kit.answeredHandoff(id, handoff, gateway);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "answered" });
      await kit.drain(THREAD_KEY, gateway);
      const state = await kit.store.handoffs.get(handoff);
      expect(state).toMatchObject({ state: "running", step: "delivered" });
      expect(state?.warnings).toEqual([expect.stringContaining("the line broke")]);
      expect((await kit.store.outbox.ofHandoff(handoff)).map((row) => row.state)).toEqual(["uncertain", "sent"]);
    });

    test.withGateway("leave it undelivered when one was refused", async (kit, gateway) => {
      const { id } = await kit.session();
      const handoff = await kit.bound(id, gateway);
      expect(await kit.store.outbox.refusalOf(handoff)).toBeNull();
      await kit.store.outbox.settleSend((await kit.head(THREAD_KEY)).id, { kind: "failed", error: UNREACHABLE });
      expect(await kit.store.outbox.refusalOf(handoff)).toEqual(UNREACHABLE);
      await kit.answeredHandoff(id, handoff, gateway);
      await kit.drain(THREAD_KEY, gateway);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "answered" });
    });
  });
}
