import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { randomIds } from "../../base/ids.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import type { NewMessage } from "../../model/transcript.ts";
import type { Store } from "../store.ts";
import { openSqliteStore } from "./index.ts";

let folder: string;
let store: Store;
let id: SessionId;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes-within-"));
  const file = join(folder, "hermes.db");
  store = await openSqliteStore({ file, clock: createVirtualClock(), ids: randomIds, probe: { fate: () => "alive" } });
  ({ id } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null }));
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const LONG = "long ".repeat(200);

function longAnswers(count: number): NewMessage[] {
  return Array.from({ length: count }, (_, at) => ({ role: "assistant", text: `${at} ${LONG}` }));
}

test("a transcript that has room is read as it is", async () => {
  await say("Begin.", longAnswers(10));
  expect(await store.transcripts.read(id, { after: 0, room: 11_000 })).toEqual(await store.transcripts.read(id));
});

test("beginning and end of a longer one are whole, and no message is missing", async () => {
  await say("Begin.", longAnswers(100));
  const whole = await store.transcripts.read(id);
  const read = await store.transcripts.read(id, { after: 0, room: 40_000 });
  expect(read.map(({ seq }) => seq)).toEqual(whole.map(({ seq }) => seq));
  expect(read.slice(0, 10)).toEqual(whole.slice(0, 10));
  expect(read.slice(-19)).toEqual(whole.slice(-19));
  expect(read[50]?.text).toBe("⟦1003 bytes are left out here; the transcript has them⟧");
  expect(read.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(40_000);
});

test("short messages between long ones stay, and so does the beginning of a result", async () => {
  const call = { id: "1.1", name: "bash", input: { command: "make" } };
  const result = `refused by a person\n${"x".repeat(5_000)}`;
  const some = [
    { role: "assistant", text: "", toolCalls: [call] },
    { role: "tool", text: result, toolCallId: "1.1" },
    { role: "assistant", text: "Use port 9." },
  ] as const satisfies NewMessage[];
  await say("Begin.", [...longAnswers(50), ...some, ...longAnswers(50)]);
  const read = await store.transcripts.read(id, { after: 0, room: 40_000 });
  expect(read[51]?.toolCalls).toEqual([call]);
  expect(read[52]?.text).toBe(`${result.slice(0, 2_000)}\n⟦3020 bytes are left out here; the transcript has them⟧`);
  expect(read[53]?.text).toBe("Use port 9.");
});

test("results of up to 2,000 characters stay whole between long messages", async () => {
  const call = { id: "1.1", name: "bash", input: { command: "make" } };
  const results = (text: string) =>
    Array.from({ length: 30 }, (): NewMessage[] => [
      { role: "assistant", text: "", toolCalls: [call] },
      { role: "tool", text, toolCallId: "1.1" },
    ]).flat();
  await say("Begin.", [
    ...longAnswers(20),
    ...results("x".repeat(1_500)),
    ...results("好".repeat(1_500)),
    ...longAnswers(20),
  ]);
  const read = await store.transcripts.read(id, { after: 0, room: 40_000 });
  expect(read.filter(({ role }) => role === "tool").map(({ text }) => text.length)).toEqual(Array(60).fill(1_500));
});

test("the request of the newest turn is whole, however much stands behind it", async () => {
  await say("Begin.", longAnswers(50));
  await say(`Why? ${LONG}`, longAnswers(100));
  const read = await store.transcripts.read(id, { after: 0, room: 40_000 });
  expect(read[51]?.text).toBe(`Why? ${LONG}`);
  expect(read[52]?.text).toContain("are left out here");
});

async function say(request: string, messages: readonly NewMessage[]): Promise<void> {
  const holder = { id: "prc_1", host: "here", pid: 1, pidStart: "1", role: "terminal" } as const;
  const started = await store.turns.startTurn({
    ...{ sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 60_000 },
    message: { role: "user", text: request },
  });
  if (!started.ok) throw new Error(started.reason);
  const { turn, fence } = started;
  await store.turns.append(turn.id, fence, messages);
  await store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [] });
}
