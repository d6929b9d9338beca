import type { Conversation } from "@hermes/core";
import { buildSessionKey } from "@hermes/core";
import type { Draft, OutboxRow } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { entry, HOME, HOME_KEY, handoffTurn, type Kit, LEASE_MS, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

const UNREACHABLE = { code: "PLATFORM_UNAVAILABLE", text: "it is down" } as const;
const UNCERTAIN = { code: "PLATFORM_UNCERTAIN", text: "the line broke" } as const;

const REFUSED = { code: "PLATFORM_FORBIDDEN", text: "the bot was blocked" } as const;

const PIECES = [{ text: "a piece" }] as const;

const HOUR_MS = 3_600_000;

/** Queues a streamed answer at a place, with the draft's message id there, or null if that is not known. */
async function grownAnswer(
  kit: Kit,
  conversation: Conversation,
  messageId: string | null,
  meanwhile?: (draft: Draft) => Promise<void>,
) {
  const key = buildSessionKey(conversation);
  const { id } = await kit.session();
  const { turn, fence } = await kit.granted(id, { surface: key });
  const draft = { sendKey: `draft:${turn.id}`, turnId: turn.id, key, conversation, messageId };
  await kit.store.outbox.saveDraft(draft);
  await meanwhile?.(draft);
  const outbox = [entry("answer", conversation)];
  await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox });
  return { turn, row: await head(kit, key) };
}

async function head(kit: Kit, key = HOME_KEY): Promise<OutboxRow> {
  const row = await kit.store.outbox.head(key);
  if (!row) throw new Error("the lane is empty");
  return row;
}

export function describeOutbox(test: StoreTest): void {
  describe("outbox", () => {
    test("what is said at a place goes out in order, a row a piece, also after a restart", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two"), entry("three")]);
      const first = await head(kit);
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
      const dropped = await outbox.settleSend((await head(kit)).id, { kind: "dropped", error });
      expect(dropped).toMatchObject({ state: "cancelled", error });
      expect(await deliveries.list({ waiting: true, limit: 9 })).toHaveLength(1);
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["theirs"]);
    });

    test("a lane tells which row is behind its head, while that is being sent", async (kit) => {
      const gateway = await kit.gateway();
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
      const { id } = await head(kit);
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).not.toBeNull();
      const dueAt = kit.clock.now() + 30_000;
      const later = await kit.store.outbox.settleSend(id, { kind: "again", dueAt, error: UNREACHABLE });
      expect(later).toMatchObject({ state: "queued", dueAt, error: UNREACHABLE, attempts: 1 });
      expect(await texts()).toEqual(["a", "c"]);
    });

    test("a clock that is set neither delays nor hastens what is to be sent later", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two", THREAD)]);
      const { id } = await head(kit);
      await kit.store.outbox.beginSend(id, gateway, PIECES);
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

    test("a reboot with a clock that was set back delays nothing for long", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two", THREAD)]);
      const { id } = await head(kit);
      await kit.store.outbox.beginSend(id, gateway, PIECES);
      const dueAt = kit.clock.now() + 30_000;
      await kit.store.outbox.settleSend(id, { kind: "again", dueAt, error: UNREACHABLE });
      kit.clock.setWall(-48 * HOUR_MS);
      await kit.reboot();
      for (const key of [HOME_KEY, THREAD_KEY]) {
        expect((await head(kit, key)).dueAt - kit.clock.now()).toBeLessThanOrEqual(30_000);
      }
    });

    test("only who has the account sends, and one row once", async (kit) => {
      const [gateway, standby] = [await kit.gateway(), kit.process("gateway")];
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await head(kit);
      expect(await kit.store.outbox.beginSend(id, standby, PIECES)).toBeNull();
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).toMatchObject({ id, attempts: 1 });
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).toBeNull();
      await kit.clock.advance(LEASE_MS);
      await kit.store.outbox.enqueue([entry("two", THREAD)]);
      expect(await kit.store.outbox.beginSend((await head(kit, THREAD_KEY)).id, gateway, PIECES)).toBeNull();
    });

    test("the next gateway sees a send that a crash cut off, and records what it finds", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two")]);
      await kit.store.outbox.beginSend((await head(kit)).id, gateway, PIECES);
      await kit.restart();
      const [lane = THREAD_KEY] = await kit.store.outbox.openLanes("pager", undefined);
      const cut = await kit.store.outbox.head(lane);
      expect(cut).toMatchObject({ state: "sending", message: { markdown: "one" } });
      if (!cut) throw new Error("the row is gone");
      const receipt = { messageId: "77", link: "https://pager/77", sentAt: 5 };
      const sent = await kit.store.outbox.settleSend(cut.id, { kind: "sent", receipt });
      expect(sent).toMatchObject({ state: "sent", receipt });
      expect((await head(kit)).message.markdown).toBe("two");
    });

    test("a message may still go out until the process that sends it is known dead", async (kit) => {
      const gateway = await kit.gateway();
      const [entered] = await kit.store.outbox.enqueue([entry("one")]);
      expect(entered).toMatchObject({ state: "queued", mayStillGoOut: false });
      const { id } = await head(kit);
      expect(await kit.store.outbox.beginSend(id, gateway, PIECES)).toMatchObject({ mayStillGoOut: true });
      // It was stopped, and lost the account; what it had begun goes out when it goes on.
      await kit.clock.advance(LEASE_MS);
      const next = await kit.gateway();
      const other = await kit.second();
      expect(await other.outbox.head(HOME_KEY)).toMatchObject({ state: "sending", mayStillGoOut: true });
      kit.kill(gateway);
      expect(await other.outbox.head(HOME_KEY)).toMatchObject({ state: "sending", mayStillGoOut: false });
      await other.outbox.settleSend(id, { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE });
      expect(await head(kit)).toMatchObject({ state: "queued", mayStillGoOut: false });
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
      const { id } = await head(kit);
      await kit.store.outbox.beginSend(id, stopped, PIECES);
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
        const { id } = await head(kit);
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
      const { id } = await head(kit);
      await outbox.giveBack(id, gateway);
      expect(await head(kit)).toMatchObject({ state: "queued", sender: null });
      await outbox.beginSend(id, gateway, PIECES);
      await outbox.giveBack(id, other);
      expect(await head(kit)).toMatchObject({ id, state: "sending" });
      await outbox.giveBack(id, gateway);
      expect(await head(kit)).toMatchObject({ id, state: "queued", piece: PIECES[0] });
      // Another process took it for one that may have gone out.
      await outbox.beginSend(id, gateway, PIECES);
      await outbox.settleSend(id, { kind: "uncertain", error: UNCERTAIN });
      await outbox.giveBack(id, gateway);
      expect(await head(kit)).toMatchObject({ id, state: "queued" });
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
      const { id } = await head(kit);
      await outbox.beginSend(id, gateway, PIECES);
      await outbox.settleSend(id, { kind: "again", dueAt: kit.clock.now(), error: UNREACHABLE });
      const error = { code: "CHAT_NOT_PRIVATE", text: "others are there" } as const;
      expect(await outbox.settleSend(id, { kind: "withheld", error })).toMatchObject({ state: "failed", error });
      expect(await deliveries.list({ limit: 9 })).toMatchObject([{ id, state: "failed", error }]);
    });

    test("a message that another machine sends may still go out", async (kit) => {
      const far = kit.process("gateway", "elsewhere");
      await kit.store.leases.acquire("account:pager:", far, LEASE_MS);
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await head(kit);
      expect(await kit.store.outbox.beginSend(id, far, PIECES)).toMatchObject({ mayStillGoOut: true });
    });

    test("an answer that leaves the message it grew in becomes a message of its own", async (kit) => {
      const gateway = await kit.gateway();
      const { turn, row } = await grownAnswer(kit, HOME, "d");
      const rowId = row.id;
      expect(row.draftMessageId).toBe("d");
      await kit.store.outbox.beginSend(rowId, gateway, PIECES);
      expect(await kit.store.outbox.leaveDraft(rowId)).toMatchObject({ state: "sending", draftMessageId: null });
      expect(await kit.store.outbox.draft(`draft:${turn.id}`)).toBeNull();
      await kit.restart();
      expect(await head(kit)).toMatchObject({ id: rowId, state: "sending", draftMessageId: null });
    });

    test("an answer that grows in a message that is refused late becomes a new message", async (kit) => {
      const refuse = (at?: Conversation) => kit.store.outbox.settleLate("pager", undefined, "d", REFUSED, at);
      const { row } = await grownAnswer(kit, HOME, "d");
      await refuse({ ...HOME, chatId: "another" });
      expect(await head(kit)).toMatchObject({ id: row.id, draftMessageId: "d" });
      await refuse(HOME);
      expect(await head(kit)).toMatchObject({ id: row.id, draftMessageId: null, draftKey: null });
      const during = await grownAnswer(kit, THREAD, "d", async (draft) => {
        await refuse();
        // Whoever writes it notes the message once more at the end.
        await kit.store.outbox.saveDraft(draft);
      });
      expect(during.row).toMatchObject({ draftMessageId: null, draftKey: null });
    });

    test("one row of an answer takes over its streamed message when that is found late", async (kit) => {
      const gateway = await kit.gateway();
      const { turn, row } = await grownAnswer(kit, HOME, null);
      const rowId = row.id;
      expect(row.draftMessageId).toBeNull();
      await kit.store.outbox.beginSend(rowId, gateway, [...PIECES, ...PIECES]);
      expect(await kit.store.outbox.takeDraft(rowId, "d")).toMatchObject({ state: "sending", draftMessageId: "d" });
      await kit.restart();
      expect(await head(kit)).toMatchObject({ id: rowId, draftMessageId: "d" });
      expect(await kit.store.outbox.draft(`draft:${turn.id}`)).toMatchObject({ messageId: "d" });
      await kit.store.outbox.settleSend(rowId, { kind: "sent", receipt: { messageId: "d", sentAt: 0 } });
      expect(await head(kit)).toMatchObject({ turnId: turn.id, draftMessageId: null });
    });

    test("what is settled stays settled", async (kit) => {
      await kit.store.outbox.enqueue([entry("one")]);
      const { id } = await head(kit);
      await kit.store.outbox.settleSend(id, { kind: "failed", error: UNREACHABLE });
      const receipt = { messageId: "1", sentAt: 0 };
      const again = await kit.store.outbox.settleSend(id, { kind: "sent", receipt });
      expect(again).toMatchObject({ state: "failed", receipt: null });
    });

    test("the platform's late word finds its message", async (kit) => {
      const gateway = await kit.gateway();
      await kit.store.outbox.enqueue([entry("one"), entry("two")]);
      const first = await head(kit);
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
      const rows = [await head(kit), await head(kit, buildSessionKey(street))];
      for (const { id } of rows) {
        await kit.store.outbox.beginSend(id, gateway, PIECES);
        await kit.store.outbox.settleSend(id, { kind: "sent", receipt: { messageId: "7", sentAt: 0 } });
      }
      const late = async (at: Conversation) =>
        (await kit.store.outbox.settleLate("pager", undefined, "7", null, at))?.id;
      expect([await late(THREAD), await late(street)]).toEqual(rows.map(({ id }) => id));
    });

    test("a refusal that no handoff waits for is told in the session, once for all pieces", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      await kit.store.outbox.enqueue([{ ...entry("answer"), sessionId: id }]);
      const { id: first } = await head(kit);
      await kit.store.outbox.beginSend(first, gateway, [{ text: "1" }, { text: "2" }]);
      await kit.store.outbox.settleSend(first, { kind: "failed", error: REFUSED });
      await kit.store.outbox.settleSend((await head(kit)).id, { kind: "failed", error: REFUSED });
      const told = await kit.store.transcripts.read(id);
      expect(told.map(({ role, internal }) => [role, internal])).toEqual([["assistant", true]]);
      expect(told[0]?.text).toContain(REFUSED.text);
    });

    test("a late refusal that no handoff waits for is told in the session, once", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      await kit.store.outbox.enqueue([{ ...entry("answer"), sessionId: id }]);
      const { id: rowId } = await head(kit);
      await kit.drain(HOME_KEY, gateway);
      const refuse = () => kit.store.outbox.settleLate("pager", undefined, `sent-${rowId}`, UNREACHABLE);
      await refuse();
      await refuse();
      const told = await kit.store.transcripts.read(id);
      expect(told.map(({ role, internal }) => [role, internal])).toEqual([["assistant", true]]);
      expect(told[0]?.text).toContain(UNREACHABLE.text);
    });

    test("waiting and failed messages are counted", async (kit) => {
      await kit.store.outbox.enqueue([entry("a"), entry("b"), entry("c", THREAD)]);
      await kit.store.outbox.settleSend((await head(kit)).id, { kind: "failed", error: UNREACHABLE });
      expect(await kit.store.outbox.counts("pager", undefined)).toEqual({ waiting: 2, failed: 1 });
      expect(await kit.store.outbox.counts("beacon", undefined)).toEqual({ waiting: 0, failed: 0 });
    });

    test("a long answer in fifty pieces goes out whole and in order", async (kit) => {
      const gateway = await kit.gateway();
      const [first, ...others] = Array.from({ length: 50 }, (_, i) => ({ text: `${i} ${"x".repeat(5000)}` }));
      const pieces = [first ?? { text: "" }, ...others] as const;
      await kit.store.outbox.enqueue([entry(pieces.map(({ text }) => text).join(""))]);
      expect(await kit.drain(HOME_KEY, gateway, pieces)).toEqual(pieces.map(({ text }) => text));
    });
  });

  describe("a thread that is gone", () => {
    test("a thread that is gone moves its binding and unsent rows behind another place's", async (kit) => {
      const gateway = await kit.gateway();
      const former = await kit.session();
      const { id } = await kit.session();
      await kit.store.bindings.bind({ key: HOME_KEY, conversation: HOME, sessionId: former.id, mirrors: false });
      await kit.store.bindings.bind({ key: THREAD_KEY, conversation: THREAD, sessionId: id, mirrors: false });
      const { turn, fence } = await kit.granted(id, { surface: THREAD_KEY });
      await kit.store.outbox.saveDraft({
        ...{ sendKey: `draft:${turn.id}`, turnId: turn.id },
        ...{ key: THREAD_KEY, conversation: THREAD, messageId: "d" },
      });
      const outbox = [entry("first", THREAD), entry("second", THREAD)];
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox });
      await kit.store.outbox.enqueue([entry("here before")]);
      const first = await head(kit, THREAD_KEY);
      await kit.store.outbox.beginSend(first.id, gateway, [{ text: "first a" }, { text: "first b" }]);
      await kit.store.outbox.settleSend(first.id, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });

      const notice = { sessionId: id, message: { kind: "notice", markdown: "it is gone" } } as const;
      await kit.store.outbox.moveLane(THREAD_KEY, { key: HOME_KEY, conversation: HOME }, notice);
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      expect(await kit.store.bindings.get(THREAD_KEY)).toBeNull();
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({
        sessionId: id,
        previousSessionId: former.id,
        conversation: HOME,
      });
      await kit.store.outbox.enqueue([entry("after")]);
      expect((await head(kit)).conversation).toEqual(HOME);
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["here before", "it is gone", "first b", "second", "after"]);
    });

    test("after a thread is deleted, a pending edit becomes a new message", async (kit) => {
      const { row } = await grownAnswer(kit, THREAD, "d");
      expect(row.draftMessageId).toBe("d");
      await kit.store.outbox.moveLane(THREAD_KEY, { key: HOME_KEY, conversation: HOME });
      expect((await head(kit)).draftMessageId).toBeNull();
    });

    test("a failed handoff also restores the binding of the chat it had moved to", async (kit) => {
      const former = await kit.session();
      await kit.store.bindings.bind({ key: HOME_KEY, conversation: HOME, sessionId: former.id, mirrors: false });
      const { gateway, handoff } = await kit.boundHandoff();
      await kit.store.outbox.moveLane(THREAD_KEY, { key: HOME_KEY, conversation: HOME });
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ conversation: HOME });
      const error = { code: "HANDOFF_SEND_FAILED", text: "refused" } as const;
      expect(await kit.store.handoffs.compensateHandoff(handoff, gateway, error)).toBe(true);
      expect(await kit.store.bindings.get(HOME_KEY)).toMatchObject({ sessionId: former.id });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });
  });

  describe("a thread that goes away while a turn runs", () => {
    test("the answer of a turn follows its deleted thread's lane, and is sent once", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      await kit.store.bindings.bind({ key: THREAD_KEY, conversation: THREAD, sessionId: id, mirrors: true });
      const row = await kit.accepted("a question", THREAD);
      const cause = { kind: "inbox", inboxId: row.id } as const;
      const { turn, fence } = await kit.granted(id, { holder: gateway, cause, surface: THREAD_KEY });
      await kit.store.outbox.moveLane(THREAD_KEY, { key: HOME_KEY, conversation: HOME });
      await kit.store.turns.finishTurn({
        turnId: turn.id,
        fence,
        state: "done",
        messages: [{ role: "assistant", text: "an answer" }],
        // Composed for the place of the request, and echoed to the place that is bound by now.
        outbox: [entry("an answer", THREAD), entry("an echo", HOME)],
      });
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
      expect(await head(kit)).toMatchObject({ conversation: HOME });
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["an answer"]);
    });

    for (const when of ["before", "after"]) {
      test(`a handoff's answer follows a thread deleted ${when} its turn was granted`, async (kit) => {
        const gateway = await kit.gateway();
        const { id } = await kit.session();
        const handoff = await kit.bound(id, gateway);
        const move = () => kit.store.outbox.moveLane(THREAD_KEY, { key: HOME_KEY, conversation: HOME });
        if (when === "before") await move();
        const { turn, fence } = await kit.granted(id, handoffTurn(handoff, gateway));
        if (when === "after") await move();
        await kit.store.turns.finishTurn({
          turnId: turn.id,
          fence,
          state: "done",
          messages: [{ role: "assistant", text: "an answer" }],
          outbox: [{ ...entry("an answer", THREAD), handoffId: handoff }],
        });
        expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
        expect(await kit.drain(HOME_KEY, gateway)).toEqual(["notice", "an answer"]);
        expect(await kit.store.handoffs.get(handoff)).toMatchObject({
          step: "delivered",
          conversation: HOME,
          link: null,
        });
      });
    }
  });

  describe("a handoff's messages", () => {
    test("a handoff is delivered when its last row is out; an uncertain row adds a warning", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      const handoff = await kit.bound(id, gateway);
      const notice = await head(kit, THREAD_KEY);
      await kit.store.outbox.beginSend(notice.id, gateway, PIECES);
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

    test("leave it undelivered when one was refused", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      const handoff = await kit.bound(id, gateway);
      expect(await kit.store.outbox.refusalOf(handoff)).toBeNull();
      await kit.store.outbox.settleSend((await head(kit, THREAD_KEY)).id, { kind: "failed", error: UNREACHABLE });
      expect(await kit.store.outbox.refusalOf(handoff)).toEqual(UNREACHABLE);
      await kit.answeredHandoff(id, handoff, gateway);
      await kit.drain(THREAD_KEY, gateway);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "answered" });
    });
  });
}
