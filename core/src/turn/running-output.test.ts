import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { randomIds } from "../base/ids.ts";
import { silentLogger } from "../base/logger.ts";
import { createConcealer, createRedactor } from "../base/redact.ts";
import { OPERATOR } from "../model/session.ts";
import type { Turn } from "../model/turn.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import { RunningOutput } from "./running-output.ts";

const HOLDER = { id: "gateway", host: "here", pid: 1, pidStart: "1", role: "gateway" } as const;
const KEY_OF_CHAT = buildSessionKey({ platform: "pager", chatId: "7", kind: "dm" });
const SECRET = "a-password-of-this-hermes";
const KEY = "sk-abcdefghijklmnopqrstuvwx";

let folder: string;
let store: Store;
let clock: VirtualClock;
let turn: Turn;
let writes: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-output-"));
  clock = createVirtualClock();
  const probe = { fate: () => "alive" as const };
  store = await openSqliteStore({ file: join(folder, "hermes.db"), clock, ids: randomIds, probe });
  const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null });
  const started = await store.turns.startTurn({
    ...{ sessionId, holder: HOLDER, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 600_000 },
    message: { role: "user", text: "Do it" },
  });
  if (!started.ok) throw new Error("no turn");
  ({ turn } = started);
  const toolCalls = ["1.1", "1.2"].map((id) => ({ id, name: "shell", input: {} }));
  await store.turns.append(turn.id, turn.fence, [{ role: "assistant", text: "", toolCalls }]);
  writes = [];
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const view = () =>
  store.views.keep({
    ...{ sessionId: turn.sessionId, holder: HOLDER, surface: KEY_OF_CHAT },
    ...{ restedMs: 0, leaseMs: 600_000 },
  });

function output(): RunningOutput {
  const turns: Store["turns"] = {
    ...store.turns,
    noteOutput: (turnId, fence, callId, text) => {
      writes.push(text);
      return store.turns.noteOutput(turnId, fence, callId, text);
    },
  };
  const concealer = createConcealer([SECRET]);
  const parts = { store: { ...store, turns }, clock, logger: silentLogger, concealer };
  return new RunningOutput({ ...parts, redact: createRedactor([SECRET]) }, turn);
}

const shown = async () => (await store.turns.calls([turn.id])).map(({ output: text }) => text);

it("the last four lines are noted at a pace, however fast they come", async () => {
  await view();
  using running = output();
  for (let line = 1; line <= 10_000; line++) running.take("1.1", `\u001b[32mline ${line}\u001b[0m\r\n\n`);
  await clock.advance(349);
  expect(writes).toEqual([]);
  await clock.advance(1);
  expect(await shown()).toEqual(["line 9997\nline 9998\nline 9999\nline 10000", null]);
  running.take("1.2", "other");
  await clock.advance(350);
  expect(await shown()).toEqual([null, "other"]);
  expect(writes).toHaveLength(2);
});

it("nothing is noted where nobody looks, and all of it for whoever comes later", async () => {
  using running = output();
  running.take("1.1", "building");
  await clock.advance(60_000);
  expect(await shown()).toEqual([null, null]);
  await view();
  await clock.advance(1_000);
  expect(await shown()).toEqual(["building", null]);
  await running.settle();
  running.take("1.2", "late");
  await running.settle();
  await clock.advance(60_000);
  expect(await shown()).toEqual(["building", null]);
});

it("a secret is taken out wherever its pieces are cut, and its end is not shown", async () => {
  await view();
  using running = output();
  running.take("1.1", `it is ${SECRET.slice(0, 9)}`);
  await clock.advance(350);
  running.take("1.1", `${SECRET.slice(9)} and ${KEY.slice(0, 5)}`);
  running.take("1.1", `${KEY.slice(5)}\n`);
  await clock.advance(350);
  expect(await shown()).toEqual(["it is [redacted] and [redacted]", null]);
  expect(writes[0]).toBe("it is");
  running.take("1.2", `sk-${"k".repeat(2_000)}${"\n".repeat(7_000)}end`);
  await clock.advance(1_000);
  expect(await shown()).toEqual([null, "end"]);
});

it("lines are cut where they are very long", async () => {
  await view();
  using running = output();
  running.take("1.1", "y".repeat(100_000));
  await clock.advance(5_000);
  expect((await shown())[0]).toBe(`${"y".repeat(399)}…`);
});
