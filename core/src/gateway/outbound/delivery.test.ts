import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { afterEach, describe, expect, it } from "vitest";
import { textFile } from "../../adapter/attachments.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { Piece, SendReceipt } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError, PlatformError } from "../../base/errors.ts";
import { silentLogger } from "../../base/logger.ts";
import { type Holder, type ProcessIdentity, thisProcess } from "../../base/process-identity.ts";
import { openStore } from "../../host/open-store.ts";
import type { SendAttempt } from "../../model/outbox.ts";
import type { Outbox } from "../../store/message-stores.ts";
import { accountLease } from "../../store/work-stores.ts";
import { Delivery } from "./delivery.ts";
import { EVERYBODY, NO_FILES } from "./test-readers.ts";

const ACCOUNT = { account: undefined };

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

it("offers nothing again that arrived or came next while the store was busy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-delivery-"));
  folders.push(folder);
  const clock = createVirtualClock();
  const store = await openStore(folder, { clock });
  const holder = thisProcess("prc_1", "gateway");
  await store.leases.acquire(accountLease("loopback", undefined), holder, 60_000);

  let isBusy = true;
  const attempts: (SendAttempt | undefined)[] = [];
  const settleSend: Outbox["settleSend"] = async (id, outcome, attempt) => {
    attempts.push(attempt);
    if (!isBusy) return store.outbox.settleSend(id, outcome);
    isBusy = false;
    throw new HermesError("STORE_BUSY", { file: "the store", seconds: 5, holder: "another" });
  };
  const platform = new LoopbackPlatform();
  // Nothing could tell afterwards whether it arrived.
  platform.capabilities = { ...platform.capabilities, idempotentSend: false };
  platform.lacks = ["findSent"];
  const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
  const key = buildSessionKey(conversation);
  const saying = (markdown: string) => ({ key, conversation, message: { kind: "notice", markdown } as const });
  await store.outbox.enqueue([saying("Hello"), saying("Are you there?")]);

  const slow = { ...store, outbox: { ...store.outbox, settleSend } };
  await using _delivery = new Delivery(
    slow,
    clock,
    silentLogger,
    holder,
    (text) => text,
    platform.newAdapter(),
    ACCOUNT,
    { home: null },
    EVERYBODY,
    NO_FILES,
  );
  await expect.poll(() => platform.textsIn("home")).toEqual(["Hello"]);
  await expect.poll(() => isBusy).toBe(false);
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return store.outbox.head(key);
    })
    .toBeNull();
  expect(await store.deliveries.list({ limit: 10 })).toEqual([]);
  expect(platform.textsIn("home")).toEqual(["Hello", "Are you there?"]);
  // The store is told of a call, and not what was said: a long message would be cleared of secrets each time.
  expect(attempts[0]).toEqual({ attempts: 1, sender: holder.id });
  await store.close();
});

/**
 * Has a process send a piece and die before it could record that, and a gateway look it up by `look` until the lane is
 * empty. Returns how often it looked, what is undelivered, and what people see.
 */
async function afterLostReceipt(
  piece: Piece,
  look: (lookup: number, find: () => Promise<SendReceipt | null>) => Promise<SendReceipt | null>,
) {
  const folder = mkdtempSync(join(tmpdir(), "hermes-delivery-"));
  folders.push(folder);
  const clock = createVirtualClock();
  const store = await openStore(folder, { clock });
  const holder = thisProcess("prc_1", "gateway");
  await store.leases.acquire(accountLease("loopback", undefined), holder, 60_000);
  const platform = new LoopbackPlatform();
  platform.capabilities = { ...platform.capabilities, idempotentSend: false };
  const adapter = platform.newAdapter();
  const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
  const key = buildSessionKey(conversation);

  // A process sent it, and died before it could record that.
  const message = { kind: "notice", markdown: "Hello" } as const;
  const [row] = await store.outbox.enqueue([{ key, conversation, message }]);
  if (!row) throw new Error("nothing was enqueued");
  await store.outbox.beginSend(row.id, holder, [piece]);
  await adapter.send(conversation, { text: "Hello" }, { key: row.id, signal: new AbortController().signal });

  const { findSent } = adapter;
  let lookups = 0;
  adapter.findSent = (...asked) => look(++lookups, async () => (await findSent?.call(adapter, ...asked)) ?? null);
  await using _delivery = new Delivery(
    store,
    clock,
    silentLogger,
    holder,
    (text) => text,
    adapter,
    ACCOUNT,
    { home: null },
    EVERYBODY,
    NO_FILES,
  );
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return store.outbox.head(key);
    })
    .toBeNull();
  const undelivered = await store.deliveries.list({ limit: 9 });
  await store.close();
  return { lookups, undelivered, shown: platform.textsIn("home") };
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
  const folder = mkdtempSync(join(tmpdir(), "hermes-delivery-"));
  folders.push(folder);
  const clock = createVirtualClock();
  const store = await openStore(folder, { clock });
  const holder = thisProcess("prc_1", "gateway");
  const account = accountLease("loopback", undefined);
  await store.leases.acquire(account, holder, 15_000);
  let hasSlept = false;
  const beginSend: Outbox["beginSend"] = async (...request) => {
    const row = await store.outbox.beginSend(...request);
    await clock.advance(20_000);
    await store.leases.acquire(account, thisProcess("prc_2", "gateway"), 15_000);
    hasSlept = true;
    return row;
  };
  const platform = new LoopbackPlatform();
  const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
  const key = buildSessionKey(conversation);
  await store.outbox.enqueue([{ key, conversation, message: { kind: "notice", markdown: "Hello" } }]);
  const slow = { ...store, outbox: { ...store.outbox, beginSend } };
  const redact = (text: string) => text;
  const parts = [platform.newAdapter(), ACCOUNT, { home: null }, EVERYBODY, NO_FILES] as const;
  const delivery = new Delivery(slow, clock, silentLogger, holder, redact, ...parts);
  await expect.poll(() => hasSlept).toBe(true);
  await delivery[Symbol.asyncDispose]();
  expect(platform.textsIn("home")).toEqual([]);
  expect(await store.outbox.head(key)).toMatchObject({ state: "queued" });
  await store.close();
});

describe("a message that another gateway was sending when it was stopped", () => {
  it.each([
    { fate: "is dead", isDead: true, texts: ["Hello"], uncertain: 0 },
    { fate: "may go on", isDead: false, texts: [], uncertain: 1 },
  ])("a message is sent again at once only if that gateway is dead ($fate)", async ({ isDead, texts, uncertain }) => {
    const clock = createVirtualClock();
    const [stopped, next] = ["prc_1", "prc_2"].map((id) => thisProcess(id, "gateway")) as [Holder, Holder];
    const fate = (holder: ProcessIdentity) => (isDead && holder.id === stopped.id ? "gone" : "alive");
    const folder = mkdtempSync(join(tmpdir(), "hermes-delivery-"));
    folders.push(folder);
    const store = await openStore(folder, { clock, probe: { fate } });
    const account = accountLease("loopback", undefined);
    await store.leases.acquire(account, stopped, 15_000);
    const platform = new LoopbackPlatform();
    platform.capabilities = { ...platform.capabilities, idempotentSend: false };
    const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
    const key = buildSessionKey(conversation);
    const [row] = await store.outbox.enqueue([{ key, conversation, message: { kind: "notice", markdown: "Hello" } }]);
    if (!row) throw new Error("nothing was enqueued");
    await store.outbox.beginSend(row.id, stopped, [{ text: "Hello" }]);
    await clock.advance(16_000);
    await store.leases.acquire(account, next, 15_000);
    const parts = [platform.newAdapter(), ACCOUNT, { home: null }, EVERYBODY, NO_FILES] as const;
    await using _delivery = new Delivery(store, clock, silentLogger, next, (text) => text, ...parts);
    await expect.poll(() => store.outbox.head(key)).toBeNull();
    expect(platform.textsIn("home")).toEqual(texts);
    expect((await store.deliveries.list({ limit: 9 })).filter(({ state }) => state === "uncertain")).toHaveLength(
      uncertain,
    );
    // The one that goes on has sent it after all, and says so: it is offered to nobody.
    const receipt = { messageId: "1", sentAt: clock.now() };
    await store.outbox.settleSend(row.id, { kind: "sent", receipt });
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
    await store.close();
  });
});

it("leaves what the next gateway is sending alone after it lost the account", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-delivery-"));
  folders.push(folder);
  const clock = createVirtualClock();
  const store = await openStore(folder, { clock });
  const [woken, next] = ["prc_1", "prc_2"].map((id) => thisProcess(id, "gateway")) as [Holder, Holder];
  await store.leases.acquire(accountLease("loopback", undefined), next, 15_000);
  const platform = new LoopbackPlatform();
  platform.capabilities = { ...platform.capabilities, idempotentSend: false };
  const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
  const key = buildSessionKey(conversation);
  const [row] = await store.outbox.enqueue([{ key, conversation, message: { kind: "notice", markdown: "Hello" } }]);
  if (!row) throw new Error("nothing was enqueued");
  await store.outbox.beginSend(row.id, next, [{ text: "Hello" }]);
  let looks = 0;
  const head: Outbox["head"] = async (...asked) => {
    looks++;
    return store.outbox.head(...asked);
  };
  const watched = { ...store, outbox: { ...store.outbox, head } };
  const parts = [platform.newAdapter(), ACCOUNT, { home: null }, EVERYBODY, NO_FILES] as const;
  const delivery = new Delivery(watched, clock, silentLogger, woken, (text) => text, ...parts);
  await expect.poll(() => looks).toBeGreaterThan(0);
  await delivery[Symbol.asyncDispose]();
  expect(await store.outbox.head(key)).toMatchObject({ state: "sending" });
  await store.close();
});
