import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { OutboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { thisProcess } from "../../base/process-identity.ts";
import { openStore } from "../../host/open-store.ts";
import type { ApprovalId, NewApproval } from "../../model/approval.ts";
import { OPERATOR } from "../../model/session.ts";
import type { Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import type { Delivery } from "./delivery.ts";
import { deliveryOf } from "./test-delivery.ts";

const THREAD = { id: "thread-1", chatId: "home", name: "Plan", mark: "m", isVisible: true };
const CONVERSATION = { platform: "loopback", chatId: "home", kind: "dm", threadId: THREAD.id } as const;
const KEY = buildSessionKey(CONVERSATION);
const ID = "approval-of-80-bits" as ApprovalId;
const QUESTION: OutboundMessage = {
  ...{ kind: "question", markdown: "May it run?" },
  choices: [{ id: `once:${ID}`, label: "Once", style: "primary" }],
};
const CLOSED = expect.stringContaining("Allowed once by Ada");

let folder: string;
let clock: VirtualClock;
let platform: LoopbackPlatform;
let store: Store;
let delivery: Delivery;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-closing-"));
  clock = createVirtualClock();
  store = await openStore(folder, { clock });
  platform = new LoopbackPlatform();
  platform.threads.push(THREAD);
  await ask();
});
afterEach(async () => {
  await delivery[Symbol.asyncDispose]();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A turn waits for the answer to a question in the chat. */
async function ask(): Promise<void> {
  const holder = thisProcess("prc_1", "gateway");
  const { id: sessionId } = await store.sessions.create({ user: OPERATOR, origin: KEY, originChat: KEY });
  await store.bindings.bind({ key: KEY, conversation: CONVERSATION, sessionId, mirrors: false });
  const started = await store.turns.startTurn({
    ...{ sessionId, holder, cause: { kind: "terminal" }, surface: KEY, leaseMs: 15_000 },
    message: { role: "user", text: "Do it" },
  });
  if (!started.ok) throw new Error(started.reason);
  const approval: NewApproval = {
    ...{ id: ID, code: "k3mxp", callId: "1.1", tool: "shell", summary: "npm test", detail: "", digest: "d" },
    ...{ kind: "call", rules: [], answers: [], messages: [QUESTION], ttlMs: null },
  };
  await store.turns.parkTurn({
    ...{ turnId: started.turn.id, fence: started.fence, reason: "approval", approvals: [approval], outbox: [] },
    shownAt: [{ key: KEY, conversation: CONVERSATION }],
  });
}

async function serve(adapter: PlatformAdapter = platform.newAdapter()): Promise<void> {
  const holder = thisProcess("prc_1", "gateway");
  await store.leases.acquire(accountLease("loopback", undefined), holder, 600_000);
  delivery = deliveryOf({ store, clock, holder, adapter });
  await isDelivered();
}

async function decide(): Promise<void> {
  const author = { platform: "loopback", account: undefined, senderId: "ada", aliases: [], conversation: CONVERSATION };
  await store.approvals.decide({ id: ID, decision: { kind: "once" }, by: { name: "Ada", author }, surface: KEY });
  delivery.wake();
  await isDelivered();
}

const said = () => platform.messages.map(({ text }) => text);

async function isDelivered(): Promise<void> {
  await vi.waitFor(async () => {
    await clock.advance(1_000);
    expect(await store.outbox.head(KEY)).toBeNull();
  });
}

it("a decision changes the question where it stands, and takes its choices away", async () => {
  await serve();
  expect(platform.messages).toMatchObject([{ text: "May it run?", choices: QUESTION.choices }]);
  await decide();
  expect(said()).toEqual([CLOSED]);
  expect(platform.messages[0]?.choices ?? []).toEqual([]);
});

it("a question that cannot be edited for good stays, and nothing is said instead", async () => {
  await serve();
  platform.fail(
    "edit",
    new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "it is too old", hint: "" }),
  );
  await decide();
  expect(said()).toEqual(["May it run?"]);
  expect(await store.deliveries.list({ limit: 5 })).toEqual([]);
});

it("a question in a thread that is gone moves nothing", async () => {
  await serve();
  platform.fail("edit", new PlatformError("PLATFORM_THREAD_GONE", { platform: "loopback" }));
  await decide();
  expect(said()).toEqual(["May it run?"]);
  expect(await store.bindings.get(KEY)).not.toBeNull();
  expect(await store.deliveries.list({ limit: 5 })).toEqual([]);
});

it("a question stays on a platform that edits nothing", async () => {
  const adapter = platform.newAdapter();
  Object.defineProperty(adapter, "edit", { value: undefined });
  await serve(adapter);
  await decide();
  expect(said()).toEqual(["May it run?"]);
  expect(await store.deliveries.list({ limit: 5 })).toEqual([]);
});
