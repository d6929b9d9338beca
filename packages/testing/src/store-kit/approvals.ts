import { buildSessionKey } from "@hermes/core";
import { type ApprovalId, closedQuestion } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, DAY_MS, HOME, HOME_KEY, type Kit, MOVED, type StoreTest, THREAD_KEY } from "./kit.ts";
import { ADA, asks, decide, deliverer, place, queued, resumed, texts, waiting } from "./waiting.ts";

const GRACE = { ...ADA, name: "Grace" };
const THERE = place("200");
const closed = async (kit: Kit, id: ApprovalId) => {
  const approval = await kit.store.approvals.get(id);
  if (approval === null) throw new Error("the approval is gone");
  return closedQuestion(approval).markdown;
};

export function describeApprovals(test: StoreTest): void {
  describe("approvals", () => {
    test("an approval keeps what was asked, and is found by its turn, session and code", async (kit) => {
      const approvals = [
        asks("1.1", { code: "K3mxp", ttlMs: DAY_MS }),
        asks("1.2", { kind: "question", answers: ["a"] }),
      ];
      const { id, turnId } = await waiting(kit, { approvals });
      await kit.restart();
      const [{ ttlMs: _, ...first }, { ttlMs: __, ...second }] = approvals as [
        (typeof approvals)[0],
        (typeof approvals)[0],
      ];
      const open = { turnId, sessionId: id, state: "open", decision: null, decidedBy: null, decidedAt: null } as const;
      const now = kit.clock.now();
      const stored = [
        { ...first, ...open, decidedOn: null, askedAt: now, expiresAt: now + DAY_MS },
        { ...second, ...open, decidedOn: null, askedAt: now, expiresAt: null },
      ];
      const { approvals: store } = kit.store;
      expect(await store.ofTurn(turnId)).toEqual(stored);
      expect(await store.open(id)).toEqual(stored);
      expect(await store.open()).toEqual(stored);
      expect(await store.byCode(" k3MXP")).toEqual(stored[0]);
      expect(await store.byCode("k3mx")).toBeNull();
      expect(await store.get(first.id)).toEqual(stored[0]);
      expect(await store.get("nobody" as ApprovalId)).toBeNull();
    });

    test("the first decision counts, and a later one is told what was decided", async (kit) => {
      const { approvals, turnId } = await waiting(kit, { approvals: [asks("1.1"), asks("1.2")] });
      const [one, two] = approvals as [(typeof approvals)[0], (typeof approvals)[0]];
      const other = await kit.second();
      const [first, second] = await Promise.all([
        decide(kit, one),
        other.approvals.decide({ id: one.id, decision: { kind: "no" }, by: GRACE, surface: "terminal" }),
      ]);
      const approval = {
        decision: { kind: "once" },
        decidedBy: { name: "Ada", author: { senderId: "ada" } },
        decidedOn: HOME_KEY,
        decidedAt: kit.clock.now(),
      };
      expect(first).toMatchObject({ state: "decided", open: 1, approval: { ...approval, state: "decided" } });
      expect(second).toMatchObject({ state: "over", approval });
      expect(await decide(kit, two)).toMatchObject({ state: "decided", open: 0 });
      expect(await kit.store.approvals.open()).toEqual([]);
      expect(await kit.store.approvals.ofTurn(turnId)).toMatchObject([{ state: "decided" }, { state: "decided" }]);
      expect(await decide(kit, { id: "nobody" as ApprovalId })).toEqual({ state: "unknown" });
    });

    test("a turn goes on where it was, when what decided says so", async (kit) => {
      const { one, turnId } = await waiting(kit, { approvals: [asks("1.1")] });
      const decided = { id: one.id, decision: { kind: "once" }, by: GRACE, surface: "terminal" } as const;
      await kit.store.approvals.decide({ ...decided, goesOnWhereItWas: true });
      expect(await kit.store.approvals.get(one.id)).toMatchObject({ decidedOn: "terminal" });
      expect(await kit.store.turns.resumable("terminal")).toEqual([]);
      expect(await kit.store.turns.resumable({ platform: HOME.platform, account: undefined })).toMatchObject([
        { id: turnId, surface: HOME_KEY },
      ]);
    });

    test("the message that decided is done, also when it came too late", async (kit) => {
      const { one } = await waiting(kit);
      for (const state of ["decided", "over"]) {
        const row = await kit.accepted("yes");
        expect(await decide(kit, one, { kind: "once" }, { inboxId: row.id })).toMatchObject({ state });
        expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      }
    });

    test("a message that decides what is gone by now waits to be answered", async (kit) => {
      const { id, one } = await waiting(kit);
      const row = await kit.accepted("yes");
      await kit.store.sessions.delete(id);
      expect(await decide(kit, one, { kind: "once" }, { inboxId: row.id, digest: row.digest })).toEqual({
        state: "unknown",
      });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: row.id, message: { text: "yes" } });
    });

    test("a message that was deleted before it was taken in decides nothing", async (kit) => {
      const { one } = await waiting(kit);
      const { id, message } = await kit.accepted("yes");
      await kit.store.inbox.retract(message.conversation, message.messageId);
      expect(await decide(kit, one, { kind: "once" }, { inboxId: id })).toEqual({ state: "changed" });
      expect(await decide(kit, one)).toMatchObject({ state: "decided" });
    });

    test("a message that was edited since it was read decides nothing, and waits", async (kit) => {
      const { one } = await waiting(kit);
      const { id: inboxId, digest, message } = await kit.accepted("yes");
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, text: "wait", isEdit: true });
      expect(await decide(kit, one, { kind: "once" }, { inboxId, digest })).toEqual({ state: "changed" });
      const words = { role: "user", text: "yes" } as const;
      expect(await decide(kit, one, { kind: "no" }, { inboxId, digest, message: words })).toEqual({ state: "changed" });
      const row = await kit.store.inbox.head(HOME_KEY);
      expect(row).toMatchObject({ id: inboxId, message: { text: "wait" } });
      expect(await decide(kit, one, { kind: "no" }, { inboxId, digest: row?.digest })).toMatchObject({
        state: "decided",
      });
    });

    test("a command decides as it was read, and is done only once it is answered", async (kit) => {
      const { approvals } = await waiting(kit);
      const [one] = approvals as [(typeof approvals)[0]];
      const { id: inboxId, digest, message } = await kit.accepted("/approve");
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, text: "/deny", isEdit: true });
      const isCommand = true;
      expect(await decide(kit, one, { kind: "once" }, { inboxId, digest, isCommand })).toEqual({ state: "changed" });
      const row = await kit.store.inbox.head(HOME_KEY);
      expect(await decide(kit, one, { kind: "no" }, { inboxId, digest: row?.digest, isCommand })).toMatchObject({
        state: "decided",
      });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: inboxId, state: "queued" });
    });

    test("a message instead of an answer refuses all calls and belongs to the turn", async (kit) => {
      const { id, approvals, turnId } = await waiting(kit, { approvals: [asks("1.1"), asks("1.2"), asks("1.3")] });
      const [one, two] = approvals as [(typeof approvals)[0], (typeof approvals)[0]];
      await decide(kit, one);
      const row = await kit.accepted("rather look first");
      const message = { role: "user", text: "rather look first" } as const;
      const decision = { kind: "no", word: "rather look first" } as const;
      expect(await decide(kit, two, decision, { message, inboxId: row.id })).toMatchObject({
        state: "decided",
        open: 0,
      });
      const all = await kit.store.approvals.ofTurn(turnId);
      expect(all.map((approval) => approval.decision?.kind)).toEqual(["once", "no", "no"]);
      expect((await kit.store.transcripts.read(id)).at(-1)).toMatchObject({ ...message, turnId, surface: HOME_KEY });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      expect(await kit.store.approvals.shownAt(HOME_KEY)).toEqual([]);
    });

    test("the store knows who allowed a call for the session", async (kit) => {
      const { id, approvals } = await waiting(kit, { approvals: [asks("1.1"), asks("1.2")] });
      const [one, two] = approvals as [(typeof approvals)[0], (typeof approvals)[0]];
      await decide(kit, one);
      await decide(kit, two, { kind: "session" });
      expect(await kit.store.approvals.allowedInSession(id)).toEqual([{ by: ADA, rules: ["shell(1.2)"] }]);
      expect(await kit.store.approvals.allowedInSession((await kit.session()).id)).toEqual([]);
    });

    test("a code is used once, in any case, and nothing is written when it is taken", async (kit) => {
      await waiting(kit, { approvals: [asks("1.1", { code: "k3mxp" })] });
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      const park = { turnId: turn.id, fence, reason: "approval", shownAt: [THERE], outbox: [] } as const;
      const again = asks("1.1", { code: "K3MXP" });
      expect(await kit.store.turns.parkTurn({ ...park, approvals: [again] })).toBe("taken");
      const twice = [asks("1.1", { code: "aa" }), asks("1.2", { code: "AA" })];
      expect(await kit.store.turns.parkTurn({ ...park, approvals: twice })).toBe("taken");
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ state: "running" });
      expect(await kit.store.outbox.head(THERE.key)).toBeNull();
      expect(await kit.store.turns.parkTurn({ ...park, approvals: [{ ...again, code: "other" }] })).toBe("parked");
    });

    test("approvals go with their turn, 30 days after it ended", async (kit) => {
      const { turnId, approvals } = await waiting(kit);
      await queued(kit);
      await kit.clock.advance(31 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.approvals.shownAt(HOME_KEY)).toHaveLength(1);
      for (const approval of approvals) await decide(kit, approval);
      const { fence } = await resumed(kit, turnId);
      await kit.store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [] });
      await kit.clock.advance(31 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.approvals.ofTurn(turnId)).toEqual([]);
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
