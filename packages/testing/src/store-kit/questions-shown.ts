import { describe, expect } from "vitest";
import { AT_HOME, AT_THREAD, HOME, HOME_KEY, type StoreTest, THREAD_KEY } from "./kit.ts";
import { asks, calls, decide, queued, texts, turnOf, waiting } from "./waiting.ts";

const REMINDER = { ...AT_HOME, message: { kind: "notice", markdown: "It waits." } } as const;

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
}
