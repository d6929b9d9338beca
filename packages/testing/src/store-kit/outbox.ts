import { describe, expect } from "vitest";
import {
  entry,
  HOME,
  HOME_KEY,
  HOUR_MS,
  LEASE_MS,
  PIECES,
  type StoreTest,
  THREAD,
  THREAD_KEY,
  UNCERTAIN,
  UNREACHABLE,
} from "./kit.ts";

export function describeOutbox(test: StoreTest): void {
  describe("outbox", () => {
    test("what is said at a place goes out in order, a row a piece, also after a restart", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two"), entry("three")]);
      const first = await kit.head();
      expect(first).toMatchObject({ piece: null, state: "queued", attempts: 0, receipt: null, confirmed: false });
      const pieces = [{ text: "1a" }, { text: "1b", extra: { bold: [0] } }] as const;
      const begun = await kit.store.outbox.beginSend(first.id, gateway, pieces);
      expect(begun).toMatchObject({ piece: { text: "1a" }, message: { markdown: "one" }, state: "sending" });
      // A message is split only once, also for the next gateway.
      await kit.store.outbox.settleSend(first.id, { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE });
      const again = await kit.store.outbox.beginSend(first.id, gateway, [{ text: "other" }, { text: "more" }]);
      expect(again).toMatchObject({ piece: { text: "1a" }, attempts: 2 });
      await kit.store.outbox.settleSend(first.id, { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE });
      await kit.restart();
      await kit.store.outbox.enqueue([entry("four")]);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["1a", "1b", "two", "three", "four"]);
    });

    test("what is dropped keeps why, and is neither sent nor offered again", async (kit) => {
      const { outbox, deliveries } = kit.store;
      await outbox.enqueue([entry("not theirs"), entry("theirs")]);
      const error = { code: "SESSION_NOT_THEIRS", text: "not theirs any more" } as const;
      const dropped = await outbox.settleSend((await kit.head()).id, { kind: "dropped", error });
      expect(dropped).toMatchObject({ state: "cancelled", error });
      expect(await deliveries.list({ waiting: true, limit: 9 })).toHaveLength(1);
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["theirs"]);
    });

    test.withGateway("a lane tells which row is behind its head, while that is being sent", async (kit, gateway) => {
      const [first, second] = await kit.store.outbox.enqueue([entry("one"), entry("two")]);
      if (!first || !second) throw new Error("nothing was enqueued");
      await kit.store.outbox.beginSend(first.id, gateway, [{ text: "1a" }, { text: "1b" }]);
      const rest = await kit.store.outbox.head(HOME_KEY, first.id);
      expect(rest).toMatchObject({ piece: { text: "1b" }, state: "queued" });
      const receipt = { messageId: "1", sentAt: 0 };
      await kit.store.outbox.settleSend(first.id, { kind: "sent", receipt });
      expect(await kit.store.outbox.head(HOME_KEY, rest?.id)).toMatchObject({ id: second.id });
      await kit.drain(HOME_KEY, gateway);
      expect(await kit.store.outbox.head(HOME_KEY, second.id)).toBeNull();
    });

    test("each lane has its own head; a row with a later time blocks those behind it", async (kit) => {
      const gateway = await kit.gateway();
      const elsewhere = { ...HOME, account: "second" };
      await kit.store.outbox.enqueue([entry("a"), entry("b"), entry("c", THREAD), entry("d", elsewhere)]);
      const texts = async (account?: string) => {
        const heads = (await kit.store.outbox.openLanes("pager", account)).map((key) => kit.store.outbox.head(key));
        return (await Promise.all(heads)).map((row) => row?.message.markdown).sort();
      };
      expect(await texts()).toEqual(["a", "c"]);
      expect(await texts("second")).toEqual(["d"]);
      const { id } = await kit.head();
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).not.toBeNull();
      const dueAt = kit.clock.now() + 30_000;
      const later = await kit.store.outbox.settleSend(id, { kind: "again", dueAt, error: UNREACHABLE });
      expect(later).toMatchObject({ state: "queued", dueAt, error: UNREACHABLE, attempts: 1 });
      expect(await texts()).toEqual(["a", "c"]);
    });

    test("a clock that is set neither delays nor hastens what is to be sent later", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two", THREAD)]);
      const { id } = await kit.begin(gateway, HOME_KEY, PIECES);
      const dueAt = kit.clock.now() + 30_000;
      await kit.store.outbox.settleSend(id, { kind: "again", dueAt, error: UNREACHABLE });
      const wait = async (key = HOME_KEY) => ((await kit.store.outbox.head(key))?.dueAt ?? 0) - kit.clock.now();
      for (const byMs of [-2 * HOUR_MS, 4 * HOUR_MS]) {
        kit.clock.setWall(byMs);
        expect([await wait(), await wait(THREAD_KEY)]).toEqual([30_000, 0]);
      }
      await kit.clock.advance(10_000);
      expect(await wait()).toBe(20_000);
    });

    test.withGateway("a reboot with a clock that was set back delays nothing for long", async (kit, gateway) => {
      await kit.store.outbox.enqueue([entry("one"), entry("two", THREAD)]);
      const { id } = await kit.begin(gateway, HOME_KEY, PIECES);
      const dueAt = kit.clock.now() + 30_000;
      await kit.store.outbox.settleSend(id, { kind: "again", dueAt, error: UNREACHABLE });
      kit.clock.setWall(-48 * HOUR_MS);
      await kit.reboot();
      for (const key of [HOME_KEY, THREAD_KEY]) {
        expect((await kit.head(key)).dueAt - kit.clock.now()).toBeLessThanOrEqual(30_000);
      }
    });

    test("only who has the account sends, and one row once", async (kit) => {
      const [gateway, standby] = [await kit.gateway(), kit.process("gateway")];
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await kit.head();
      expect(await kit.store.outbox.beginSend(id, standby, PIECES)).toBeNull();
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).toMatchObject({ id, attempts: 1 });
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).toBeNull();
      await kit.clock.advance(LEASE_MS);
      await kit.store.outbox.enqueue([entry("two", THREAD)]);
      expect(await kit.store.outbox.beginSend((await kit.head(THREAD_KEY)).id, gateway, PIECES)).toBeNull();
    });

    test("the next gateway sees a send that a crash cut off, and records what it finds", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two")]);
      await kit.store.outbox.beginSend((await kit.head()).id, gateway, PIECES);
      await kit.restart();
      const [lane = THREAD_KEY] = await kit.store.outbox.openLanes("pager", undefined);
      const cut = await kit.store.outbox.head(lane);
      expect(cut).toMatchObject({ state: "sending", message: { markdown: "one" } });
      if (!cut) throw new Error("the row is gone");
      const receipt = { messageId: "77", link: "https://pager/77", sentAt: 5 };
      const sent = await kit.store.outbox.settleSend(cut.id, { kind: "sent", receipt });
      expect(sent).toMatchObject({ state: "sent", receipt });
      expect((await kit.head()).message.markdown).toBe("two");
    });

    test("a message may still go out until the process that sends it is known dead", async (kit) => {
      const gateway = await kit.gateway();
      const [entered] = await kit.store.outbox.enqueue([entry("one")]);
      expect(entered).toMatchObject({ state: "queued", mayStillGoOut: false });
      const { id } = await kit.head();
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).toMatchObject({ mayStillGoOut: true });
      // It was stopped, and lost the account; what it had begun goes out when it goes on.
      await kit.clock.advance(LEASE_MS);
      const next = await kit.gateway();
      const other = await kit.second();
      expect(await other.outbox.head(HOME_KEY)).toMatchObject({ state: "sending", mayStillGoOut: true });
      kit.kill(gateway);
      expect(await other.outbox.head(HOME_KEY)).toMatchObject({ state: "sending", mayStillGoOut: false });
      await other.outbox.settleSend(id, { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE });
      expect(await kit.head()).toMatchObject({ state: "queued", mayStillGoOut: false });
      // Whoever sends it now is asked about, and nobody who sent it before.
      expect(await kit.store.outbox.beginSend(id, next, PIECES)).toMatchObject({ mayStillGoOut: true });
      const uncertain = { kind: "uncertain", error: UNCERTAIN } as const;
      expect(await kit.store.outbox.settleSend(id, uncertain)).toMatchObject({ mayStillGoOut: false });
      const receipt = { messageId: "1", sentAt: 0 };
      expect(await kit.store.outbox.settleSend(id, { kind: "sent", receipt })).toMatchObject({ state: "sent" });
    });

    test("a message that arrived is sent, whatever a stopped process says of it", async (kit) => {
      const stopped = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await kit.begin(stopped, HOME_KEY, PIECES);
      await kit.clock.advance(LEASE_MS);
      const next = await kit.gateway();
      const { outbox, deliveries } = await kit.second();
      await outbox.settleSend(id, { kind: "uncertain", error: UNCERTAIN });
      await deliveries.retry(id);
      await outbox.beginSend(id, next, PIECES);
      // The stopped one goes on while the next one waits for the platform's receipt.
      await kit.store.outbox.settleSend(id, { kind: "failed", error: UNREACHABLE });
      const receipt = { messageId: "1", sentAt: 0 };
      expect(await outbox.settleSend(id, { kind: "sent", receipt })).toMatchObject({ state: "sent", error: null });
      expect(await deliveries.list({ limit: 9, waiting: true })).toEqual([]);
    });

    for (const kind of ["again", "failed", "uncertain", "dropped"] as const) {
      test(`a late result of a former call leaves a row to its present sender (${kind})`, async (kit) => {
        const stopped = await kit.gateway();
        await kit.store.outbox.enqueue([entry("one")]);
        const { id } = await kit.head();
        const former = await kit.store.outbox.beginSend(id, stopped, PIECES);
        expect(former).toMatchObject({ sender: stopped.id, attempts: 1 });
        await kit.clock.advance(LEASE_MS);
        const next = await kit.gateway();
        const { outbox, deliveries } = await kit.second();
        await outbox.settleSend(id, { kind: "uncertain", error: UNCERTAIN }, former ?? undefined);
        await deliveries.retry(id);
        const now = await outbox.beginSend(id, next, PIECES);
        // Attempts are counted anew: the number alone does not tell the calls apart.
        expect(now).toMatchObject({ sender: next.id, attempts: 1 });
        const late = { kind, dueAt: kit.clock.now(), error: UNREACHABLE };
        expect(await kit.store.outbox.settleSend(id, late, former ?? undefined)).toMatchObject({ state: "sending" });
        const again = { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE } as const;
        expect(await outbox.settleSend(id, again, now ?? undefined)).toMatchObject({ state: "queued" });
        await outbox.beginSend(id, next, PIECES);
        // Nor does the process: it is the second call of this one.
        expect(await outbox.settleSend(id, late, now ?? undefined)).toMatchObject({ state: "sending", attempts: 2 });
        const receipt = { messageId: "1", sentAt: 0 };
        expect(await kit.store.outbox.settleSend(id, { kind: "sent", receipt }, former ?? undefined)).toMatchObject({
          state: "sent",
        });
      });
    }

    test("a row that was begun and not sent is given back by whoever began it alone", async (kit) => {
      const [gateway, other] = [await kit.gateway(), kit.process("gateway")];
      const { outbox, deliveries } = kit.store;
      await outbox.enqueue([entry("one"), entry("two")]);
      const { id } = await kit.head();
      await outbox.giveBack(id, gateway);
      expect(await kit.head()).toMatchObject({ state: "queued", sender: null });
      await outbox.beginSend(id, gateway, PIECES);
      await outbox.giveBack(id, other);
      expect(await kit.head()).toMatchObject({ id, state: "sending" });
      await outbox.giveBack(id, gateway);
      expect(await kit.head()).toMatchObject({ id, state: "queued", piece: PIECES[0] });
      // Another process took it for one that may have gone out.
      await outbox.beginSend(id, gateway, PIECES);
      await outbox.settleSend(id, { kind: "uncertain", error: UNCERTAIN });
      await outbox.giveBack(id, gateway);
      expect(await kit.head()).toMatchObject({ id, state: "queued" });
      // What was offered, and begun by another process, is that one's.
      await outbox.beginSend(id, gateway, PIECES);
      await outbox.settleSend(id, { kind: "uncertain", error: UNCERTAIN });
      await deliveries.retry(id);
      await kit.clock.advance(LEASE_MS);
      await kit.store.leases.acquire("account:pager:", other, LEASE_MS);
      await kit.drain(HOME_KEY, other);
      await outbox.giveBack(id, gateway);
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test("what is withheld from others is kept like a refusal, however often it was tried", async (kit) => {
      const gateway = await kit.gateway();
      const { outbox, deliveries } = kit.store;
      await outbox.enqueue([entry("one")]);
      const { id } = await kit.begin(gateway, HOME_KEY, PIECES);
      await outbox.settleSend(id, { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE });
      const error = { code: "CHAT_NOT_PRIVATE", text: "others are there" } as const;
      expect(await outbox.settleSend(id, { kind: "withheld", error })).toMatchObject({ state: "failed", error });
      expect(await deliveries.list({ limit: 9 })).toMatchObject([{ id, state: "failed", error }]);
    });

    test("what may have arrived stays uncertain when it is withheld, or dropped and kept", async (kit) => {
      const gateway = await kit.gateway();
      const { outbox, deliveries } = kit.store;
      const { id: sessionId } = await kit.session();
      await outbox.enqueue([{ ...entry("one"), sessionId }]);
      const { id } = await kit.begin(gateway, HOME_KEY, PIECES);
      await outbox.settleSend(id, { kind: "again", dueAt: kit.clock.now(), error: UNCERTAIN });
      const withheld = { code: "CHAT_NOT_PRIVATE", text: "others are there" } as const;
      const isUncertain = { id, state: "uncertain", error: { code: "PLATFORM_UNCERTAIN", text: "others are there" } };
      expect(await outbox.settleSend(id, { kind: "withheld", error: withheld })).toMatchObject(isUncertain);
      expect(await deliveries.list({ limit: 9 })).toMatchObject([{ ...isUncertain, isHeldBack: false }]);
      expect(await kit.store.transcripts.read(sessionId)).toEqual([]);
      await deliveries.retry(id);
      await kit.store.sessions.delete(sessionId);
      const dropped = { code: "SESSION_NOT_THEIRS", text: "others are there" } as const;
      expect(await outbox.settleSend(id, { kind: "dropped", error: dropped })).toMatchObject(isUncertain);
      expect(await deliveries.untold(9)).toMatchObject([{ ...isUncertain, isHeldBack: true }]);
    });

    test("a message that another machine sends may still go out", async (kit) => {
      const far = kit.process("gateway", "elsewhere");
      await kit.store.leases.acquire("account:pager:", far, LEASE_MS);
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await kit.head();
      expect(await kit.store.outbox.beginSend(id, far, PIECES)).toMatchObject({ mayStillGoOut: true });
    });

    test("what is settled stays settled", async (kit) => {
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await kit.head();
      await kit.store.outbox.settleSend(id, { kind: "failed", error: UNREACHABLE });
      const receipt = { messageId: "1", sentAt: 0 };
      const again = await kit.store.outbox.settleSend(id, { kind: "sent", receipt });
      expect(again).toMatchObject({ state: "failed", receipt: null });
    });

    test("waiting and failed messages are counted", async (kit) => {
      await kit.store.outbox.enqueue([entry("a"), entry("b"), entry("c", THREAD)]);
      await kit.store.outbox.settleSend((await kit.head()).id, { kind: "failed", error: UNREACHABLE });
      expect(await kit.store.outbox.counts("pager", undefined)).toEqual({ waiting: 2, failed: 1 });
      expect(await kit.store.outbox.counts("beacon", undefined)).toEqual({ waiting: 0, failed: 0 });
    });

    test.withGateway("a long answer in fifty pieces goes out whole and in order", async (kit, gateway) => {
      const [first, ...others] = Array.from({ length: 50 }, (_, i) => ({ text: `${i} ${"x".repeat(5000)}` }));
      const pieces = [first ?? { text: "" }, ...others] as const;
      await kit.store.outbox.enqueue([entry(pieces.map(({ text }) => text).join(""))]);
      expect(await kit.drain(HOME_KEY, gateway, pieces)).toEqual(pieces.map(({ text }) => text));
    });
  });
}
