import { OPERATOR, type SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { compactionOf } from "./compactions.ts";
import { AT_THREAD, HOME, HOME_KEY, type Kit, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";
import { waiting } from "./waiting.ts";

const TOLD = { kind: "notice", markdown: "It was taken back." } as const;

async function talked(kit: Kit, ...questions: readonly string[]): Promise<SessionId> {
  const { id } = await kit.session({ title: "plan", workingDirectory: "/work", model: "a/model", mode: "edits" });
  for (const question of questions) await kit.exchange(id, question, `on ${question}`);
  return id;
}

/** A step with two calls, of which one has its result. */
async function stepped(kit: Kit, id: SessionId) {
  const started = await kit.granted(id, { message: { role: "user", text: "work" } });
  const calls = ["1.1", "1.2"].map((call) => ({ id: call, name: "t", input: {} }));
  await kit.store.turns.append(started.turn.id, started.fence, [
    { role: "assistant", text: "", toolCalls: calls },
    { role: "tool", text: "r", toolCallId: "1.1" },
  ]);
  return started;
}

export function describeForkAndRewind(test: StoreTest): void {
  describe("a copy of a session", () => {
    test("a copy has the transcript up to a message, and a title of its own", async (kit) => {
      const id = await talked(kit, "one", "two");
      const fork = await kit.store.sessions.fork({ sessionId: id, upTo: 2, user: OPERATOR });
      expect(fork).toMatchObject({ title: "plan (fork)", workingDirectory: "/work", model: "a/model", mode: "edits" });
      expect(fork).toMatchObject({ messageCount: 2, toolCallCount: 0, origin: "terminal" });
      expect(await kit.texts(fork.id)).toEqual(["user: one", "assistant: on one"]);
      expect((await kit.store.sessions.fork({ sessionId: id, upTo: null, user: OPERATOR })).title).toBe(
        "plan (fork) 2",
      );
      await kit.exchange(fork.id, "three", "3");
      expect(await kit.texts(id)).toHaveLength(4);
      expect(await kit.store.turns.undoLast(fork.id)).toMatchObject({ text: "three" });
    });

    test("a copy leaves out what was taken back, and stays when the other is deleted", async (kit) => {
      const id = await talked(kit, "one", "two");
      await kit.store.turns.undoLast(id);
      const fork = await kit.store.sessions.fork({ sessionId: id, upTo: null, user: OPERATOR });
      await kit.store.sessions.delete(id);
      expect(await kit.texts(fork.id)).toEqual(["user: one", "assistant: on one"]);
      const found = await kit.store.transcripts.search({ text: "one", visible: { kind: "all" }, limit: 5 });
      expect(found.map(({ sessionId }) => sessionId)).toEqual([fork.id, fork.id]);
    });

    test("in a copy of a turn that runs, each open call has a result and it is closed", async (kit) => {
      const id = await talked(kit, "one");
      const { turn, fence } = await stepped(kit, id);
      const fork = await kit.store.sessions.fork({ sessionId: id, upTo: null, user: OPERATOR });
      const rows = await kit.store.transcripts.read(fork.id);
      expect(rows.slice(3).map(({ role, toolCallId, internal }) => [role, toolCallId, internal])).toEqual([
        ["assistant", undefined, false],
        ["tool", "1.1", false],
        ["tool", "1.2", false],
        ["assistant", undefined, true],
      ]);
      expect(new Set(rows.slice(2).map(({ turnId }) => turnId)).size).toBe(1);
      expect(await kit.store.turns.running(fork.id)).toBeNull();
      await kit.granted(fork.id);
      await kit.finish({ turn, fence });
    });

    test("a copy has neither the places nor the questions of the other", async (kit) => {
      const held = await waiting(kit);
      await kit.store.bindings.bind({ ...AT_THREAD, sessionId: held.id, mirrors: false });
      const fork = await kit.store.sessions.fork({ sessionId: held.id, upTo: null, user: OPERATOR });
      expect(await kit.store.bindings.of(fork.id)).toEqual([]);
      expect(await kit.store.approvals.open(fork.id)).toEqual([]);
      expect(await kit.store.turns.running(held.id)).toMatchObject({ state: "waiting" });
    });

    test("a copy that is asked for again after a crash is the same", async (kit) => {
      const id = await talked(kit, "one");
      const request = { sessionId: id, upTo: null, user: OPERATOR, once: "inb_1" };
      const fork = await kit.store.sessions.fork(request);
      await kit.restart();
      expect(await kit.store.sessions.fork(request)).toEqual(fork);
      expect((await kit.store.sessions.fork({ ...request, once: "inb_2" })).id).not.toBe(fork.id);
    });

    test("what stands for the beginning of a session stands for that of its copy, too", async (kit) => {
      const id = await talked(kit, "one");
      const { turn, fence } = await kit.granted(id, { message: { role: "user", text: "two" } });
      const { toldAt, turnId, sessionId, ...compaction } = await kit.store.compactions.add(
        turn.id,
        fence,
        compactionOf(2),
      );
      await kit.finish({ turn, fence });
      const fork = (upTo: number | null) => kit.store.sessions.fork({ sessionId: id, upTo, user: OPERATOR });
      expect(await kit.store.compactions.latest((await fork(null)).id)).toMatchObject({ ...compaction, toldAt });
      expect(await kit.store.compactions.latest((await fork(2)).id)).toMatchObject({ upTo: 2, toldAt: 2 });
      expect(await kit.store.compactions.latest((await fork(1)).id)).toBeNull();
      await kit.store.turns.rewind({ sessionId: id, seq: 1, surface: "terminal", told: TOLD });
      expect(await kit.store.compactions.latest(id)).toBeNull();
      expect([turnId, sessionId]).toEqual([turn.id, id]);
    });

    test("a copy of a session that is not there is refused", async (kit) => {
      const sessionId = "ses_none" as SessionId;
      const forked = kit.store.sessions.fork({ sessionId, upTo: null, user: OPERATOR });
      await expect(forked).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    });
  });

  describe("taking a session back to before a message", () => {
    test("a rewound session ends before the message, once for each request", async (kit) => {
      const id = await talked(kit, "one", "two", "three");
      const request = { sessionId: id, seq: 3, once: "inb_1", surface: "terminal", told: TOLD } as const;
      const undone = await kit.store.turns.rewind(request);
      expect(undone).toMatchObject({ text: "two", removed: 4, turns: [expect.any(String), expect.any(String)] });
      await kit.restart();
      expect(await kit.store.turns.rewind(request)).toEqual(undone);
      expect(await kit.store.turns.lastUndone(id)).toEqual(undone);
      expect(await kit.texts(id)).toEqual(["user: one", "assistant: on one"]);
      expect(await kit.store.turns.rewind({ ...request, once: "inb_2" })).toBeNull();
      expect(await kit.store.turns.rewind({ ...request, once: "inb_3", seq: 2 })).toBeNull();
    });

    test("a rewound session's other places are told", async (kit) => {
      const id = await talked(kit, "one");
      const bind = (key: typeof HOME_KEY, conversation: typeof HOME) =>
        kit.store.bindings.bind({ key, conversation, sessionId: id, mirrors: false });
      await bind(HOME_KEY, HOME);
      await bind(THREAD_KEY, THREAD);
      await kit.store.turns.rewind({ sessionId: id, seq: 1, surface: HOME_KEY, told: TOLD });
      expect((await kit.store.outbox.head(THREAD_KEY))?.message).toMatchObject(TOLD);
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
    });

    test("a session is not rewound while a turn runs or it is handed off", async (kit) => {
      const id = await talked(kit, "one");
      const holder = kit.process();
      await kit.granted(id, { holder });
      const request = { sessionId: id, seq: 1, surface: "terminal", told: TOLD } as const;
      await expect(kit.store.turns.rewind(request)).rejects.toMatchObject({ code: "SESSION_BUSY" });
      kit.kill(holder);
      await kit.requested(id);
      await expect(kit.store.turns.rewind(request)).rejects.toMatchObject({ code: "HANDOFF_IN_FLIGHT" });
      expect(await kit.texts(id)).toContain("assistant: on one");
    });
  });
}
