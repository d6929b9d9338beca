import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Conversation } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import type { Tool, ToolContext } from "../agent/agent.ts";
import { HermesError } from "../base/errors.ts";
import { silentLogger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import { createConcealer } from "../base/redact.ts";
import { OPERATOR, type SessionId, type Surface } from "../model/session.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import type { TurnStore } from "../store/work-stores.ts";
import { accountLease } from "../store/work-stores.ts";
import { LeasedTurns } from "./leased-turns.ts";
import { testPolicy } from "./test-policy.ts";
import type { TurnEvent, TurnRequest } from "./turn-runner.ts";

const cleanUps: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const thread: Conversation = { platform: "p", chatId: "home", kind: "dm", threadId: "t1" };
const threadKey = buildSessionKey(thread);

function machine() {
  const folder = mkdtempSync(join(tmpdir(), "hermes-turns-"));
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }));
  let processes = 0;
  let ids = 0;

  /** A process of its own: its clock stands still when it is stopped. */
  const startProcess = async (
    script: Parameters<typeof scriptedModel>[0] = [],
    tools: Tool[] = [],
    withTurns = (turns: TurnStore) => turns,
  ) => {
    const clock = createVirtualClock();
    const store = await openSqliteStore({
      file: join(folder, "store", "hermes.db"),
      clock,
      ids: { next: (prefix) => `${prefix}_${String(++ids).padStart(6, "0")}` },
      probe: { fate: () => "alive" },
    });
    cleanUps.push(() => store.close());
    const holder: Holder = { id: `prc_${++processes}`, host: "here", pid: processes, pidStart: "1", role: "terminal" };
    const model = scriptedModel(script, { clock });
    const runner = new LeasedTurns(
      { ...store, turns: withTurns(store.turns) },
      clock,
      silentLogger,
      holder,
      testPolicy(tools),
      (text) => text.replaceAll("s3cret", "[redacted]"),
      createConcealer([]),
      model,
    );
    const ask = (sessionId: SessionId, text: string, more: Partial<TurnRequest> = {}) =>
      runner.run({
        sessionId,
        cause: { kind: "terminal" },
        surface: "terminal",
        message: { role: "user", text },
        tools: true,
        ...more,
      });
    return { clock, store, model, ask };
  };
  return { startProcess };
}

function tool(name: string, run: (where: ToolContext) => Promise<string>): Tool {
  return {
    ...{ name, description: name, input: z.unknown(), effect: "reads" },
    summary: () => name,
    subjects: () => [],
    run: async (_, where) => ({ text: await run(where) }),
  };
}

async function newSession(store: Store, origin: Surface = "terminal"): Promise<SessionId> {
  const session = await store.sessions.create({ user: OPERATOR, origin, originChat: null });
  return session.id;
}

async function texts(store: Store, sessionId: SessionId): Promise<string[]> {
  return (await store.transcripts.read(sessionId)).map(({ role, text }) => `${role}: ${text}`);
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a turn", () => {
  it("a turn stores its answer and titles the session after its first message", async () => {
    const { store, ask } = await machine().startProcess(["Hello."]);
    const id = await newSession(store);
    expect(await ask(id, "Hi there")).toMatchObject({ state: "done", text: "Hello." });
    expect(await texts(store, id)).toEqual(["user: Hi there", "assistant: Hello."]);
    expect((await store.sessions.get(id))?.title).toBe("Hi there");
    expect(await store.turns.running(id)).toBeNull();
  });

  it("stores a tool call before the tool runs, and its result without secrets", async () => {
    const seen: string[][] = [];
    let sessionId: SessionId;
    let store: Store;
    const look = tool("look", async () => {
      seen.push(await texts(store, sessionId));
      return "the key is s3cret";
    });
    const started = await machine().startProcess([[{ call: [{ name: "look" }] }, { say: "Seen." }]], [look]);
    store = started.store;
    sessionId = await newSession(store);
    await started.ask(sessionId, "Look");
    expect(seen).toEqual([["user: Look", "assistant: "]]);
    expect(await texts(store, sessionId)).toEqual([
      "user: Look",
      "assistant: ",
      "tool: the key is [redacted]",
      "assistant: Seen.",
    ]);
  });

  it("a failed turn is closed with a marker, so that its request is not replayed", async () => {
    const { store, ask, model } = await machine().startProcess([[{ fail: new Error("no") }], "Better."]);
    const id = await newSession(store);
    expect(await ask(id, "Delete everything")).toMatchObject({ state: "failed" });
    await ask(id, "Hello?");
    const roles = model.requests.at(-1)?.messages.map(({ role, internal }) => (internal ? `${role}!` : role));
    expect(roles).toEqual(["user", "assistant!", "user"]);
  });

  it("a tool call with invalid input does not run, and the model learns why", async () => {
    const zone = { ...tool("zone", async () => "noon"), input: z.object({ zone: z.string() }) };
    const script = [[{ call: [{ name: "zone", input: { zone: 1 } }] }, { say: "Sorry." }]];
    const { store, ask } = await machine().startProcess(script, [zone]);
    const sessionId = await newSession(store);
    await ask(sessionId, "What time is it?");
    expect((await texts(store, sessionId))[2]).toMatch(/^tool: Error: The input does not fit: zone /);
  });

  it("lets a turn use no tool whose author is not known", async () => {
    const look = tool("look", async () => "seen");
    let isAuthorKnown = true;
    const { store, model, ask } = await machine().startProcess(["First.", "Second."], [look], (turns) => ({
      ...turns,
      async startTurn(request) {
        const started = await turns.startTurn(request);
        return started.ok && !isAuthorKnown ? { ...started, turn: { ...started.turn, author: null } } : started;
      },
    }));
    const sessionId = await newSession(store);
    await ask(sessionId, "Look.");
    isAuthorKnown = false;
    await ask(sessionId, "Look again.");
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0]);
  });

  it("a long busy store still stores the answer and the tool results", async () => {
    const look = tool("look", async () => "found");
    const script = [[{ call: [{ name: "look" }] }, { say: "It is 42." }]];
    const { clock, store, ask } = await machine().startProcess(script, [look]);
    const id = await newSession(store);
    const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
    const finish = vi.spyOn(store.turns, "finishTurn").mockRejectedValueOnce(busy).mockRejectedValueOnce(busy);
    const append = vi.spyOn(store.turns, "append").mockRejectedValueOnce(busy);
    const asked = ask(id, "What is it?");
    while (append.mock.calls.length < 1) await settle();
    await clock.advance(1_000);
    while (finish.mock.calls.length < 1) await settle();
    await clock.advance(1_000);
    while (finish.mock.calls.length < 2) await settle();
    await clock.advance(1_000);
    expect(await asked).toMatchObject({ state: "done", text: "It is 42." });
    expect(await texts(store, id)).toEqual(["user: What is it?", "assistant: ", "tool: found", "assistant: It is 42."]);
  });

  it("names its session when a store that was busy is free", async () => {
    const { clock, store, ask } = await machine().startProcess(["Hello."]);
    const id = await newSession(store);
    const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
    const setTitle = vi.spyOn(store.sessions, "setTitle").mockRejectedValueOnce(busy);
    const events: TurnEvent["type"][] = [];
    const asked = ask(id, "Say hello", { onEvent: (event) => void events.push(event.type) });
    while (setTitle.mock.calls.length < 1) await settle();
    await clock.advance(1_000);
    expect(await asked).toMatchObject({ state: "done", text: "Hello." });
    expect((await store.sessions.get(id))?.title).toBe("Say hello");
    expect(events).toEqual(["started", "waiting", "text"]);
  });

  it("a message that waited is answered though the store was busy as its turn began", async () => {
    const { startProcess } = machine();
    const held = gate();
    const one = await startProcess([[{ hold: held }, { say: "First." }]]);
    const two = await startProcess(["Second."]);
    const { store, clock } = two;
    const id = await newSession(store);
    const first = one.ask(id, "one");
    await held.reached;
    const message = { conversation: thread, messageId: "m1", sender: { id: "ada" }, text: "two", sentAt: 0 };
    const accepted = await store.inbox.acceptInbound(threadKey, message);
    if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
    const cause = { kind: "inbox", inboxId: accepted.row.id } as const;
    const events: TurnEvent["type"][] = [];
    const busy = new HermesError("STORE_BUSY", { file: "hermes.db", seconds: 5, holder: "another process" });
    const isStillWanted = vi.fn(async () => true).mockRejectedValueOnce(busy);
    const onEvent = (event: TurnEvent) => void events.push(event.type);
    const second = two.ask(id, "two", { cause, surface: threadKey, onEvent, isStillWanted });
    while (!events.includes("waiting")) await settle();
    held.open();
    await first;
    while (isStillWanted.mock.calls.length < 1) await clock.advance(1_000);
    await clock.advance(1_000);
    expect(await second).toMatchObject({ state: "done", text: "Second." });
  });

  it("a turn that runs again puts its request behind what Hermes noted meanwhile", async () => {
    const { startProcess } = machine();
    const dead = await startProcess([[{ hold: gate() }]]);
    const next = await startProcess(["Hello."]);
    const id = await newSession(dead.store);
    const message = { conversation: thread, messageId: "m1", sender: { id: "ada" }, text: "hello", sentAt: 0 };
    const accepted = await dead.store.inbox.acceptInbound(threadKey, message);
    if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
    const sent = {
      key: threadKey,
      conversation: thread,
      sessionId: id,
      message: { kind: "notice", markdown: "hi" },
    } as const;
    const [row] = await dead.store.outbox.enqueue([sent]);
    const cause = { kind: "inbox", inboxId: accepted.row.id } as const;
    void dead.ask(id, "hello", { cause, surface: threadKey }).catch(() => {});
    while (dead.model.requests.length === 0) await settle();

    const gateway: Holder = { id: "prc_gateway", host: "here", pid: 9, pidStart: "1", role: "gateway" };
    await dead.store.leases.acquire(accountLease("p", undefined), gateway, 60_000);
    const sending = await dead.store.outbox.beginSend(row?.id ?? ("" as never), gateway, [{ text: "hi" }]);
    const receipt = { messageId: "1", sentAt: 0 };
    await dead.store.outbox.settleSend(sending?.id ?? ("" as never), { kind: "sent", receipt });
    const refusal = { code: "PLATFORM_UNAVAILABLE", text: "it is away" } as const;
    await dead.store.outbox.settleLate("p", undefined, "1", refusal);

    await next.clock.advance(60_000);
    expect(await next.ask(id, "hello", { cause, surface: threadKey })).toMatchObject({ state: "done" });
    const asked = next.model.requests[0]?.messages.map(({ text }) => text);
    expect(asked).toEqual([expect.stringContaining("it is away"), "hello"]);
  });

  it("a stopped turn keeps what was said, and marks the tool that ran", async () => {
    const held = gate();
    const hang = tool("hang", ({ signal }) => held.pass(signal).then(() => "never"));
    const { store, ask } = await machine().startProcess(
      [[{ say: "Let me see." }, { call: [{ name: "hang" }] }]],
      [hang],
    );
    const id = await newSession(store);
    const running = ask(id, "Go");
    await held.reached;
    expect(await store.turns.requestStop(id)).toBe(true);
    expect(await running).toMatchObject({ state: "stopped" });
    const rows = await store.transcripts.read(id);
    expect(rows.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(rows[2]?.text).toMatch(/interrupted/i);
    expect(rows[3]?.text).toMatch(/stopped.*tools may have run/);
  });

  it("waits for the one that runs in another process, and reads what that one wrote", async () => {
    const { startProcess } = machine();
    const held = gate();
    const one = await startProcess([[{ hold: held }, { say: "First." }]]);
    const two = await startProcess(["Second."]);
    const id = await newSession(one.store);
    const first = one.ask(id, "one");
    await held.reached;
    const events: TurnEvent["type"][] = [];
    const second = two.ask(id, "two", { onEvent: (event) => void events.push(event.type) });
    while (!events.includes("waiting")) await settle();
    held.open();
    await first;
    while ((await Promise.race([second, settle()])) === undefined) await two.clock.advance(1_000);
    expect(events).toEqual(["waiting", "started", "text"]);
    expect(await texts(one.store, id)).toEqual(["user: one", "assistant: First.", "user: two", "assistant: Second."]);
    expect(two.model.requests[0]?.messages).toHaveLength(3);
  });

  it("a waiting turn can be given up, and has written nothing then", async () => {
    const { startProcess } = machine();
    const held = gate();
    const one = await startProcess([[{ hold: held }, { say: "First." }]]);
    const two = await startProcess();
    const id = await newSession(one.store);
    const first = one.ask(id, "one");
    await held.reached;
    const giveUp = new AbortController();
    const second = two.ask(id, "two", { signal: giveUp.signal, onEvent: () => giveUp.abort() });
    expect(await second).toEqual({ state: "refused", reason: "cancelled" });
    held.open();
    await first;
    expect(await texts(one.store, id)).toEqual(["user: one", "assistant: First."]);
  });

  it("a process that slept while another took over writes nothing when it wakes", async () => {
    const { startProcess } = machine();
    const held = gate();
    const sleeper = await startProcess([[{ say: "Old " }, { hold: held }, { say: "news." }]]);
    const other = await startProcess(["Fresh."]);
    const id = await newSession(sleeper.store);
    const slept = sleeper.ask(id, "one");
    await held.reached;
    // The sleeper's clock stands still; for the other a minute goes by.
    await other.clock.advance(60_000);
    await other.ask(id, "two");
    held.open();
    await expect(slept).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
    const rows = await texts(other.store, id);
    expect(rows).toHaveLength(4);
    expect(rows[1]).toMatch(/interrupted/);
    expect(rows.slice(2)).toEqual(["user: two", "assistant: Fresh."]);
  });

  it("a process that slept goes on with its turn when nobody took over", async () => {
    const { startProcess } = machine();
    const held = gate();
    const { store, ask, clock } = await startProcess([[{ hold: held }, { say: "Still here." }]]);
    const id = await newSession(store);
    const running = ask(id, "one");
    await held.reached;
    await clock.advance(60_000);
    held.open();
    expect(await running).toMatchObject({ state: "done", text: "Still here." });
  });
});

describe("other places of a session", () => {
  async function boundSession(mirrors: boolean) {
    const started = await machine().startProcess(["In the thread.", "In the terminal.", "Again."]);
    const { store, ask } = started;
    const id = await newSession(store);
    await store.bindings.bind({ key: threadKey, conversation: thread, sessionId: id, mirrors });
    await ask(id, "from the thread", { surface: threadKey });
    await ask(id, "from the terminal");
    await ask(id, "once more");
    const told: string[] = [];
    for (let row = await store.outbox.head(threadKey); row; row = await store.outbox.head(threadKey)) {
      told.push(`${row.message.kind}: ${row.message.markdown}`);
      await store.outbox.settleSend(row.id, { kind: "sent", receipt: { messageId: row.id, sentAt: 0 } });
    }
    return told;
  }

  it("other places of a session get one line that the work continues elsewhere", async () => {
    expect(await boundSession(false)).toEqual(["notice: The work continues in the terminal."]);
  });

  it("sends a room no notice when its person alternates between it and its thread", async () => {
    const { store, ask } = await machine().startProcess(["One.", "Two.", "Three."]);
    const id = await newSession(store);
    const { threadId: _, ...room } = thread;
    const roomKey = buildSessionKey(room);
    await store.bindings.bind({ key: threadKey, conversation: thread, sessionId: id, mirrors: false });
    await store.bindings.bind({ key: roomKey, conversation: room, sessionId: id, mirrors: false });
    for (const surface of [roomKey, threadKey, roomKey]) await ask(id, "a question", { surface });
    for (const key of [roomKey, threadKey]) expect(await store.outbox.head(key)).toBeNull();
  });

  it("see what is said elsewhere where they can show it", async () => {
    expect(await boundSession(true)).toEqual([
      "notice: The work continues in the terminal.",
      "echo: from the terminal",
      "echo: In the terminal.",
      "echo: once more",
      "echo: Again.",
    ]);
  });
});
