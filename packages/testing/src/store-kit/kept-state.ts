import type { HandoffId, Holder, KeptState, NewOutboxEntry, OutboxId, SessionId } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { entry, handoffTurn, type Kit, LEASE_MS, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

const WORK: KeptState = {
  ...{ task: "Mend the parser", progress: "It is mended", nextStep: "Say so" },
  ...{ decisions: ["Keep commas"], openQuestions: ["Which version?"], files: ["src/parser.ts"] },
  ...{ model: "acme/large", at: 5 },
};

const REFUSED = { code: "PLATFORM_REJECTED", text: "refused" } as const;

/** A card that shows the state, queued with the handoff's notice. */
async function card(kit: Kit, handoff: HandoffId): Promise<OutboxId> {
  const [row] = await kit.store.outbox.enqueue([{ ...said("card", "before"), handoffId: handoff }]);
  if (row === undefined) throw new Error("nothing was queued");
  return row.id;
}

function said(kind: "card" | "answer", markdown: string): NewOutboxEntry {
  return { ...entry(markdown, THREAD), message: { kind, markdown } };
}

async function answer(kit: Kit, id: SessionId, handoff: HandoffId, holder: Holder, edits: OutboxId): Promise<void> {
  const { turn, fence } = await kit.granted(id, handoffTurn(handoff, holder));
  const outbox = [
    { ...said("answer", "It is mended."), handoffId: handoff },
    { ...said("card", "after"), handoffId: null, edits },
  ];
  await kit.finish({ turn, fence }, "It is mended.", { work: WORK, outbox });
}

/** Sends what waits in the thread, and says what each call was: a message, or an edit of which one. */
async function sendAll(kit: Kit, gateway: Holder): Promise<string[]> {
  const calls: string[] = [];
  for (;;) {
    const head = await kit.store.outbox.head(THREAD_KEY);
    if (head === null) return calls;
    const row = await kit.store.outbox.beginSend(head.id, gateway, [{ text: head.message.markdown }]);
    if (row === null) {
      calls.push(`not sent: ${head.message.markdown}`);
      continue;
    }
    calls.push(row.draftMessageId === null ? head.message.markdown : `${row.draftMessageId}: ${head.message.markdown}`);
    const receipt = { messageId: row.draftMessageId ?? `m-${head.message.markdown}`, sentAt: 1 };
    await kit.store.outbox.settleSend(row.id, { kind: "sent", receipt });
  }
}

export function describeKeptState(test: StoreTest): void {
  describe("where the work stands", () => {
    test("what a model says of the work is kept with its answer, and replaced by the next", async (kit) => {
      const { id } = await kit.session();
      expect(await kit.store.sessions.keptState(id)).toBeNull();
      const first = await kit.granted(id);
      const of = { turnId: first.turn.id, fence: first.fence, state: "done", messages: [], outbox: [] } as const;
      await kit.store.turns.finishTurn({ ...of, work: WORK });
      await kit.restart();
      expect(await kit.store.sessions.keptState(id)).toEqual(WORK);
      await kit.exchange(id, "And now?", "The same.");
      expect(await kit.store.sessions.keptState(id)).toEqual(WORK);
      const next = await kit.granted(id);
      const later = { ...WORK, task: "Mend the printer", at: 9 };
      await kit.store.turns.finishTurn({ ...of, turnId: next.turn.id, fence: next.fence, work: later });
      expect(await kit.store.sessions.keptState(id)).toEqual(later);
      await kit.store.sessions.delete(id);
      expect(await kit.store.sessions.keptState(id)).toBeNull();
    });

    test.inSession("a holder that was superseded keeps nothing of the work", async (kit, id) => {
      const holder = kit.process();
      const { turn, fence } = await kit.granted(id, { holder });
      kit.kill(holder);
      await kit.granted(id);
      const late = { turnId: turn.id, fence, state: "done", messages: [], outbox: [], work: WORK } as const;
      await expect(kit.store.turns.finishTurn(late)).rejects.toMatchObject({ code: "TURN_SUPERSEDED" });
      expect(await kit.store.sessions.keptState(id)).toBeNull();
    });

    test.withGateway("the card that was sent is edited to what the answer said of the work", async (kit, gateway) => {
      const { id, handoff } = await kit.boundHandoff();
      const shown = await card(kit, handoff);
      await sendAll(kit, gateway);
      await answer(kit, id, handoff, await holderOf(kit, handoff), shown);
      await kit.restart();
      expect(await sendAll(kit, gateway)).toEqual(["It is mended.", "m-before: after"]);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "delivered" });
    });

    test.withGateway("a card that waits when the answer comes is sent first, and then edited", async (kit, gateway) => {
      const { id, handoff } = await kit.boundHandoff();
      await answer(kit, id, handoff, await holderOf(kit, handoff), await card(kit, handoff));
      expect(await sendAll(kit, gateway)).toEqual(["notice", "before", "It is mended.", "m-before: after"]);
    });

    test.withGateway("a card that was refused, or is elsewhere by now, is not edited", async (kit, gateway) => {
      const { id, handoff } = await kit.boundHandoff();
      await kit.drain(THREAD_KEY, gateway);
      const shown = await card(kit, handoff);
      await kit.store.outbox.beginSend(shown, gateway, [{ text: "before" }]);
      await kit.store.outbox.settleSend(shown, { kind: "uncertain", error: REFUSED });
      await answer(kit, id, handoff, await holderOf(kit, handoff), shown);
      expect(await sendAll(kit, gateway)).toEqual(["It is mended.", "not sent: after"]);
      expect(await kit.store.outbox.head(THREAD_KEY)).toBeNull();
    });

    test.withGateway("an edit of a card that is refused is dropped, and holds no handoff up", async (kit, gateway) => {
      const { id, handoff } = await kit.boundHandoff();
      const shown = await card(kit, handoff);
      await sendAll(kit, gateway);
      await answer(kit, id, handoff, await holderOf(kit, handoff), shown);
      const said = await kit.begin(gateway, THREAD_KEY);
      await kit.store.outbox.settleSend(said.id, { kind: "sent", receipt: { messageId: "m-2", sentAt: 1 } });
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "delivered" });
      const edit = await kit.begin(gateway, THREAD_KEY);
      const row = await kit.store.outbox.settleSend(edit.id, { kind: "failed", error: REFUSED });
      expect(row.state).toBe("cancelled");
      expect(await kit.store.deliveries.list({ waiting: true, limit: 5 })).toEqual([]);
    });

    test.inSession("a handoff that takes a waiting turn along leaves what is kept of the work", async (kit, id) => {
      const { turn, fence } = await kit.granted(id);
      await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages: [], outbox: [], work: WORK });
      const next = await kit.granted(id);
      await kit.store.turns.parkTurn({
        ...{ turnId: next.turn.id, fence: next.fence, reason: "handoff", approvals: [], shownAt: [], outbox: [] },
      });
      const gateway = kit.process("gateway");
      const handoff = await kit.bound(id, gateway);
      expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "answered" });
      expect(await kit.store.handoffs.renewHandoff(handoff, gateway, LEASE_MS)).toBe(true);
      expect(await kit.store.sessions.keptState(id)).toEqual(WORK);
    });
  });
}

async function holderOf(kit: Kit, handoff: HandoffId): Promise<Holder> {
  const holder = (await kit.store.handoffs.get(handoff))?.holder;
  if (holder == null) throw new Error("nobody has the handoff");
  return holder;
}
