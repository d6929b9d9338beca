import { buildSessionKey, type Conversation, chatOf } from "@hermes/core";
import { OPERATOR } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { entry, HOME, HOME_KEY, LEASE_MS, MOVED, type StoreTest, THREAD } from "./kit.ts";
import { decide, queued, resume, resumed, texts, waiting } from "./waiting.ts";

export function describePartedPlaces(test: StoreTest): void {
  describe("a place that is parted from its session", () => {
    const group: Conversation = { platform: "pager", chatId: "7", kind: "group" };
    const laneAt = (conversation: Conversation) => ({ key: buildSessionKey(conversation), conversation });
    for (const [what, from, to] of [
      ["a private chat that becomes a shared one", HOME, group],
      ["a thread that leaves a private chat", THREAD, { ...group, threadId: "7" }],
      ["a thread that comes into another private chat", THREAD, { ...THREAD, chatId: "8" }],
      ["a private thread that is opened", { ...group, threadId: "7", isPrivate: true }, { ...group, threadId: "8" }],
    ] as const) {
      test(`${what} is parted from its session`, async (kit) => {
        const { bindings, outbox, inbox, sessions } = kit.store;
        const [former, now] = [laneAt(from), laneAt(to)];
        const originChat = buildSessionKey(chatOf(from));
        const { id } = await sessions.create({ user: OPERATOR, origin: former.key, originChat });
        await bindings.bind({ ...former, sessionId: id, mirrors: true });
        await outbox.enqueue([
          { ...former, message: { kind: "answer", markdown: "The secret plan" }, sessionId: id },
          { ...former, message: { kind: "notice", markdown: "A code", isSecret: true } },
        ]);
        const waiting = { conversation: from, messageId: "1", sender: { id: "ada" }, text: "Hi", sentAt: 0 };
        await inbox.acceptInbound(former.key, waiting);
        const target = {
          kind: "conversation",
          platform: "pager",
          account: undefined,
          name: "here",
          ...former,
        } as const;
        const asked = await kit.store.handoffs.requestHandoff(id, target);

        await bindings.moveChat(former, now, MOVED);
        await bindings.moveChat(former, now, MOVED);
        await kit.restart();
        const { store } = kit;
        expect([await store.bindings.get(former.key), await store.bindings.get(now.key)]).toEqual([null, null]);
        expect(await store.outbox.head(former.key)).toBeNull();
        const [kept, ...others] = await store.deliveries.untold(9);
        expect([kept, others]).toMatchObject([
          { ...now, message: { markdown: "The secret plan" }, state: "failed", isHeldBack: true },
          [],
        ]);
        // Whoever saw it before the move said yes to other readers, if to any.
        for (const saw of [former, now]) {
          expect(await store.deliveries.retry(kept?.id ?? ("" as never), { ...saw, isHeldBack: saw === former })).toBe(
            false,
          );
        }
        const notice = { kind: "notice", markdown: "It was refused:" } as const;
        expect(await store.deliveries.offer(now, { failed: notice, uncertain: notice }, 9)).toEqual([]);
        const told = await store.outbox.head(now.key);
        expect(told).toMatchObject({ message: MOVED, sessionId: null });
        expect(told && (await store.outbox.head(now.key, told.id))).toBeNull();
        expect((await store.inbox.head(now.key))?.message).toMatchObject({ text: "Hi", conversation: to });
        expect(asked.ok && (await store.handoffs.get(asked.handoff.id))).toMatchObject({ to: { key: former.key } });
        if (to.kind === "dm" || from.kind !== "dm") return;
        const visible = { kind: "of-chat", chat: buildSessionKey(chatOf(to)), here: now.key } as const;
        expect((await store.sessions.list({ visible, limit: 9 })).sessions).toEqual([]);
      });
    }

    for (const outcome of ["again", "uncertain", "failed", "sent", "given back"] as const) {
      test(`what is being sent when its place is parted is not sent again (${outcome})`, async (kit) => {
        const { bindings, outbox } = kit.store;
        const gateway = await kit.gateway();
        const { id } = await kit.session();
        const [former, now] = [laneAt(HOME), laneAt(group)];
        await bindings.bind({ ...former, sessionId: id, mirrors: true });
        const said = { ...former, message: { kind: "answer", markdown: "The secret plan" }, sessionId: id } as const;
        const [queued] = await outbox.enqueue([said]);
        const row = queued && (await outbox.beginSend(queued.id, gateway, [{ text: "The secret plan" }]));
        if (!row) throw new Error("it was not begun");
        await bindings.moveChat(former, now, MOVED);
        // It may arrive yet: nobody is told that it was refused.
        const during = await kit.store.deliveries.list({ limit: 9 });
        expect(during).toMatchObject([{ id: row.id, state: "uncertain", isHeldBack: true, ...now }]);
        expect(await kit.store.deliveries.untold(9)).toEqual([]);
        expect(await kit.store.transcripts.read(id)).toEqual([]);
        const error = { code: "PLATFORM_UNAVAILABLE", text: "busy" } as const;
        if (outcome === "given back") await outbox.giveBack(row.id, gateway);
        else if (outcome === "again") await outbox.settleSend(row.id, { kind: "again", dueAt: 0, error }, row);
        else if (outcome !== "sent") await outbox.settleSend(row.id, { kind: outcome, error }, row);
        else await outbox.settleSend(row.id, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } }, row);
        await kit.restart();
        expect(await kit.drain(former.key, gateway)).toEqual([]);
        expect(await kit.drain(now.key, gateway)).toEqual([MOVED.markdown]);
        const state = outcome === "uncertain" ? "uncertain" : "failed";
        const kept = outcome === "sent" ? [] : [{ id: row.id, state, isHeldBack: true, ...now }];
        expect(await kit.store.deliveries.list({ limit: 9, waiting: true })).toMatchObject(kept);
        expect(await kit.store.deliveries.untold(9)).toMatchObject(kept);
        expect(await kit.store.transcripts.read(id)).toHaveLength(kept.filter(() => state === "failed").length);
        for (const { id: one } of kept) await kit.store.deliveries.tell(one, []);
        expect(await kit.store.deliveries.untold(9)).toEqual([]);
      });
    }

    test("what was being sent when its place was parted is told if its sender is killed", async (kit) => {
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      const [queued] = await kit.store.outbox.enqueue([{ ...entry("The plan"), sessionId: id }]);
      await kit.store.outbox.beginSend(queued?.id ?? ("" as never), gateway, [{ text: "The plan" }]);
      await kit.store.bindings.moveChat(laneAt(HOME), laneAt(group), MOVED);
      expect(await kit.store.deliveries.list({ limit: 9 })).toMatchObject([{ isUnderWay: true }]);
      kit.kill(gateway);
      await kit.restart();
      expect(await kit.store.deliveries.untold(9)).toMatchObject([{ state: "uncertain", isUnderWay: false }]);
    });

    test("a handoff whose place is parted while its message is sent is not delivered", async (kit) => {
      const gateway = await kit.gateway();
      for (const isFailed of [false, true]) {
        const { id } = await kit.session();
        const handoff = await kit.bound(id, gateway);
        await kit.answeredHandoff(id, handoff, gateway);
        const key = buildSessionKey(THREAD);
        const last = (await kit.store.outbox.ofHandoff(handoff)).at(-1);
        for (let head = await kit.store.outbox.head(key); head && head.id !== last?.id; ) {
          await kit.store.outbox.settleSend(head.id, { kind: "sent", receipt: { messageId: head.id, sentAt: 0 } });
          head = await kit.store.outbox.head(key);
        }
        const row = last && (await kit.store.outbox.beginSend(last.id, gateway, [{ text: "The plan" }]));
        if (!row) throw new Error("it was not begun");
        if (isFailed)
          await kit.store.handoffs.compensateHandoff(handoff, gateway, { code: "PLATFORM_FORBIDDEN", text: "x" });
        await kit.store.bindings.moveChat(laneAt(THREAD), laneAt({ ...group, threadId: "7" }), MOVED);
        const refusal = await kit.store.outbox.refusalOf(handoff);
        const error = { code: "PLATFORM_UNCERTAIN", text: "The line broke." } as const;
        const settled = await kit.store.outbox.settleSend(row.id, { kind: "uncertain", error }, row);
        expect(refusal).toMatchObject({ code: "CHAT_NOT_PRIVATE" });
        expect(settled.state).toBe(isFailed ? "cancelled" : "uncertain");
        expect(await kit.store.handoffs.get(handoff)).toMatchObject({ step: "answered" });
        if (!isFailed)
          await kit.store.handoffs.compensateHandoff(handoff, gateway, { code: "PLATFORM_FORBIDDEN", text: "x" });
      }
    });

    test("what is sent by hand is held back if its place is parted anew", async (kit) => {
      const { bindings, outbox, deliveries } = kit.store;
      const gateway = await kit.gateway();
      for (const [at, part] of [
        [laneAt({ ...HOME, chatId: "8" }), "chat"],
        [laneAt({ ...HOME, chatId: "9" }), "session"],
      ] as const) {
        for (const kind of ["uncertain", "failed"] as const) {
          const { id } = await kit.session();
          await bindings.bind({ ...at, sessionId: id, mirrors: false });
          const [sent] = await outbox.enqueue([{ ...at, message: { kind: "answer", markdown: kind }, sessionId: id }]);
          const row = sent?.id ?? ("" as never);
          await outbox.beginSend(row, gateway, [{ text: kind }]);
          const code = kind === "failed" ? "PLATFORM_FORBIDDEN" : "PLATFORM_UNCERTAIN";
          await outbox.settleSend(row, { kind, error: { code, text: "No." } });
          const moved = laneAt({ ...group, chatId: `${at.conversation.chatId} ${kind}` });
          await bindings.moveChat(at, moved, MOVED);
          await deliveries.tell(row, []);
          expect(await deliveries.retry(row, { ...moved, isHeldBack: true })).toBe(true);
          const ofRow = async () => (await deliveries.list({ limit: 9 })).find((one) => one.id === row);
          const told = await outbox.head(moved.key);
          await outbox.settleSend(told?.id ?? row, { kind: "sent", receipt: { messageId: row, sentAt: 0 } });
          expect(await outbox.head(moved.key)).toMatchObject({ id: row, isByHand: true });
          if (part === "session") await bindings.bind({ ...moved, sessionId: id, mirrors: false });
          if (part === "session") await bindings.part(moved.key, id, []);
          else await bindings.moveChat(moved, laneAt({ ...at.conversation, chatId: row }), MOVED);
          expect(await ofRow()).toMatchObject({ state: kind, isHeldBack: true });
          expect((await deliveries.untold(9)).map((one) => one.id)).toContain(row);
        }
      }
    });

    test.inSession("what is left of a deleted session is kept when its place is parted", async (kit, id) => {
      await kit.store.outbox.enqueue([{ ...entry("The plan"), sessionId: id }]);
      await kit.store.sessions.delete(id);
      await kit.store.bindings.moveChat(laneAt(HOME), laneAt(group), MOVED);
      await kit.restart();
      expect(await kit.store.deliveries.untold(9)).toMatchObject([
        { ...laneAt(group), state: "failed", isHeldBack: true, message: { tellsOf: { deleted: id } } },
      ]);
    });

    test("what is being sent when its chat leaves its session is not sent again", async (kit) => {
      const { bindings, outbox } = kit.store;
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      await bindings.bind({ ...laneAt(HOME), sessionId: id, mirrors: false });
      const [queued] = await outbox.enqueue([{ ...entry("The plan"), sessionId: id }]);
      const row = queued && (await outbox.beginSend(queued.id, gateway, [{ text: "The plan" }]));
      if (!row) throw new Error("it was not begun");
      await bindings.part(HOME_KEY, id, [entry("parted")]);
      expect(await kit.store.deliveries.list({ limit: 9 })).toMatchObject([{ id: row.id, state: "uncertain" }]);
      expect(await kit.store.deliveries.untold(9)).toEqual([]);
      const error = { code: "PLATFORM_UNAVAILABLE", text: "busy" } as const;
      await outbox.settleSend(row.id, { kind: "again", dueAt: 0, error }, row);
      await kit.restart();
      expect(await kit.drain(HOME_KEY, gateway)).toEqual(["parted"]);
      expect(await kit.store.deliveries.list({ limit: 9, waiting: true })).toMatchObject([
        { id: row.id, isHeldBack: true },
      ]);
    });

    test("what may have arrived stays uncertain however often its place is parted", async (kit) => {
      const { bindings, outbox } = kit.store;
      const gateway = await kit.gateway();
      const { id } = await kit.session();
      const message = { kind: "answer", markdown: "The plan" } as const;
      const [sent] = await outbox.enqueue([{ ...laneAt(HOME), message, sessionId: id }]);
      const row = sent && (await outbox.beginSend(sent.id, gateway, [{ text: "The plan" }]));
      const error = { code: "PLATFORM_UNCERTAIN", text: "The line broke." } as const;
      await outbox.settleSend(row?.id ?? ("" as never), { kind: "uncertain", error });
      const other = laneAt({ ...HOME, chatId: "8" });
      await bindings.moveChat(laneAt(HOME), laneAt(group), MOVED);
      await bindings.moveChat(laneAt(group), other, MOVED);
      await kit.restart();
      const { deliveries, transcripts } = kit.store;
      expect(await deliveries.list({ limit: 9 })).toMatchObject([
        { ...other, id: row?.id, state: "uncertain", isHeldBack: true },
      ]);
      expect(await deliveries.untold(9)).toMatchObject([{ id: row?.id, state: "uncertain" }]);
      expect(await transcripts.read(id)).toEqual([]);
    });

    test("a turn that waits when its place is parted goes on where else its session is", async (kit) => {
      for (const elsewhere of [null, laneAt({ ...HOME, platform: "beacon" })]) {
        const held = await waiting(kit);
        const { id, turnId, approvals } = held;
        if (elsewhere !== null) await kit.store.bindings.bind({ ...elsewhere, sessionId: id, mirrors: true });
        await kit.store.bindings.moveChat(laneAt(HOME), laneAt(group), MOVED);
        expect(await kit.store.turns.get(turnId)).toMatchObject({
          state: "waiting",
          surface: elsewhere?.key ?? "terminal",
        });
        expect(await kit.store.approvals.open(id)).toHaveLength(1);
        expect(await kit.store.approvals.shownAt(HOME_KEY)).toEqual([]);
        for (const approval of approvals) await decide(kit, approval, { kind: "once" }, { surface: "terminal" });
        expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      }
    });

    test("a turn that waits when its place is parted is asked about where it goes on", async (kit) => {
      const elsewhere = laneAt({ ...HOME, chatId: "8" });
      await waiting(kit, { boundAt: [elsewhere] });
      expect(await kit.store.outbox.head(elsewhere.key)).toBeNull();
      await kit.store.bindings.moveChat(laneAt(HOME), laneAt(group), MOVED);
      expect(await kit.store.approvals.shownAt(elsewhere.key)).toHaveLength(1);
      expect(texts(await queued(kit, elsewhere.key))).toEqual(["all of 1.1", "may 1.1 run?"]);
    });

    test("a turn that is cut off after its place is parted names no files there", async (kit) => {
      const { turnId, approvals } = await waiting(kit);
      for (const approval of approvals) await decide(kit, approval);
      const { fence } = await resumed(kit, turnId);
      const files = [{ hash: "a".repeat(64), name: "plan.pdf", mediaType: "application/pdf", size: 3 }];
      await kit.store.turns.append(turnId, fence, [{ role: "tool", text: "sent", toolCallId: "1.1", files }]);
      await kit.store.bindings.moveChat(laneAt(HOME), laneAt(group), MOVED);
      await kit.clock.advance(LEASE_MS);
      expect(await resume(kit, turnId)).toEqual({ ok: false, reason: "ended" });
      const rows = await Promise.all([HOME_KEY, laneAt(group).key].map((key) => queued(kit, key)));
      expect(texts(rows.flat()).join()).not.toContain("plan.pdf");
    });
  });
}
