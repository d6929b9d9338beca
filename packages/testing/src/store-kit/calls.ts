import { type CallProcess, type InboxRow, type LineId, TOOL_INTERRUPTED, TOOL_NOT_RUN } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { HOME_KEY, type Kit, LEASE_MS, type StartedTurn, type StoreTest } from "./kit.ts";
import { viewOf } from "./views.ts";

const call = (id: string) => ({ id, name: "send", input: {}, providerId: `toolu_${id}` });

const saidBy = ({ id, digest, message: { text } }: InboxRow) =>
  ({ inboxId: id, digest, message: { role: "user", text } }) as const;

export function describeCalls(test: StoreTest): void {
  describe("the calls of a turn", () => {
    test("what is said to a turn is part of it, and its message is done in the same step", async (kit) => {
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      const rows = [await kit.accepted("one"), await kit.accepted("two")] as const;
      const said = rows.map(saidBy);
      await kit.store.inbox.settle(rows[0].id, []);
      await kit.store.turns.takeIn(turn.id, fence, said);
      expect((await kit.store.transcripts.read(id)).at(-1)).toMatchObject({ text: "two", turnId: turn.id });
      expect((await kit.store.transcripts.read(id)).map(({ text }) => text)).not.toContain("one");
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      const late = await kit.accepted("three");
      await kit.finish({ turn, fence });
      await expect(kit.store.turns.takeIn(turn.id, fence, [saidBy(late)])).rejects.toMatchObject({
        code: "TURN_SUPERSEDED",
      });
      expect(await kit.store.inbox.head(HOME_KEY)).toMatchObject({ id: late.id });
    });

    test.inSession("what was edited before the turn took it in is no part of it, and waits", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      const row = await kit.accepted("/now use A");
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...row.message, text: "/now use B", isEdit: true });
      await kit.store.turns.takeIn(turn.id, fence, [saidBy(row)]);
      expect(await kit.texts(id)).toEqual(["user: a question"]);
      expect((await kit.store.inbox.head(HOME_KEY))?.message.text).toBe("/now use B");
    });

    test("a typed line that is said to a turn is gone in the same step, if it is its own", async (kit) => {
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      const [mine, theirs] = ["lin_1", "lin_2"] as LineId[];
      if (mine === undefined || theirs === undefined) throw new Error("unreachable");
      await kit.store.typedLines.keep(id, [{ id: mine, text: "mine" }], turn.holder, LEASE_MS);
      await kit.store.typedLines.keep(id, [{ id: theirs, text: "theirs" }], kit.process(), LEASE_MS);
      const said = [mine, theirs].map((line) => ({ line, message: { role: "user", text: line } as const }));
      await kit.store.turns.takeIn(turn.id, fence, said);
      expect((await kit.store.transcripts.read(id)).map(({ text }) => text)).toEqual(["a question", mine]);
    });

    test("a call begins once, and only while it has no result", async (kit) => {
      const { turn, fence } = await kit.granted((await kit.session()).id);
      await step(kit, { turn, fence }, "1.1", "1.2");
      const begin = (id: string, repeats = false) => kit.store.turns.beginCall(turn.id, fence, { id, repeats });
      expect(await begin("9.9")).toBe(false);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ toolStarted: false });
      expect([await begin("1.1"), await begin("1.1"), await begin("1.1", true)]).toEqual([true, false, false]);
      expect(await kit.store.turns.get(turn.id)).toMatchObject({ toolStarted: true });
      await result(kit, { turn, fence }, "1.2");
      expect(await begin("1.2", true)).toBe(false);
    });

    test.inSession("a running call's output is read until its result is stored or its lease ends", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      await step(kit, { turn, fence }, "1.1", "1.2");
      await kit.store.turns.beginCall(turn.id, fence, { id: "1.1", repeats: false });
      const note = (callId: string, text: string) => kit.store.turns.noteOutput(turn.id, fence, callId, text);
      await kit.store.views.keep(viewOf(kit, id));
      expect(await note("1.1", "nobody reads it")).toBe(false);
      const page = viewOf(kit, id, { holder: turn.holder, surface: HOME_KEY, leaseMs: 10 * LEASE_MS });
      await kit.store.views.keep(page);
      expect([await note("1.1", "1 of 9"), await note("1.1", "2 of 9")]).toEqual([true, true]);
      const outputs = async (store = kit.store) => (await store.turns.calls([turn.id])).map(({ output }) => output);
      expect(await outputs(await kit.second())).toEqual(["2 of 9", null]);
      expect(await kit.store.turns.growing(id)).toMatchObject({ text: null });
      await result(kit, { turn, fence }, "1.1");
      expect(await outputs()).toEqual([null, null]);
      await note("1.2", "half a");
      expect(await outputs()).toEqual([null, "half a"]);
      await kit.clock.advance(LEASE_MS);
      expect(await outputs()).toEqual([null, null]);
      await kit.granted(id);
      await expect(note("1.2", "half a word")).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
    });

    test.inSession("the calls of turns are read with their results and times", async (kit, id) => {
      const first = await kit.granted(id);
      await step(kit, first, "1.1", "1.2");
      await kit.clock.advance(1_000);
      await kit.store.turns.beginCall(first.turn.id, first.fence, { id: "1.1", repeats: false });
      const beganAt = kit.clock.now();
      await kit.clock.advance(3_000);
      await result(kit, first, "1.1");
      const { turn } = first;
      const one = { sessionId: id, turnId: turn.id, call: call("1.1"), result: "result of 1.1", output: null, beganAt };
      const two = {
        sessionId: id,
        turnId: turn.id,
        call: call("1.2"),
        result: null,
        output: null,
        beganAt: null,
        endedAt: null,
      };
      const ended = { ...one, endedAt: beganAt + 3_000 };
      expect(await kit.store.turns.calls([turn.id])).toEqual([ended, two]);
      await kit.finish({ turn, fence: first.fence });
      const next = await kit.granted(id);
      await step(kit, next, "1.1");
      await kit.restart();
      const endedAt = beganAt + 3_000;
      expect(await kit.store.turns.calls([next.turn.id, turn.id])).toEqual([
        { ...two, call: call("1.1"), turnId: next.turn.id },
        ended,
        { ...two, result: TOOL_NOT_RUN, endedAt },
      ]);
    });

    test.inSession("a call keeps the id that the model's provider gave it", async (kit, id) => {
      await step(kit, await kit.granted(id), "1.1");
      await kit.restart();
      expect((await kit.store.transcripts.read(id)).at(-1)?.toolCalls).toEqual([call("1.1")]);
    });

    test("the next holder goes on from the steps that are stored", async (kit) => {
      const { id, again, first } = await interrupted(kit, async (held) => {
        await step(kit, held, "1.1", "1.2", "1.3", "1.4");
        await result(kit, held, "1.1");
        await kit.store.turns.beginCall(held.turn.id, held.fence, { id: "1.2", repeats: false });
        await kit.store.turns.beginCall(held.turn.id, held.fence, { id: "1.3", repeats: true });
      });
      expect(again.turn).toMatchObject({ id: first.turn.id, toolStarted: true });
      expect(await kit.texts(id)).toEqual([
        "user: hello",
        "assistant: ",
        "tool: result of 1.1",
        `tool: ${TOOL_INTERRUPTED}`,
      ]);
      expect((await kit.store.transcripts.read(id)).at(-1)).toMatchObject({ toolCallId: "1.2", turnId: first.turn.id });
      const begin = (callId: string) =>
        kit.store.turns.beginCall(again.turn.id, again.fence, { id: callId, repeats: false });
      expect([await begin("1.1"), await begin("1.2"), await begin("1.3"), await begin("1.4")]).toEqual([
        ...[false, false],
        ...[true, true],
      ]);
    });

    test("a superseded holder begins no call", async (kit) => {
      const { first } = await interrupted(kit, (held) => step(kit, held, "1.1"));
      const { turn, fence } = first;
      await expect(kit.store.turns.beginCall(turn.id, fence, { id: "1.1", repeats: true })).rejects.toMatchObject({
        code: "TURN_SUPERSEDED",
      });
    });

    test("a new result begins the attempts anew", async (kit) => {
      const { again, request, id } = await interrupted(kit, (held) => step(kit, held, "1.1"));
      expect(again.turn.attempt).toBe(2);
      await result(kit, again, "1.1");
      for (const attempt of [2, 3]) {
        await kit.clock.advance(LEASE_MS);
        expect((await kit.granted(id, request)).turn.attempt).toBe(attempt);
      }
      await kit.clock.advance(LEASE_MS);
      expect(await kit.turn(id, request)).toEqual({ ok: false, reason: "closed" });
    });

    test("a result that says only that a call was interrupted begins no attempts anew", async (kit) => {
      const { again } = await interrupted(kit, async (held) => {
        await step(kit, held, "1.1");
        await kit.store.turns.beginCall(held.turn.id, held.fence, { id: "1.1", repeats: false });
      });
      expect(again.turn.attempt).toBe(2);
    });

    test.inSession("a turn that ends gives each open call the result that it lacks", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      await step(kit, { turn, fence }, "1.1", "1.2", "1.3");
      await result(kit, { turn, fence }, "1.1");
      await kit.store.turns.beginCall(turn.id, fence, { id: "1.2", repeats: true });
      const messages = [{ role: "assistant" as const, text: "stopped" }];
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "interrupted", messages, outbox: [] });
      expect((await kit.texts(id)).slice(2)).toEqual([
        "tool: result of 1.1",
        `tool: ${TOOL_INTERRUPTED}`,
        `tool: ${TOOL_NOT_RUN}`,
        "assistant: stopped",
      ]);
    });

    test("the next holder is told what a cut-off call left running, until it has ended", async (kit) => {
      const process = { id: "call_1", host: "here", pid: 7, pidStart: "1" };
      const { id, first, again, request } = await interrupted(kit, async (held) => {
        await step(kit, held, "1.1", "1.2");
        await note(kit, held, "1.1", { ...process, id: "call_0" });
        await result(kit, held, "1.1");
        await note(kit, held, "1.2", process);
        expect(await kit.store.turns.leftRunning()).toEqual([]);
      });
      expect(first.leftRunning).toEqual([]);
      expect(again.leftRunning).toEqual([process]);
      await kit.clock.advance(LEASE_MS);
      expect((await kit.granted(id, request)).leftRunning).toEqual([process]);
      await kit.store.turns.processEnded(process.id);
      await kit.clock.advance(LEASE_MS);
      expect(await kit.granted(id)).toMatchObject({ leftRunning: [] });
    });

    test.inSession("what a call left running is still known after its session was deleted", async (kit, id) => {
      const held = await kit.granted(id);
      await step(kit, held, "1.1");
      const process = { id: "call_1", host: "here", pid: 7, pidStart: "1" };
      await note(kit, held, "1.1", process);
      await kit.clock.advance(LEASE_MS);
      expect(await kit.store.turns.leftRunning()).toEqual([process]);
      await kit.store.turns.undoLast(id);
      await kit.store.sessions.delete(id);
      await kit.restart();
      expect(await kit.store.turns.leftRunning()).toEqual([process]);
    });

    test.inSession("a process that outlives its call is left when its holder is gone", async (kit, id) => {
      const holder = kit.process();
      const held = await kit.granted(id, { holder });
      await step(kit, held, "1.1");
      const process = { id: "call_1", host: "here", pid: 7, pidStart: "1" };
      await note(kit, held, "1.1", { ...process, outlivesCall: true });
      await result(kit, held, "1.1");
      await kit.finish(held);
      expect(await kit.granted(id)).toMatchObject({ leftRunning: [] });
      kit.kill(holder);
      expect(await kit.store.turns.leftRunning()).toEqual([process]);
    });

    test("a superseded holder starts no process that anybody would answer for", async (kit) => {
      const { first } = await interrupted(kit, (held) => step(kit, held, "1.1"));
      const process = { id: "call_1", host: "here", pid: 7, pidStart: "1" };
      await expect(note(kit, first, "1.1", process)).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
    });
  });
}

function note(kit: Kit, { turn, fence }: Held, id: string, process: CallProcess): Promise<void> {
  return kit.store.turns.noteProcess(turn.id, fence, id, process);
}

type Held = Pick<StartedTurn, "turn" | "fence">;

async function step(kit: Kit, { turn, fence }: Held, ...ids: string[]): Promise<void> {
  await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls: ids.map(call) }]);
}

async function result(kit: Kit, { turn, fence }: Held, id: string): Promise<void> {
  await kit.store.turns.append(turn.id, fence, [{ role: "tool", text: `result of ${id}`, toolCallId: id }]);
}

/** A turn whose first holder did `work`, and which another one goes on with. */
async function interrupted(kit: Kit, work: (held: Held) => Promise<void>) {
  const { id } = await kit.session();
  const request = await kit.asked("hello");
  const first = await kit.granted(id, request);
  await work(first);
  await kit.restart();
  await kit.clock.advance(LEASE_MS);
  return { id, request, first, again: await kit.granted(id, request) };
}
