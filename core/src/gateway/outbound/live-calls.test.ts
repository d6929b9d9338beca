import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { ShownTurn } from "../../adapter/session-history.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { randomIds } from "../../base/ids.ts";
import { createRedactor } from "../../base/redact.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import { openSqliteStore } from "../../store/sqlite/index.ts";
import type { Store } from "../../store/store.ts";
import { testPolicy } from "../../turn/test-policy.ts";
import { LiveCalls } from "./live-calls.ts";
import { ShownTurns } from "./shown-turns.ts";

const HOLDER = { id: "terminal", host: "here", pid: 1, pidStart: "1", role: "terminal" } as const;
const PAGE: Conversation = { platform: "pager", chatId: "7", kind: "dm" };
const key = buildSessionKey(PAGE);

let folder: string;
let store: Store;
let clock: VirtualClock;
let sessionId: SessionId;
let mayRead: boolean;
let told: (ShownTurn | null)[];
let live: LiveCalls;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-calls-"));
  clock = createVirtualClock();
  const probe = { fate: () => "alive" as const };
  store = await openSqliteStore({ file: join(folder, "hermes.db"), clock, ids: randomIds, probe });
  ({ id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null }));
  told = [];
  mayRead = true;
  const adapter = { showCalls: (_: Conversation, turn: ShownTurn | null) => void told.push(turn) };
  const turns = new ShownTurns(store, testPolicy([]), createRedactor([]), folder);
  live = new LiveCalls(store, clock, adapter as unknown as PlatformAdapter, { mayRead: async () => mayRead }, turns);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const look = async () => {
  await clock.advance(1_000);
  await live.lookAt({ key, conversation: PAGE, sessionId }, (await store.turns.running(sessionId))?.id ?? null);
};
const states = () => told.map((turn) => turn && [turn.isOpen, ...turn.calls.map(({ state }) => state)].join(" "));

async function calling() {
  const started = await store.turns.startTurn({
    ...{ sessionId, holder: HOLDER, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 },
    message: { role: "user", text: "Do it" },
  });
  if (!started.ok) throw new Error("no turn");
  const toolCalls = ["1.1", "1.2"].map((id) => ({ id, name: "shell", input: { command: `do ${id}` } }));
  const { turn, fence } = started;
  await look();
  await store.turns.append(turn.id, fence, [{ role: "assistant", text: "", toolCalls }]);
  return { turnId: turn.id, fence };
}

it("calls are told as they begin and end, and once more when their turn is over", async () => {
  const { turnId, fence } = await calling();
  expect(told).toEqual([]);
  await look();
  await store.turns.beginCall(turnId, fence, { id: "1.1", repeats: false });
  await look();
  await look();
  await store.turns.append(turnId, fence, [{ role: "tool", text: "Error: no", toolCallId: "1.1" }]);
  await look();
  await store.turns.finishTurn({ turnId, fence, state: "done", messages: [], outbox: [] });
  await look();
  await look();
  const [waits, runs, failed] = ["true waits waits", "true runs waits", "true failed waits"];
  expect(states()).toEqual([waits, runs, failed, "false failed not-run"]);
});

it("the last output of a running call is told as it changes, without secrets", async () => {
  const { turnId, fence } = await calling();
  await store.turns.beginCall(turnId, fence, { id: "1.1", repeats: false });
  await store.views.keep({ sessionId, holder: HOLDER, surface: key, restedMs: 0, leaseMs: 60_000 });
  const outputs = () => told.map((turn) => turn?.calls[0]?.outcome?.lines.join("|") ?? null);
  await look();
  await store.turns.noteOutput(turnId, fence, "1.1", "1 of 9\n2 of 9\u202e");
  await look();
  await look();
  await store.turns.noteOutput(turnId, fence, "1.1", "with sk-abcdefghijklmnopqrstuvwx");
  await look();
  await store.turns.append(turnId, fence, [{ role: "tool", text: "It is done.", toolCallId: "1.1" }]);
  await look();
  expect(outputs()).toEqual([null, "1 of 9|2 of 9\\u202e", "with [redacted]", "It is done."]);
});

it("whoever loses the right to see calls is told that none are there any more", async () => {
  await calling();
  await look();
  mayRead = false;
  await look();
  await look();
  expect(states()).toEqual(["true waits waits", null]);
  mayRead = true;
  await look();
  live.hide({ key, conversation: PAGE });
  live.hide({ key, conversation: PAGE });
  expect(states().slice(2)).toEqual(["true waits waits", null]);
});
