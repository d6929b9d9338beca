import { buildSessionKey } from "@hermes/core";
import { type ApprovalId, closedQuestion } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, HOME, HOME_KEY, type Kit, MOVED, type StoreTest, THREAD_KEY } from "./kit.ts";
import { asks, calls, decide, deliverer, place, queued, texts, turnOf, waiting } from "./waiting.ts";

const REMINDER = { ...AT_HOME, message: { kind: "notice", markdown: "It waits." } } as const;

const THERE = place("200");

const closed = async (kit: Kit, id: ApprovalId) => {
  const approval = await kit.store.approvals.get(id);
  if (approval === null) throw new Error("the approval is gone");
  return closedQuestion(approval).markdown;
};

export function describeShownQuestions(test: StoreTest): void {
  describe("questions where they are shown", () => {
    test("a question is the last thing said there until something but a notice is", async (kit) => {
      await waiting(kit);
      const isLatest = async () => (await kit.store.approvals.shownAt(HOME_KEY)).map((shown) => shown.isLatest);
      const say = async (kind: "notice" | "answer") => {
        await kit.store.outbox.enqueue([{ ...AT_HOME, message: { kind, markdown: "So it is." } }]);
        await queued(kit);
      };
      await queued(kit);
      expect(await isLatest()).toEqual([true]);
      await say("notice");
      expect(await isLatest()).toEqual([true]);
      await say("answer");
      expect(await isLatest()).toEqual([false]);
    });

    test("words that come too late to refuse anything are still to be answered", async (kit) => {
      const { one, turnId } = await waiting(kit, { approvals: [asks("1.1")] });
      await decide(kit, one);
      const { id: inboxId } = await kit.accepted("rather not");
      const message = { role: "user", text: "rather not" } as const;
      expect(await decide(kit, one, { kind: "no" }, { inboxId, message })).toMatchObject({ state: "over" });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: inboxId });
      const { sessionId } = await turnOf(kit, { turnId });
      expect((await kit.store.transcripts.read(sessionId)).map(({ text }) => text)).not.toContain("rather not");
    });

    test("people are reminded of an open question once, whichever process does it", async (kit) => {
      const { one } = await waiting(kit);
      await queued(kit);
      const other = await kit.second();
      const done = [await kit.store.approvals.remind(one.id, REMINDER), await other.approvals.remind(one.id, REMINDER)];
      expect(done).toEqual([true, false]);
      expect(texts(await queued(kit))).toEqual(["It waits."]);
      const { approvals: more } = await waiting(kit, { approvals: [asks("1.1")], shownAt: [] });
      const [over] = more as [(typeof more)[0]];
      await decide(kit, over);
      expect(await kit.store.approvals.remind(over.id, REMINDER)).toBe(false);
    });

    test("the account at whose place a turn waits finds what nobody was reminded of", async (kit) => {
      const { one } = await waiting(kit, { approvals: [asks("1.1")] });
      const at = { platform: HOME.platform, account: undefined };
      const now = kit.clock.now();
      const found = async (where: typeof at, before = now) =>
        (await kit.store.approvals.unreminded(where, before)).map(({ id }) => id);
      expect(await found(at)).toEqual([one.id]);
      expect(await found(at, now - 1)).toEqual([]);
      expect(await found({ ...at, platform: "other" })).toEqual([]);
      await kit.store.approvals.remind(one.id, REMINDER);
      expect(await found(at)).toEqual([]);
      const { approvals: more } = await waiting(kit, { approvals: [asks("1.1")] });
      const [next] = more as [(typeof more)[0]];
      expect(await found(at)).toEqual([next.id]);
      await decide(kit, next);
      expect(await found(at)).toEqual([]);
    });

    test.inSession("every account finds what was asked in the terminal for a reminder", async (kit, id) => {
      const held = await kit.granted(id);
      await calls(kit, held, "1.1");
      const [turnId, fence] = [held.turn.id, held.fence];
      const park = { turnId, fence, reason: "approval", approvals: [asks("1.1")], shownAt: [], outbox: [] } as const;
      await kit.store.turns.parkTurn(park);
      const found = await kit.store.approvals.unreminded({ platform: "any", account: undefined }, kit.clock.now());
      expect(found).toMatchObject([{ turnId }]);
    });

    test("a turn that can go on is listed with the place where it was decided", async (kit) => {
      const { id, one } = await waiting(kit);
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: id, mirrors: false });
      await decide(kit, one, { kind: "once" }, { surface: THREAD_KEY });
      const at = { platform: HOME.platform, account: undefined };
      expect(await kit.store.turns.resumable(at)).toMatchObject([{ surface: THREAD_KEY }]);
    });
  });

  describe("the questions of approvals", () => {
    test("a question stands at each place, behind what was said", async (kit) => {
      const { one, turnId, id } = await waiting(kit, {
        shownAt: [AT_HOME, THERE],
        outbox: [{ ...AT_HOME, message: { kind: "answer", markdown: "I would run it." } }],
      });
      expect(await kit.store.approvals.shownAt(HOME_KEY)).toMatchObject([
        { approval: { id: one.id }, key: HOME_KEY, shownAt: null },
      ]);
      const rows = await queued(kit);
      expect(texts(rows)).toEqual(["I would run it.", "all of 1.1", "may 1.1 run?"]);
      expect(rows).toMatchObject(rows.map(() => ({ turnId, sessionId: id })));
      expect(texts(await queued(kit, THERE.key))).toEqual(["all of 1.1", "may 1.1 run?"]);
      const [shown] = await kit.store.approvals.shownAt(THERE.key);
      expect(shown).toMatchObject({ approval: { id: one.id }, shownAt: kit.clock.now() });
      expect(await kit.store.approvals.shownAt(THREAD_KEY)).toEqual([]);
    });

    test("a decision closes a question where it was sent, by an edit of its last piece", async (kit) => {
      const { one } = await waiting(kit);
      await kit.drain(HOME_KEY, await deliverer(kit), [{ text: "a piece" }, { text: "with choices" }]);
      const sent = (await kit.store.approvals.shownAt(HOME_KEY))[0];
      expect(sent?.shownAt).toBe(kit.clock.now());
      await decide(kit, one);
      await decide(kit, one);
      const [row, ...others] = await queued(kit);
      expect(others).toEqual([]);
      expect(row?.message).toEqual({ kind: "question", markdown: await closed(kit, one.id) });
      expect(row?.draftMessageId).toMatch(/^sent-/);
      expect(await kit.store.approvals.shownAt(HOME_KEY)).toEqual([]);
    });

    test("a question that waits to be sent gives way to what came of it", async (kit) => {
      const { one } = await waiting(kit);
      await decide(kit, one, { kind: "no", word: "not *now*" });
      const rows = await queued(kit);
      expect(texts(rows)).toEqual([await closed(kit, one.id)]);
      expect(rows[0]).toMatchObject({ draftMessageId: null, message: { kind: "question" } });
      expect(rows[0]?.message.markdown).toContain("not \\*now\\*");
    });

    test("a question of unknown fate is left, and closed when its fate is known", async (kit) => {
      const gateway = await deliverer(kit);
      const { one } = await waiting(kit, { shownAt: [AT_HOME, THERE] });
      const sending = async (key = HOME_KEY) => {
        await kit.store.outbox.settleSend((await kit.begin(gateway, key)).id, sentAs(kit, "above"));
        return kit.begin(gateway, key);
      };
      const [here, there] = [await sending(), await sending(THERE.key)];
      await kit.store.outbox.settleSend(there.id, { kind: "uncertain", error: LOST });
      await decide(kit, one);
      expect(await kit.store.outbox.head(HOME_KEY)).toMatchObject({ id: here.id, state: "sending" });
      await kit.store.outbox.settleSend(here.id, sentAs(kit, "late"));
      expect(await kit.store.outbox.head(HOME_KEY)).toMatchObject({ draftMessageId: "late" });
      expect(await kit.store.outbox.head(THERE.key)).toBeNull();
      const notice = { kind: "notice", markdown: "Before:" } as const;
      expect(await kit.store.deliveries.offer(THERE, { failed: notice, uncertain: notice }, 5)).toEqual([]);
    });

    test("a question that could not be sent yet is not sent once it is over", async (kit) => {
      const gateway = await deliverer(kit);
      const { one } = await waiting(kit);
      await kit.store.outbox.settleSend((await kit.begin(gateway)).id, sentAs(kit, "above"));
      const row = await kit.begin(gateway);
      await decide(kit, one);
      await kit.store.outbox.settleSend(row.id, { kind: "again", dueAt: kit.clock.now(), error: LOST });
      expect(texts(await queued(kit))).toEqual([await closed(kit, one.id)]);
    });

    test("an edit that closes a question and is refused is dropped", async (kit) => {
      const gateway = await deliverer(kit);
      const { id, approvals } = await waiting(kit);
      await queued(kit);
      for (const approval of approvals) await decide(kit, approval);
      const row = await kit.begin(gateway);
      expect(row.draftMessageId).not.toBeNull();
      const before = await kit.texts(id);
      expect(await kit.store.outbox.settleSend(row.id, { kind: "failed", error: LOST })).toMatchObject({
        state: "cancelled",
      });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      expect(await kit.store.deliveries.list({ limit: 5 })).toEqual([]);
      expect(await kit.texts(id)).toEqual(before);
    });

    test("a session that is opened at another place is asked about there, once", async (kit) => {
      const { id, approvals } = await waiting(kit);
      for (let i = 0; i < 2; i++) {
        await kit.store.bindings.bind({ ...THERE, sessionId: id, mirrors: false });
        await kit.store.approvals.showAt(id, THERE);
        await kit.store.approvals.showAt(id, AT_THREAD);
      }
      expect(texts(await queued(kit, THERE.key))).toEqual(["all of 1.1", "may 1.1 run?"]);
      expect(texts(await queued(kit, THREAD_KEY))).toEqual(["all of 1.1", "may 1.1 run?"]);
      for (const approval of approvals) await decide(kit, approval);
      await kit.store.approvals.showAt(id, place("300"));
      expect(await kit.store.outbox.head(place("300").key)).toBeNull();
      // Decided at one place, closed at all.
      for (const key of [THERE.key, THREAD_KEY]) expect(await queued(kit, key)).toHaveLength(1);
    });

    test("what left a thread that is gone is asked anew, whole, at the other place", async (kit) => {
      const { id, turnId, approvals } = await waiting(kit);
      const gateway = await deliverer(kit);
      await kit.store.outbox.settleSend((await kit.begin(gateway)).id, sentAs(kit, "above"));
      await kit.store.outbox.moveLane(HOME_KEY, THERE, {
        sessionId: id,
        message: { kind: "notice", markdown: "moved" },
      });
      expect(texts(await queued(kit, THERE.key))).toEqual(["moved", "all of 1.1", "may 1.1 run?"]);
      expect(await kit.store.turns.get(turnId)).toMatchObject({ state: "waiting", surface: THERE.key });
      for (const approval of approvals) await decide(kit, approval, { kind: "once" }, { surface: THERE.key });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      expect(await queued(kit, THERE.key)).toMatchObject([{ draftMessageId: expect.stringMatching(/^sent-/) }]);
    });

    test("a thread that is renamed goes on showing its questions, and asks none anew", async (kit) => {
      const { turnId, approvals } = await waiting(kit);
      const thread = (threadId: string) => {
        const conversation = { ...HOME, threadId };
        return { key: buildSessionKey(conversation), conversation };
      };
      const [former, now] = [thread("plan"), thread("our plan")];
      await kit.store.outbox.moveLane(HOME_KEY, former);
      const asked = await queued(kit, former.key);
      await kit.store.bindings.moveChat(former, now, MOVED);
      expect(await queued(kit, now.key)).toEqual([]);
      expect(await kit.store.turns.get(turnId)).toMatchObject({ surface: now.key });
      for (const approval of approvals) await decide(kit, approval, { kind: "once" }, { surface: now.key });
      expect(await queued(kit, former.key)).toEqual([]);
      expect(await queued(kit, now.key)).toMatchObject([{ draftMessageId: `sent-${asked.at(-1)?.id}` }]);
    });

    test("a chat with a new id takes along its questions and the people who decide", async (kit) => {
      const { turnId, one } = await waiting(kit);
      await queued(kit);
      // The conversation leads to another session by now.
      await kit.store.bindings.bind({ ...AT_HOME, sessionId: (await kit.session()).id, mirrors: false });
      await kit.store.bindings.moveChat(AT_HOME, THERE, MOVED);
      expect(texts(await queued(kit, THERE.key))).toEqual(["all of 1.1", "may 1.1 run?"]);
      const turn = await kit.store.turns.get(turnId);
      expect(turn).toMatchObject({ surface: THERE.key, author: { conversation: THERE.conversation } });
      await decide(kit, one, { kind: "session" });
      expect(await kit.store.approvals.get(one.id)).toMatchObject({ state: "decided" });
      await kit.store.bindings.moveChat({ ...AT_HOME, conversation: HOME }, THERE, MOVED);
    });
  });
}

const LOST = { code: "PLATFORM_UNAVAILABLE", text: "the line broke" } as const;

function sentAs(kit: Kit, messageId: string) {
  return { kind: "sent", receipt: { messageId, sentAt: kit.clock.now() } } as const;
}
