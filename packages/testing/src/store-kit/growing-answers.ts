import { buildSessionKey, type Conversation } from "@hermes/core";
import type { Draft } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { entry, HOME, type Kit, PIECES, REFUSED, type StoreTest, THREAD } from "./kit.ts";

/** Queues a streamed answer at a place, with the draft's message id there, or null if that is not known. */
export async function grownAnswer(
  kit: Kit,
  conversation: Conversation,
  messageId: string | null,
  meanwhile?: (draft: Draft) => Promise<void>,
) {
  const key = buildSessionKey(conversation);
  const { id } = await kit.session();
  const { turn, fence } = await kit.granted(id, { surface: key });
  const draft = { sendKey: `draft:${turn.id}`, turnId: turn.id, key, conversation, messageId };
  await kit.store.outbox.saveDraft(draft);
  await meanwhile?.(draft);
  const outbox = [entry("answer", conversation)];
  await kit.finish({ turn, fence }, null, { outbox });
  return { turn, row: await kit.head(key) };
}

export function describeGrowingAnswers(test: StoreTest): void {
  describe("an answer that grows in a message", () => {
    test("an answer that leaves the message it grew in becomes a message of its own", async (kit) => {
      const gateway = await kit.gateway();
      const { turn, row } = await grownAnswer(kit, HOME, "d");
      const rowId = row.id;
      expect(row.draftMessageId).toBe("d");
      await kit.store.outbox.beginSend(rowId, gateway, PIECES);
      expect(await kit.store.outbox.leaveDraft(rowId)).toMatchObject({ state: "sending", draftMessageId: null });
      expect(await kit.store.outbox.draft(`draft:${turn.id}`)).toBeNull();
      await kit.restart();
      expect(await kit.head()).toMatchObject({ id: rowId, state: "sending", draftMessageId: null });
    });

    test("an answer that grows in a message that is refused late becomes a new message", async (kit) => {
      const refuse = (at?: Conversation) => kit.store.outbox.settleLate("pager", undefined, "d", REFUSED, at);
      const { row } = await grownAnswer(kit, HOME, "d");
      await refuse({ ...HOME, chatId: "another" });
      expect(await kit.head()).toMatchObject({ id: row.id, draftMessageId: "d" });
      await refuse(HOME);
      expect(await kit.head()).toMatchObject({ id: row.id, draftMessageId: null, draftKey: null });
      const during = await grownAnswer(kit, THREAD, "d", async (draft) => {
        await refuse();
        // Whoever writes it notes the message once more at the end.
        await kit.store.outbox.saveDraft(draft);
      });
      expect(during.row).toMatchObject({ draftMessageId: null, draftKey: null });
    });

    test("one row of an answer takes over its streamed message when that is found late", async (kit) => {
      const gateway = await kit.gateway();
      const shown = "all";
      const { turn, row } = await grownAnswer(kit, HOME, null, (draft) =>
        kit.store.outbox.saveDraft({ ...draft, shown }),
      );
      const rowId = row.id;
      expect(row.draftMessageId).toBeNull();
      await kit.store.outbox.beginSend(rowId, gateway, [...PIECES, ...PIECES]);
      expect(await kit.store.outbox.takeDraft(rowId, "d")).toMatchObject({ state: "sending", draftMessageId: "d" });
      await kit.restart();
      expect(await kit.head()).toMatchObject({ id: rowId, draftMessageId: "d" });
      expect(await kit.store.outbox.draft(`draft:${turn.id}`)).toMatchObject({ messageId: "d", shown });
      await kit.store.outbox.takeDraft(rowId, "d", "?all");
      expect(await kit.store.outbox.draft(`draft:${turn.id}`)).toMatchObject({ messageId: "d", shown: "?all" });
      await kit.store.outbox.settleSend(rowId, { kind: "sent", receipt: { messageId: "d", sentAt: 0 } });
      expect(await kit.head()).toMatchObject({ turnId: turn.id, draftMessageId: null });
    });
  });
}
