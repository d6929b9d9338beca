import type { InboxRow } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { DAY_MS, entry, HOME, HOME_KEY, type StoreTest, THREAD, THREAD_KEY } from "./kit.ts";

export function describeInbox(test: StoreTest): void {
  describe("inbox", () => {
    test("works on a lane's messages in the order of arrival, even after a restart", async (kit) => {
      const rows = [];
      for (const text of ["one", "two", "three"]) rows.push(await kit.accepted(text));
      await kit.accepted("elsewhere", THREAD);
      await kit.restart();
      const texts = [];
      for (;;) {
        const head = await kit.store.inbox.head(HOME_KEY);
        if (!head) break;
        texts.push(head.message.text);
        await kit.store.inbox.settle(head.id, []);
      }
      expect(texts).toEqual(["one", "two", "three"]);
      expect(rows[0]?.message).toMatchObject({ conversation: HOME, sender: { id: "ada" }, text: "one" });
    });

    test("finds the message behind another one in its lane, whatever is done by then", async (kit) => {
      const [one, two, three] = [await kit.accepted("one"), await kit.accepted("two"), await kit.accepted("three")];
      await kit.accepted("elsewhere", THREAD);
      await kit.store.inbox.settle(two.id, []);
      expect(await kit.store.inbox.next(one.id)).toMatchObject({ id: three.id });
      expect(await kit.store.inbox.next(two.id)).toMatchObject({ id: three.id });
      expect(await kit.store.inbox.next(three.id)).toBeNull();
    });

    test("tells whether anybody wrote in a lane, also when all of it is done", async (kit) => {
      const { id } = await kit.accepted("one", THREAD);
      const both = async () => [await kit.store.inbox.hasRows(THREAD_KEY), await kit.store.inbox.hasRows(HOME_KEY)];
      expect(await both()).toEqual([true, false]);
      await kit.store.inbox.settle(id, []);
      expect(await both()).toEqual([true, false]);
    });

    test("stores a message once that comes twice, by any route or process, even when done", async (kit) => {
      const other = await kit.second();
      const message = kit.message("hello", HOME, "m-1");
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, message)).toMatchObject({ outcome: "accepted" });
      expect(await other.inbox.acceptInbound(HOME_KEY, message)).toEqual({ outcome: "duplicate" });
      const head = await kit.store.inbox.head(HOME_KEY);
      if (head) await kit.store.inbox.settle(head.id, []);
      expect(await other.inbox.acceptInbound(HOME_KEY, message)).toEqual({ outcome: "duplicate" });
      const viaThread = { ...message, conversation: THREAD };
      expect(await other.inbox.acceptInbound(THREAD_KEY, viaThread)).toEqual({ outcome: "duplicate" });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
    });

    test("what is said of a message at once goes out once, however often the message comes", async (kit) => {
      const message = kit.message("hello", HOME, "m-1");
      await kit.store.inbox.acceptInbound(HOME_KEY, message, [entry("said of it")]);
      await kit.store.inbox.acceptInbound(HOME_KEY, message, [entry("said of it")]);
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, isEdit: true }, [entry("said of the edit")]);
      const head = await kit.store.inbox.head(HOME_KEY);
      if (head) await kit.store.inbox.settle(head.id, []);
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, isEdit: true }, [entry("said too late")]);
      expect(await kit.drain(HOME_KEY, await kit.gateway())).toEqual(["said of it", "said of the edit"]);
    });

    test("the same id in another chat, account or workspace is another message", async (kit) => {
      const chats = [HOME, { ...HOME, chatId: "101" }, { ...HOME, account: "b" }, { ...HOME, scope: "w" }];
      for (const chat of chats) {
        const message = kit.message("hello", chat, "same");
        expect(await kit.store.inbox.acceptInbound(HOME_KEY, message)).toMatchObject({ outcome: "accepted" });
      }
    });

    test.inSession("an edit replaces a text that waits; once its turn has begun it is ignored", async (kit, id) => {
      const message = kit.message("helo", HOME, "m-1");
      await kit.store.inbox.acceptInbound(HOME_KEY, message);
      const edit = { ...message, text: "hello", isEdit: true };
      const replaced = await kit.store.inbox.acceptInbound(HOME_KEY, edit);
      const head = await kit.store.inbox.head(HOME_KEY);
      expect(replaced).toEqual({ outcome: "replaced", row: head });
      expect(head?.message.text).toBe("hello");
      expect(head?.message.isEdit ?? false).toBe(false);
      if (!head) throw new Error("the lane is empty");
      const { turn, fence } = await kit.granted(id, { cause: { kind: "inbox", inboxId: head.id } });
      const late = { ...edit, text: "too late" };
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, late)).toEqual({ outcome: "ignored" });
      expect((await kit.store.inbox.head(HOME_KEY))?.message.text).toBe("hello");
      await kit.finish({ turn, fence });
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, late)).toEqual({ outcome: "ignored" });
    });

    test("no turn begins with the former text of a message that was edited while it waited", async (kit) => {
      const { id } = await kit.session();
      const { turn, fence } = await kit.granted(id);
      const { message, ...former } = await kit.accepted("Remove A.");
      const begin = ({ id: inboxId, digest }: Pick<InboxRow, "id" | "digest">) =>
        kit.turn(id, { cause: { kind: "inbox", inboxId, digest } });
      expect(await begin(former)).toMatchObject({ ok: false, reason: "busy" });
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, text: "Remove B.", isEdit: true });
      await kit.restart();
      await kit.finish({ turn, fence });
      expect(await begin(former)).toEqual({ ok: false, reason: "changed" });
      const edited = await kit.store.inbox.head(HOME_KEY);
      expect(edited).toMatchObject({ state: "queued", message: { text: "Remove B." } });
      if (edited) expect(await begin(edited)).toMatchObject({ ok: true });
    });

    test("an edit by another person changes nothing, whatever id it names", async (kit) => {
      const message = kit.message("hello", HOME, "m-1");
      await kit.store.inbox.acceptInbound(HOME_KEY, message);
      const edit = { ...message, text: "/new", sender: { id: "eve" }, isEdit: true };
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, edit)).toEqual({ outcome: "ignored" });
      expect((await kit.store.inbox.head(HOME_KEY))?.message.text).toBe("hello");
      const alias = { ...edit, text: "helo", sender: { id: "+1", aliases: ["ada"] } };
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, alias)).toMatchObject({ outcome: "replaced" });
    });

    test("an edit takes away what it gives as empty, and keeps what it leaves out", async (kit) => {
      const file = { name: "plan.pdf", mediaType: "application/pdf", size: 4 };
      const quote = { kind: "forward", text: "as agreed" } as const;
      const poll = { kind: "poll", question: "Who?", options: ["Ada"] } as const;
      const message = { ...kit.message("look"), attachments: [file], quotes: [quote], items: [poll] };
      await kit.store.inbox.acceptInbound(HOME_KEY, message);
      const { attachments: _, quotes: __, items: ___, ...words } = message;
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...words, text: "see", isEdit: true });
      expect((await kit.store.inbox.head(HOME_KEY))?.message).toEqual({ ...message, text: "see" });
      const nothing = { attachments: [], quotes: [], items: [] };
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...words, ...nothing, isEdit: true });
      expect((await kit.store.inbox.head(HOME_KEY))?.message).toEqual({ ...words, ...nothing });
      const other = { ...poll, question: "When?" };
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...words, items: [other], isEdit: true });
      expect((await kit.store.inbox.head(HOME_KEY))?.message.items).toEqual([other]);
    });

    test("an edit of a message that never came here starts nothing", async (kit) => {
      const edit = { ...kit.message("old order"), isEdit: true };
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, edit)).toEqual({ outcome: "ignored" });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
    });

    test.inSession("a message is taken back while it waits, and not once its turn has begun", async (kit, id) => {
      const [begun, waiting] = ["m-1", "m-2"].map((messageId) => kit.message(`do ${messageId}`, HOME, messageId));
      for (const message of [begun, waiting]) if (message) await kit.store.inbox.acceptInbound(HOME_KEY, message);
      const head = await kit.store.inbox.head(HOME_KEY);
      if (!head) throw new Error("the lane is empty");
      const { turn, fence } = await kit.granted(id, { cause: { kind: "inbox", inboxId: head.id } });
      expect(await kit.store.inbox.retract(HOME, "m-1")).toBe(false);
      expect(await kit.store.inbox.retract(HOME, "m-2")).toBe(true);
      expect(await kit.store.inbox.retract(HOME, "m-2")).toBe(false);
      expect(await kit.store.inbox.retract(HOME, "m-3")).toBe(false);
      await kit.restart();
      expect((await kit.store.inbox.head(HOME_KEY))?.message.messageId).toBe("m-1");
      await kit.finish({ turn, fence });
      expect(await kit.store.inbox.head(HOME_KEY)).toBeNull();
      if (waiting) expect(await kit.store.inbox.acceptInbound(HOME_KEY, waiting)).toEqual({ outcome: "duplicate" });
    });

    test.inSession("no turn begins for a message that was taken back while it waited", async (kit, id) => {
      const row = await kit.accepted("do it");
      expect(await kit.store.inbox.retract(HOME, row.message.messageId)).toBe(true);
      const cause = { kind: "inbox", inboxId: row.id } as const;
      expect(await kit.turn(id, { cause })).toEqual({ ok: false, reason: "answered" });
    });

    test("nobody takes back another person's message by naming its id", async (kit) => {
      const { messageId } = (await kit.accepted("hello")).message;
      expect(await kit.store.inbox.retract(HOME, messageId, { id: "eve" })).toBe(false);
      expect(await kit.store.inbox.retract({ ...HOME, chatId: "101" }, messageId)).toBe(false);
      expect(await kit.store.inbox.retract(HOME, messageId, { id: "+1", aliases: ["ada"] })).toBe(true);
    });

    test.inSession("tells what was said in a message, by a person or the bot, until it is gone", async (kit, id) => {
      const row = await kit.accepted("What is the plan?");
      const { messageId } = row.message;
      expect(await kit.store.inbox.said(HOME, messageId)).toMatchObject({ by: "person", text: "What is the plan?" });
      const { turn, fence } = await kit.granted(id, {
        cause: { kind: "inbox", inboxId: row.id },
        message: { role: "user", text: "As asked." },
      });
      const outbox = [{ ...entry("The blue one."), sessionId: id, turnId: turn.id }];
      await kit.finish({ turn, fence }, null, { outbox });
      expect(await kit.store.inbox.said(HOME, messageId)).toEqual({ by: "person", sender: null, text: "As asked." });
      const send = async (receiptId: string) => {
        const head = await kit.store.outbox.head(HOME_KEY);
        const outcome = { kind: "sent", receipt: { messageId: receiptId, sentAt: 0 } } as const;
        if (head) await kit.store.outbox.settleSend(head.id, outcome);
      };
      await send("b-1");
      expect(await kit.store.inbox.said(HOME, "b-1")).toEqual({
        ...{ by: "bot", text: "The blue one.", sessionId: id, isLatest: true },
      });
      await kit.store.outbox.enqueue([entry("One more thing.")]);
      await send("b-2");
      expect(await kit.store.inbox.said(HOME, "b-1")).toMatchObject({ isLatest: false });
      expect(await kit.store.inbox.said({ ...HOME, chatId: "101" }, "b-1")).toBeNull();
      expect(await kit.store.inbox.said(HOME, "b-3")).toBeNull();
    });

    test("what is settled is settled once, together with its answer", async (kit) => {
      const row = await kit.accepted("/help");
      await kit.store.inbox.settle(row.id, [entry("commands")]);
      await kit.store.inbox.settle(row.id, [entry("commands")]);
      const head = await kit.store.outbox.head(HOME_KEY);
      expect(head?.message.markdown).toBe("commands");
      if (!head) throw new Error("nothing was said");
      await kit.store.outbox.settleSend(head.id, { kind: "sent", receipt: { messageId: "1", sentAt: 0 } });
      expect(await kit.store.outbox.head(HOME_KEY)).toBeNull();
      const { id } = await kit.session();
      const cause = { kind: "inbox", inboxId: row.id } as const;
      expect(await kit.turn(id, { cause })).toEqual({ ok: false, reason: "answered" });
    });

    test("the lanes that have something to do are told, of one account", async (kit) => {
      const second = { ...HOME, account: "second" };
      await kit.accepted("a");
      await kit.accepted("b");
      await kit.accepted("c", THREAD);
      await kit.accepted("d", second);
      expect((await kit.store.inbox.openLanes("pager", undefined)).sort()).toEqual([HOME_KEY, THREAD_KEY].sort());
      expect(await kit.store.inbox.openLanes("pager", "second")).toHaveLength(1);
      expect(await kit.store.inbox.openLanes("beacon", undefined)).toEqual([]);
    });

    test("a message that is done is remembered for 30 days; one that waits, for ever", async (kit) => {
      const done = kit.message("done", HOME, "m-1");
      await kit.store.inbox.acceptInbound(HOME_KEY, done);
      const head = await kit.store.inbox.head(HOME_KEY);
      if (head) await kit.store.inbox.settle(head.id, []);
      await kit.accepted("waits");
      await kit.clock.advance(30 * DAY_MS);
      expect(await kit.store.prune()).toBe(0);
      expect(await kit.store.inbox.acceptInbound(HOME_KEY, done)).toEqual({ outcome: "duplicate" });
      await kit.clock.advance(1);
      expect(await kit.store.prune()).toBe(1);
      expect((await kit.store.inbox.head(HOME_KEY))?.message.text).toBe("waits");
    });

    test("hostile text and ids are kept like any other", async (kit) => {
      for (const text of ["", "\0", "\ud800", "'; DROP TABLE inbox; --", "x".repeat(1_000_000)]) {
        const conversation = { ...HOME, chatId: `chat ${text.slice(0, 40)}`, threadId: text.slice(0, 40) };
        const row = await kit.accepted(text, conversation);
        const head = await kit.store.inbox.head(row.key);
        expect(head?.message.conversation.chatId).toBe(conversation.chatId);
        expect(head?.message.text === text).toBe(true);
      }
    });
  });
}
