import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { OutboxId } from "../../model/outbox.ts";
import type { SessionId } from "../../model/session.ts";
import { retryDelivery } from "../../overview/deliveries.ts";
import { accountLease } from "../../store/work-stores.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);
const REFUSED = { code: "PLATFORM_FORBIDDEN", text: "Pager does not permit it: you are blocked." } as const;
const UNCERTAIN = { code: "PLATFORM_UNCERTAIN", text: "The line broke." } as const;

const clock = createVirtualClock();
const openBench = () => createTestBench({ hasPager: true, clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

/** A message of a new session that was refused, or may not have arrived. */
async function undelivered(title: string, text: string, kind: "failed" | "uncertain" = "failed"): Promise<OutboxId> {
  return refuse((await bench.begin(title)).id, text, kind);
}

async function refuse(sessionId: SessionId, text: string, kind: "failed" | "uncertain" = "failed"): Promise<OutboxId> {
  const { store } = bench.host;
  const message = { kind: "answer", markdown: text } as const;
  const [row] = await store.outbox.enqueue([{ key: KEY, conversation: CHAT, message, sessionId }]);
  if (!row) throw new Error("nothing was queued");
  await store.outbox.settleSend(row.id, { kind, error: kind === "failed" ? REFUSED : UNCERTAIN });
  await clock.advance(60_000);
  return row.id;
}

async function serve(): Promise<void> {
  const { store, holder } = bench.host;
  const pager = {
    platform: "pager",
    health: { state: "up" },
    standby: false,
    takesHandoffs: true,
    home: null,
  } as const;
  await store.gateways.heartbeat({
    ...{ id: "gw_1", holder, startedAt: clock.now(), configPath: null },
    platforms: [pager],
  });
  await store.leases.acquire(accountLease("pager", undefined), holder, 15_000);
}

describe("hermes deliveries", () => {
  test("lists what did not arrive, newest first, with number, session, place and reason", async () => {
    expect((await bench.hermes("deliveries")).stdout).toBe("Every message has arrived, as far as Hermes knows.\n");
    const id = await undelivered("plan", "An answer.");
    await undelivered("trip", "Another.", "uncertain");
    const { stdout } = await bench.hermes("deliveries");
    expect(stdout).toMatch(/^ {2}1 {2}trip on pager: may not have arrived, 1 min ago .*\n {5}The line broke\.\n/);
    expect(stdout).toContain(`  2  plan on pager: refused, 2 min ago  ${id}\n     ${REFUSED.text}\n`);
  });

  test("--json prints a delivery with its full text, in the list and alone", async () => {
    const id = await undelivered("plan", "An answer.\n\nIt is long.");
    const delivery = {
      ...{ deliveryId: id, state: "failed", platform: "pager", account: null, chatId: "7", threadId: null },
      ...{
        title: "plan",
        kind: "answer",
        text: "An answer.\n\nIt is long.",
        files: [],
        pieces: { left: 1, all: 1 },
        wasOffered: false,
      },
      error: { code: REFUSED.code, message: REFUSED.text, hint: null },
    };
    expect((await bench.hermes("deliveries", "--json")).json()).toMatchObject({ deliveries: [delivery] });
    const shown = (await bench.hermes("deliveries", "show", "1", "--json")).json();
    expect(shown).toMatchObject(delivery);
    const { stdout } = await bench.hermes("deliveries", "show", id);
    expect(stdout).toContain("plan on pager: refused\n");
    expect(stdout).toContain(`${REFUSED.text}\n\nAn answer.\n\nIt is long.\n`);
  });

  test("--waiting also lists messages that are still to be sent", async () => {
    await bench.host.store.outbox.enqueue([
      { key: KEY, conversation: CHAT, message: { kind: "notice", markdown: "x" } },
    ]);
    expect((await bench.hermes("deliveries", "--json")).json().deliveries).toEqual([]);
    expect((await bench.hermes("deliveries", "--waiting")).stdout).toContain(
      "a reply of Hermes on pager: still to be sent",
    );
  });

  test("names a message that is not there as an error, with the next step", async () => {
    for (const command of ["show", "retry", "drop"]) {
      const { code, stderr } = await bench.hermes("deliveries", command, "7");
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/No undelivered message matches 7\.\n.*hermes deliveries/),
      ]);
    }
  });
});

describe("hermes deliveries retry", () => {
  test("sends a message again: at once where its platform is served, else when it is", async () => {
    const id = await undelivered("plan", "An answer.");
    const without = await bench.hermes("deliveries", "retry", "1");
    expect([without.code, without.stdout]).toEqual([0, expect.stringContaining("as soon as a gateway serves pager")]);
    expect(await bench.host.store.outbox.head(KEY)).toMatchObject({ id, state: "queued" });
    expect((await bench.hermes("deliveries", "retry", id)).stderr).toContain("already sending the message");

    await undelivered("trip", "Another.");
    await serve();
    const served = await bench.hermes("deliveries", "retry", "1", "--json");
    expect(served.json()).toMatchObject({ title: "trip", state: "waiting", isServed: true });
  });

  test("leaves a refused message of a handoff that is under way to that handoff", async () => {
    const { store, holder } = bench.host;
    const { id: sessionId } = await bench.begin("plan");
    const target = { kind: "home", platform: "pager", account: undefined, name: "pager" } as const;
    const asked = await store.handoffs.requestHandoff(sessionId, target);
    if (!asked.ok) throw new Error("the handoff was refused");
    const handoffId = asked.handoff.id;
    expect(await store.handoffs.claimHandoff(handoffId, holder, 15_000)).toBe(true);
    const message = { kind: "answer", markdown: "An answer." } as const;
    const [row] = await store.outbox.enqueue([{ key: KEY, conversation: CHAT, message, sessionId, handoffId }]);
    await store.outbox.settleSend(row?.id ?? ("" as OutboxId), { kind: "failed", error: REFUSED });
    const { code, stderr } = await bench.hermes("deliveries", "retry", "1");
    expect([code, stderr]).toEqual([1, expect.stringContaining("already sending the message")]);
  });
});

describe("hermes deliveries retry of what is held back since others read its chat", () => {
  const GROUP = { platform: "pager", chatId: "-7", kind: "group" } as const;
  const GROUP_KEY = buildSessionKey(GROUP);
  const READERS = "Everybody in a channel on pager (-7) would be able to read this message, which is held back.";

  /** An answer in a private chat that became a group. */
  async function heldBack(): Promise<OutboxId> {
    const id = await undelivered("plan", "The secret plan.");
    const to = { key: GROUP_KEY, conversation: GROUP };
    await bench.host.store.bindings.moveChat({ key: KEY, conversation: CHAT }, to, {
      kind: "notice",
      markdown: "Moved.",
    });
    return id;
  }
  const isQueued = async () => (await bench.host.store.deliveries.list({ limit: 9 })).length === 0;

  test("names who would read a held-back message, and sends it with --yes alone", async () => {
    const id = await heldBack();
    const plain = await bench.hermes("deliveries", "retry", "1");
    expect([plain.code, plain.stderr]).toEqual([1, expect.stringContaining(READERS)]);
    expect(plain.stderr).toContain(`hermes deliveries retry ${id} --yes`);
    const refused = await bench.hermes("deliveries", "retry", id, "--json");
    expect([refused.code, refused.json().error]).toMatchObject([
      1,
      { code: "DELIVERY_READ_BY_OTHERS", message: READERS },
    ]);
    expect(await isQueued()).toBe(false);
    const { readBy } = (await bench.hermes("deliveries", "--json")).json().deliveries[0];
    expect(readBy).toBe("Everybody in a channel on pager (-7)");
    expect((await bench.hermes("deliveries", "retry", id, "--yes")).code).toBe(0);
    expect(await isQueued()).toBe(true);
  });

  test("asks in a terminal before a held-back message is sent, and sends none at a no", async () => {
    await heldBack();
    for (const [answer, code] of [
      ["n", 1],
      ["y", 0],
    ] as const) {
      const run = bench.start(["deliveries", "retry", "1"], { interactive: true });
      await run.printed("Everybody in a channel on pager (-7) will be able to read this message. Send it?");
      expect(await isQueued()).toBe(false);
      run.type(answer);
      expect(await run.ended).toBe(code);
    }
    expect(await isQueued()).toBe(true);
  });

  test("asks about a held-back message that was read before its chat was moved", async () => {
    const id = await undelivered("plan", "The secret plan.");
    const { store } = bench.host;
    const before = await store.deliveries.get(id);
    const to = { key: GROUP_KEY, conversation: GROUP };
    await store.bindings.moveChat({ key: KEY, conversation: CHAT }, to, { kind: "notice", markdown: "Moved." });
    if (before === null) throw new Error("it is not there");
    await expect(retryDelivery(store, before)).rejects.toMatchObject({ code: "DELIVERY_READ_BY_OTHERS" });
  });
});

describe("hermes deliveries drop", () => {
  test("hermes deliveries drop gives a message up; its text stays in the session", async () => {
    const id = await undelivered("plan", "An answer.");
    const { code, stdout } = await bench.hermes("deliveries", "drop", "1");
    expect([code, stdout]).toEqual([0, "Dropped. What was said stays in its session.\n"]);
    expect((await bench.hermes("deliveries", "--json")).json()).toEqual({ deliveries: [] });
    expect((await bench.hermes("deliveries", "show", id, "--json")).json().error.code).toBe("DELIVERY_UNKNOWN");
  });
});

describe("the chat in the terminal", () => {
  test("the chat starts with the count of undelivered messages and names later ones", async () => {
    await undelivered("plan", "An answer.");
    await undelivered("trip", "Another.", "uncertain");
    const chat = bench.start([], { interactive: true });
    await chat.printed("2 messages did not arrive, or may not have: `hermes deliveries`");
    await undelivered("garden", "A third.");
    await chat.printed("A message of “garden” did not reach pager. Pager does not permit it: you are blocked.");
    chat.end();
    await chat.ended;
    expect(chat.stderr().match(/did not reach pager/g)).toHaveLength(1);
  });

  test("names a message again that was sent again by hand and refused", async () => {
    const { deliveries, outbox } = bench.host.store;
    const chat = bench.start([], { interactive: true });
    await chat.printed("›");
    const id = await undelivered("garden", "A third.");
    const told = () => chat.stderr().match(/did not reach pager/g)?.length ?? 0;
    await expect.poll(told).toBe(1);
    await deliveries.tell(id, []);
    const notice = { kind: "notice", markdown: "Before:" } as const;
    // An offer that is refused is no news.
    await deliveries.offer({ key: KEY, conversation: CHAT }, { failed: notice, uncertain: notice }, 1);
    const refused = await outbox.head(KEY);
    await clock.advance(1_000);
    await outbox.settleSend(refused?.id ?? id, { kind: "failed", error: REFUSED });
    await deliveries.offer({ key: KEY, conversation: CHAT }, { failed: notice, uncertain: notice }, 1);
    const above = await outbox.head(KEY);
    await outbox.settleSend(above?.id ?? id, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });
    // Refused when it is offered is no news.
    await outbox.settleSend(id, { kind: "failed", error: REFUSED });
    await undelivered("trip", "Another.");
    await expect.poll(told).toBe(2);
    await bench.hermes("deliveries", "retry", id);
    await outbox.settleSend(id, { kind: "failed", error: REFUSED });
    await clock.advance(60_000);
    await expect.poll(told).toBe(3);
    chat.end();
    await chat.ended;
    expect(chat.stderr().match(/“garden” did not reach pager/g)).toHaveLength(2);
  });

  test("shows in the session that is open what was refused of it, and says it once", async () => {
    const session = await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("›");
    await refuse(session.id, "An answer.");
    await chat.printed(`pager did not deliver a message of this session: ${REFUSED.text}`);
    await undelivered("garden", "A third.");
    await chat.printed("A message of “garden” did not reach pager.");
    const [message] = await bench.host.store.deliveries.list({ limit: 1 });
    const group = { ...CHAT, chatId: "-7", kind: "group" } as const;
    const to = { key: buildSessionKey(group), conversation: group };
    await undelivered("trip", "Another.", "uncertain");
    if (message) await bench.host.store.bindings.moveChat(message, to, { kind: "notice", markdown: "Moved." });
    await chat.printed("A message of “trip” may not have reached pager. Others read that chat by now.");
    chat.end();
    await chat.ended;
    expect(chat.stderr()).not.toContain("A message of “plan”");
  });
});
