import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, gate } from "@hermes/testing";
import { LoopbackPlatform } from "@hermes/testing/loopback-platform";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Conversation } from "../../adapter/conversation.ts";
import type { OutboundFile } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { PlatformError } from "../../base/errors.ts";
import { thisProcess } from "../../base/process-identity.ts";
import type { Files } from "../../files/files.ts";
import { openStore } from "../../host/open-store.ts";
import type { OutboxId, SendOutcome } from "../../model/outbox.ts";
import { offerUndelivered } from "../../store/offer-undelivered.ts";
import type { Store } from "../../store/store.ts";
import { accountLease } from "../../store/work-stores.ts";
import type { Delivery } from "./delivery.ts";
import { deliveryOf, NO_FILES } from "./test-delivery.ts";

const LEASE = accountLease("loopback", undefined);
const conversation: Conversation = { platform: "loopback", chatId: "home", kind: "dm" };
const key = buildSessionKey(conversation);
const [woken, next] = [thisProcess("prc_1", "gateway"), thisProcess("prc_2", "gateway")];
const UNCERTAIN: SendOutcome = { kind: "uncertain", error: { code: "PLATFORM_UNCERTAIN", text: "It was cut off." } };
const NOTICE = "This may not have reached you before:";

let folder = "";
let store: Store;
let platform: LoopbackPlatform;
const clock = createVirtualClock();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-woken-"));
  store = await openStore(folder, { clock, probe: { fate: () => "alive" } });
  platform = new LoopbackPlatform();
  platform.capabilities = { ...platform.capabilities, idempotentSend: false };
  // Nothing could tell afterwards whether it arrived.
  platform.lacks = ["findSent"];
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function queued(markdown: string, files: readonly OutboundFile[] = []): Promise<OutboxId> {
  const message = files.length > 0 ? { markdown, files } : { markdown };
  const [row] = await store.outbox.enqueue([{ key, conversation, message: { kind: "answer", ...message } }]);
  if (!row) throw new Error("nothing was enqueued");
  return row.id;
}

function deliveryBy(holder = next, { files = NO_FILES as Pick<Files, "read">, from = store } = {}): Delivery {
  return deliveryOf({ store: from, clock, holder, adapter: platform.newAdapter(), files });
}

async function untilSent(): Promise<readonly string[]> {
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      await store.leases.acquire(LEASE, next, 15_000);
      return store.outbox.head(key);
    })
    .toBeNull();
  return platform.textsIn("home");
}

/** The first gateway begins a row and sleeps; the next one has the account when it goes on. */
async function wakeBehind(meanwhile: (id: OutboxId) => Promise<void>): Promise<void> {
  await store.leases.acquire(LEASE, woken, 15_000);
  let hasSlept = false;
  const outbox = {
    ...store.outbox,
    beginSend: async (...request: Parameters<Store["outbox"]["beginSend"]>) => {
      const row = await store.outbox.beginSend(...request);
      await clock.advance(20_000);
      await store.leases.acquire(LEASE, next, 15_000);
      await meanwhile(request[0]);
      hasSlept = true;
      return row;
    },
  };
  const slept = deliveryBy(woken, { from: { ...store, outbox } });
  await expect.poll(() => hasSlept).toBe(true);
  await slept[Symbol.asyncDispose]();
}

describe("a message that a gateway began to send, and lost the account while it slept", () => {
  it("a row begun and not sent goes out by the next gateway as usual", async () => {
    await queued("The card.");
    await wakeBehind(async () => {});
    await using _delivery = deliveryBy();
    expect(await untilSent()).toEqual(["The card."]);
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });

  it("a row begun and not sent goes out although it was taken for uncertain", async () => {
    await queued("The card.");
    await wakeBehind(async (id) => void (await store.outbox.settleSend(id, UNCERTAIN)));
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
    await using _delivery = deliveryBy();
    expect(await untilSent()).toEqual(["The card."]);
  });

  it("a row that the next gateway offers is left to it", async () => {
    await queued("The card.");
    await wakeBehind(async (id) => {
      await store.outbox.settleSend(id, UNCERTAIN);
      await offerUndelivered(store, { key, conversation });
      await queued("The answer.");
    });
    await using _delivery = deliveryBy();
    expect(await untilSent()).toEqual([NOTICE, "The card.", "The answer."]);
  });
});

describe("a call that ends after another gateway sends its message", () => {
  it.each([
    ["again", new PlatformError("PLATFORM_UNAVAILABLE", { platform: "loopback", reason: "it is down" })],
    ["uncertain", new PlatformError("PLATFORM_UNCERTAIN", { platform: "loopback", reason: "it was cut off" })],
    ["failed", new PlatformError("PLATFORM_FORBIDDEN", { platform: "loopback", reason: "it was blocked", hint: "" })],
  ] as const)("the message stays that gateway's, and is sent once (%s)", async (_, error) => {
    await store.leases.acquire(LEASE, woken, 15_000);
    const id = await queued("The card.");
    const held = gate();
    platform.onCall = async (call) => {
      if (call !== "send") return;
      platform.onCall = async () => {};
      await held.pass();
      throw error;
    };
    const slept = deliveryBy(woken);
    await held.reached;
    await clock.advance(20_000);
    await store.leases.acquire(LEASE, next, 15_000);
    await store.outbox.settleSend(id, UNCERTAIN);
    await store.deliveries.retry(id);
    const begun = await store.outbox.beginSend(id, next, [{ text: "The card." }]);
    expect(begun).toMatchObject({ sender: next.id });
    held.open();
    await slept[Symbol.asyncDispose]();
    expect(await store.outbox.head(key)).toMatchObject({ id, state: "sending", sender: next.id });
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
  });
});

describe("a message that is offered again", () => {
  /** A message that may not have arrived, offered before an answer. */
  async function offered(): Promise<OutboxId> {
    await store.leases.acquire(LEASE, woken, 15_000);
    const id = await queued("The card.");
    await store.outbox.beginSend(id, woken, [{ text: "The card." }]);
    await store.outbox.settleSend(id, UNCERTAIN);
    await offerUndelivered(store, { key, conversation });
    await queued("The answer.");
    return id;
  }

  it.each(["uncertain", "failed"] as const)(
    "an offered row goes out whatever a first call comes to late (%s)",
    async (kind) => {
      const id = await offered();
      // The gateway that was stopped in its call goes on, and its connection is gone.
      await store.outbox.settleSend(id, { ...UNCERTAIN, kind });
      await clock.advance(16_000);
      await store.leases.acquire(LEASE, next, 15_000);
      await using _delivery = deliveryBy();
      expect(await untilSent()).toEqual([NOTICE, "The card.", "The answer."]);
    },
  );

  it("comes before the next answer although its notice may not have arrived", async () => {
    await offered();
    const notice = await store.outbox.head(key);
    await store.outbox.beginSend(notice?.id ?? ("" as OutboxId), woken, [{ text: NOTICE }]);
    await clock.advance(16_000);
    await store.leases.acquire(LEASE, next, 15_000);
    await using _delivery = deliveryBy();
    expect(await untilSent()).toEqual([NOTICE, "The card.", "The answer."]);
  });
});

describe("a file that cannot be read", () => {
  const file = { name: "plan.bin", mediaType: "application/octet-stream", size: 3, hash: "a".repeat(64) };

  async function sentWith(failures: number): Promise<readonly string[]> {
    platform.capabilities = { ...platform.capabilities, files: { largest: 1_000 } };
    let left = failures;
    const read = async () => {
      if (left-- > 0) throw new Error("EIO");
      return Buffer.from("abc");
    };
    await store.leases.acquire(LEASE, next, 15_000);
    await queued("Here.", [file]);
    await queued("The next answer.");
    await using _delivery = deliveryBy(next, { files: { read } });
    const texts = await untilSent();
    expect(await store.deliveries.list({ limit: 9 })).toEqual([]);
    const names = platform.messages.flatMap(({ files = [] }) => files.map(({ name }) => name));
    return [...names, ...texts.filter((text) => text !== "")];
  }

  it("a file that cannot be read for a moment is sent once it can", async () => {
    expect(await sentWith(2)).toEqual(["plan.bin", "Here.", "The next answer."]);
  });

  it("holds up what follows for seconds only, and a line stands for it", async () => {
    expect(await sentWith(1_000)).toEqual(["Here.", "plan.bin could not be read any more.", "The next answer."]);
  });
});
