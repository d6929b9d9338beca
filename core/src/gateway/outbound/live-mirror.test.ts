import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { SaidElsewhere } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { randomIds } from "../../base/ids.ts";
import { silentLogger } from "../../base/logger.ts";
import { newCode } from "../../model/code.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import { writerMark } from "../../model/writer-mark.ts";
import { openSqliteStore } from "../../store/sqlite/index.ts";
import type { Store } from "../../store/store.ts";
import { LiveMirror } from "./live-mirror.ts";

const HOLDER = { id: "gateway", host: "here", pid: 1, pidStart: "1", role: "gateway" } as const;
const NO_CALLS = { lookAt: async () => {}, leave() {}, hide() {} };
const PAGE: Conversation = { platform: "pager", chatId: "7", kind: "dm" };
const GROUP: Conversation = { platform: "beeper", chatId: "8", kind: "group" };
const [PAGE_KEY, GROUP_KEY] = [buildSessionKey(PAGE), buildSessionKey(GROUP)];

let folder: string;
let store: Store;
let clock: VirtualClock;
let mirror: LiveMirror;
let sessionId: SessionId;
let told: (readonly string[])[];
let shown: (SaidElsewhere | null)[];
let mayRead: boolean;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-mirror-"));
  clock = createVirtualClock();
  store = await openSqliteStore({
    ...{ file: join(folder, "hermes.db"), clock, ids: randomIds, probe: { fate: () => "alive" } },
  });
  told = [];
  shown = [];
  mayRead = true;
  const adapter = {
    buildSessionKey: PlatformAdapter.prototype.buildSessionKey,
    watched: () => [PAGE],
    showReaders: (at: Conversation, readers: readonly string[]) => {
      expect(at).toEqual(PAGE);
      told.push(readers);
    },
    showGrowing: (_at: Conversation, said: SaidElsewhere | null) => void shown.push(said),
  };
  mirror = new LiveMirror(
    store,
    clock,
    silentLogger,
    HOLDER,
    adapter as unknown as PlatformAdapter,
    { mayRead: async () => mayRead },
    NO_CALLS,
  );
  ({ id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: "terminal", originChat: null }));
});

afterEach(async () => {
  await mirror[Symbol.asyncDispose]();
  await store.close();
  rmSync(folder, { recursive: true });
});

const bind = (key: typeof PAGE_KEY, conversation: Conversation) =>
  store.bindings.bind({ key, conversation, sessionId, mirrors: false });

/** What is said last of who reads along, once that is what is expected. */
async function isTold(expected: readonly string[]): Promise<void> {
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return told.at(-1);
    })
    .toEqual(expected);
}

it("a reader of a session is told who else reads it, and of changes", async () => {
  await bind(PAGE_KEY, PAGE);
  await isTold([]);
  await bind(GROUP_KEY, GROUP);
  await isTold(["Others on beeper, in a group, can read this session."]);
  await store.places.note({ key: GROUP_KEY, conversation: GROUP, name: "#general", word: "heard", person: null });
  await isTold(["Others in #general on beeper can read this session."]);
  const by = (name: string) => `${writerMark("from", `${JSON.stringify(name)} #000001`, false)}\nhi`;
  const started = await store.turns.startTurn({
    ...{ sessionId, holder: HOLDER, cause: { kind: "terminal" }, surface: GROUP_KEY, leaseMs: 60_000 },
    message: { role: "user", text: by("B\u202eob") },
  });
  expect(started.ok).toBe(true);
  await isTold(["Bob and others in #general on beeper can read this session."]);
  await store.bindings.unbind(GROUP_KEY);
  await isTold([]);
  expect(told).toHaveLength(5);
});

it("a guest is not told where else a session is read", async () => {
  await bind(GROUP_KEY, GROUP);
  const code = newCode();
  await store.codes.create({ code, kind: "pass", person: null, sessionId, who: null, issuer: OPERATOR, ttlMs: 60_000 });
  const who = {
    ...{ platform: "pager", account: undefined, key: "eve", id: "eve", name: "Eve" },
    ...{ conversation: PAGE, surface: PAGE_KEY },
  };
  await store.codes.redeem({ code, who, user: null, messageId: "m1", mirrors: false, outbox: [] });
  await isTold([]);
  await clock.advance(5_000);
  expect(told).toEqual([[]]);
});

describe("an answer that grows in the terminal", () => {
  const TERMINAL = { ...HOLDER, id: "terminal", pid: 2, role: "terminal" } as const;

  /** What is shown of it, once that is what is expected. */
  async function isShown(expected: unknown): Promise<void> {
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return shown.at(-1);
      })
      .toEqual(expected);
  }

  beforeEach(async () => {
    await bind(PAGE_KEY, PAGE);
    const started = await store.turns.startTurn({
      ...{ sessionId, holder: TERMINAL, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 600_000 },
      message: { role: "user", text: "How far are you?" },
    });
    expect(started.ok).toBe(true);
    await isShown({ place: "in the terminal", asked: "How far are you?", text: "" });
  });

  it("whoever may no longer read its session is shown no word of it any more", async () => {
    mayRead = false;
    await isShown(null);
    expect(await store.views.of(sessionId)).toEqual([]);
    mayRead = true;
    await isShown({ place: "in the terminal", asked: "How far are you?", text: "" });
  });

  it("a chat that leads elsewhere by now shows no word of it any more", async () => {
    await store.bindings.unbind(PAGE_KEY);
    await isShown(null);
    expect(await store.views.of(sessionId)).toEqual([]);
  });
});
