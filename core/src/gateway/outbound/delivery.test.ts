import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textFile } from "../../adapter/attachments.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { Piece, SendReceipt } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError, PlatformError } from "../../base/errors.ts";
import { type Holder, thisProcess } from "../../base/process-identity.ts";
import { openStore } from "../../host/open-store.ts";
import type { OutboxId, SendAttempt } from "../../model/outbox.ts";
import type { Outbox } from "../../store/message-stores.ts";
import type { Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import { deliveryOf } from "./test-delivery.ts";

const LEASE = accountLease("loopback", undefined);
const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
const key = buildSessionKey(conversation);
const [holder, next] = [thisProcess("prc_1", "gateway"), thisProcess("prc_2", "gateway")];

let folder: string;
let clock: VirtualClock;
let store: Store;
let platform: LoopbackPlatform;
/** The processes that are dead. */
let dead: readonly Holder[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-delivery-"));
  clock = createVirtualClock();
  dead = [];
  const fate = ({ id }: { id: string }) => (dead.some((one) => one.id === id) ? "gone" : "alive");
  store = await openStore(folder, { clock, probe: { fate } });
  platform = new LoopbackPlatform();
  platform.capabilities = { ...platform.capabilities, idempotentSend: false };
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function queued(markdown: string): Promise<OutboxId> {
  const [row] = await store.outbox.enqueue([{ key, conversation, message: { kind: "notice", markdown } }]);
  if (!row) throw new Error("nothing was enqueued");
  return row.id;
}

async function untilSent(): Promise<void> {
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return store.outbox.head(key);
    })
    .toBeNull();
}

it("offers nothing again that arrived or came next while the store was busy", async () => {
  await store.leases.acquire(LEASE, holder, 60_000);
  let isBusy = true;
  const attempts: (SendAttempt | undefined)[] = [];
  const settleSend: Outbox["settleSend"] = async (id, outcome, attempt) => {
    attempts.push(attempt);
    if (!isBusy) return store.outbox.settleSend(id, outcome);
    isBusy = false;
    throw new HermesError("STORE_BUSY", { file: "the store", seconds: 5, holder: "another" });
  };
  // Nothing could tell afterwards whether it arrived.
  platform.lacks = ["findSent"];
  await queued("Hello");
  await queued("Are you there?");
  const slow = { ...store, outbox: { ...store.outbox, settleSend } };
  await using _delivery = deliveryOf({ store: slow, clock, holder, adapter: platform.newAdapter() });
  await expect.poll(() => platform.textsIn("home")).toEqual(["Hello"]);
  await expect.poll(() => isBusy).toBe(false);
  await untilSent();
  expect(await store.deliveries.list({ limit: 10 })).toEqual([]);
  expect(platform.textsIn("home")).toEqual(["Hello", "Are you there?"]);
  // The store is told of a call, and not what was said: a long message would be cleared of secrets each time.
  expect(attempts[0]).toEqual({ attempts: 1, sender: holder.id });
});

/**
 * Has a process send a piece and die before it could record that, and a gateway look it up by `look` until the lane is
 * empty. Returns how often it looked, what is undelivered, and what people see.
 */
async function afterLostReceipt(
  piece: Piece,
  look: (lookup: number, find: () => Promise<SendReceipt | null>) => Promise<SendReceipt | null>,
) {
  await store.leases.acquire(LEASE, holder, 60_000);
  const adapter = platform.newAdapter();
  const id = await queued("Hello");
  await store.outbox.beginSend(id, holder, [piece]);
  await adapter.send(conversation, { text: "Hello" }, { key: id, signal: new AbortController().signal });

  const { findSent } = adapter;
  let lookups = 0;
  adapter.findSent = (...asked) => look(++lookups, async () => (await findSent?.call(adapter, ...asked)) ?? null);
  await using _delivery = deliveryOf({ store, clock, holder, adapter });
  await untilSent();
  return { lookups, undelivered: await store.deliveries.list({ limit: 9 }), shown: platform.textsIn("home") };
}

it("looks a message up again after an outage, rather than call it uncertain", async () => {
  const found = await afterLostReceipt({ text: "Hello" }, async (lookup, find) => {
    if (lookup <= 8) throw new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is away" });
    return find();
  });
  expect(found).toEqual({ lookups: 9, undelivered: [], shown: ["Hello"] });
});

it("waits for a file that the platform shows some seconds after it took it", async () => {
  const piece = { text: "Hello", file: textFile("plan.md", "text/markdown", "# Plan") };
  const found = await afterLostReceipt(piece, async (lookup, find) => (lookup < 6 ? null : find()));
  expect(found).toEqual({ lookups: 6, undelivered: [], shown: ["Hello"] });
});

it("sends nothing it had begun if another gateway took the account while it slept", async () => {
  await store.leases.acquire(LEASE, holder, 15_000);
  let hasSlept = false;
  const beginSend: Outbox["beginSend"] = async (...request) => {
    const row = await store.outbox.beginSend(...request);
    await clock.advance(20_000);
    await store.leases.acquire(LEASE, next, 15_000);
    hasSlept = true;
    return row;
  };
  await queued("Hello");
  const slow = { ...store, outbox: { ...store.outbox, beginSend } };
  const delivery = deliveryOf({ store: slow, clock, holder, adapter: platform.newAdapter() });
  await expect.poll(() => hasSlept).toBe(true);
  await delivery[Symbol.asyncDispose]();
  expect(platform.textsIn("home")).toEqual([]);
  expect(await store.outbox.head(key)).toMatchObject({ state: "queued" });
});

describe("a message that another gateway was sending when it was stopped", () => {
  it.each([
    { fate: "is dead", isDead: true, texts: ["Hello"], uncertain: [] },
    { fate: "may go on", isDead: false, texts: [], uncertain: [{ state: "uncertain" }] },
  ])("a message is sent again at once only if that gateway is dead ($fate)", async ({ isDead, texts, uncertain }) => {
    if (isDead) dead = [holder];
    await store.leases.acquire(LEASE, holder, 15_000);
    const id = await queued("Hello");
    await store.outbox.beginSend(id, holder, [{ text: "Hello" }]);
    await clock.advance(16_000);
    await store.leases.acquire(LEASE, next, 15_000);
    await using _delivery = deliveryOf({ store, clock, holder: next, adapter: platform.newAdapter() });
    await expect.poll(() => store.outbox.head(key)).toBeNull();
    expect(platform.textsIn("home")).toEqual(texts);
    expect(await store.deliveries.list({ limit: 9 })).toMatchObject(uncertain);
    // The one that goes on has sent it after all, and says so: it is offered to nobody.
    const receipt = { messageId: "1", sentAt: clock.now() };
    await store.outbox.settleSend(id, { kind: "sent", receipt });
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });
});

it("leaves what the next gateway is sending alone after it lost the account", async () => {
  await store.leases.acquire(LEASE, next, 15_000);
  await store.outbox.beginSend(await queued("Hello"), next, [{ text: "Hello" }]);
  let looks = 0;
  const head: Outbox["head"] = async (...asked) => {
    looks++;
    return store.outbox.head(...asked);
  };
  const watched = { ...store, outbox: { ...store.outbox, head } };
  const delivery = deliveryOf({ store: watched, clock, holder, adapter: platform.newAdapter() });
  await expect.poll(() => looks).toBeGreaterThan(0);
  await delivery[Symbol.asyncDispose]();
  expect(await store.outbox.head(key)).toMatchObject({ state: "sending" });
});
