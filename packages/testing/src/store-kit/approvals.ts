import type { ApprovalId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { DAY_MS, HOME, HOME_KEY, type StoreTest } from "./kit.ts";
import { ADA, asks, decide, place, queued, resumed, waiting } from "./waiting.ts";

const GRACE = { ...ADA, name: "Grace" };
const THERE = place("200");
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
}
