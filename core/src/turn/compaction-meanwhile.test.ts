import { afterEach, expect, it } from "vitest";
import { buildSessionKey } from "../adapter/session-key.ts";
import { homeOf } from "../model/place.ts";
import { closeMachines, copied, count, machine, NEXT, nearlyFull, sentText } from "./test-compacting.ts";

afterEach(closeMachines);

const conversation = { platform: "pager", chatId: "1", kind: "dm" } as const;
const surface = buildSessionKey(conversation);

/** A session that fills its window with the next message, and what happens while its beginning is summed up. */
async function fullWhile(happens: (on: Awaited<ReturnType<typeof machine>>) => Promise<unknown>) {
  const on = await machine();
  await nearlyFull(on);
  on.model.summary = async (text) => {
    on.model.summary = null;
    await happens(on);
    // Marks are looked at twice a second.
    await on.clock.advance(2_000);
    return copied(text);
  };
  return { ...on, asked: on.model.sent.length };
}

it("a handoff that is wanted while a model sums up takes the turn along, compacted", async () => {
  const on = await fullWhile(({ store, id }) => store.handoffs.requestHandoff(id, homeOf("pager")));
  expect(await on.ask(NEXT)).toMatchObject({ state: "parked", approvals: [] });
  expect(await count(on.store, on.id)).toBe(1);
  expect(on.model.sent).toHaveLength(on.asked);
  const handoff = await on.store.handoffs.latestOf(on.id);
  if (handoff !== null) expect(await on.store.handoffs.cancelHandoff(handoff.id)).toBe(true);
  const [waits] = await on.store.turns.resumable("terminal");
  expect(await on.process().turns.resume({ turnId: waits?.id as never })).toMatchObject({ state: "done" });
  expect(await count(on.store, on.id)).toBe(1);
  expect(sentText(on.model.sent.at(-1))).toContain("KEEP the port is 4711");
  expect(sentText(on.model.sent.at(-1))).toContain(NEXT);
});

it("a handoff that is wanted during /compact begins once the session is compacted", async () => {
  const on = await fullWhile(({ store, id }) => store.handoffs.requestHandoff(id, homeOf("pager")));
  expect(await on.compact()).toMatchObject({ messages: 4 });
  expect(await on.store.turns.running(on.id)).toBeNull();
  const handoff = await on.store.handoffs.latestOf(on.id);
  expect(handoff).toMatchObject({ state: "pending", error: null });
  expect(await count(on.store, on.id)).toBe(1);
});

it("a message that is edited while a model sums up is answered as it was", async () => {
  const message = { conversation, messageId: "1", sender: { id: "ada" }, text: NEXT, sentAt: 1 };
  const edits: string[] = [];
  const on = await fullWhile(async ({ store }) => {
    const edit = { ...message, text: "something else", isEdit: true };
    edits.push((await store.inbox.acceptInbound(surface, edit)).outcome);
  });
  const accepted = await on.store.inbox.acceptInbound(surface, message);
  if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
  const { id: inboxId, digest } = accepted.row;
  expect(await on.ask(NEXT, { cause: { kind: "inbox", inboxId, digest }, surface })).toMatchObject({ state: "done" });
  expect([edits, await count(on.store, on.id)]).toEqual([["ignored"], 1]);
  expect(sentText(on.model.sent.at(-1))).toContain(NEXT);
  expect(sentText(on.model.sent.at(-1))).not.toContain("something else");
  expect(await on.store.inbox.head(surface)).toBeNull();
});

it("a message that waits for /compact is answered as it was edited meanwhile, once", async () => {
  const message = { conversation, messageId: "1", sender: { id: "ada" }, text: "Remove A.", sentAt: 1 };
  const on = await fullWhile(({ store }) =>
    store.inbox.acceptInbound(surface, { ...message, text: "Remove B.", isEdit: true }),
  );
  const accepted = await on.store.inbox.acceptInbound(surface, message);
  if (accepted.outcome !== "accepted") throw new Error(accepted.outcome);
  const { id: inboxId, digest } = accepted.row;
  const compacted = on.compact();
  const former = on.ask("Remove A.", { cause: { kind: "inbox", inboxId, digest }, surface }, on.process().turns);
  await compacted;
  await on.clock.advance(2_000);
  expect(await former).toEqual({ state: "refused", reason: "changed" });
  const head = await on.store.inbox.head(surface);
  expect(head).toMatchObject({ id: inboxId, state: "queued", message: { text: "Remove B." } });
  const cause = { kind: "inbox", inboxId, digest: head?.digest } as const;
  expect(await on.ask("Remove B.", { cause, surface })).toMatchObject({ state: "done" });
  expect(sentText(on.model.sent.at(-1))).toMatch(/^(?!.*Remove A).*Remove B\./s);
  expect(sentText(on.model.sent.at(-1))).toContain("KEEP the port is 4711");
});
