import type { Attachment } from "@hermes/core";
import type { FileRef } from "@hermes/core/embed";
import { describe, expect } from "vitest";
import { DAY_MS, entry, HOME_KEY, type Kit, type StartedTurn, type StoreTest } from "./kit.ts";

const hashOf = (digit: string) => digit.repeat(64);
const picture = (digit = "a"): FileRef => ({ hash: hashOf(digit), name: "cat.png", mediaType: "image/png", size: 70 });
const asking = (...files: FileRef[]) => ({ message: { role: "user", text: "What is it?", files } }) as const;

export function describeFiles(test: StoreTest): void {
  describe("files", () => {
    test.inSession("a message keeps the files that it names, in order, also after a restart", async (kit, id) => {
      const { turn, fence, message } = await kit.granted(id, asking(picture("a"), picture("b")));
      expect(message.files).toEqual([picture("a"), picture("b")]);
      await kit.store.turns.append(turn.id, fence, [{ role: "assistant", text: "A cat." }]);
      await kit.restart();
      const [asked, answer] = await kit.store.transcripts.read(id);
      expect(asked?.files).toEqual([picture("a"), picture("b")]);
      expect(answer?.files).toBeUndefined();
    });

    test("a file is named until the last session that names it is deleted", async (kit) => {
      const [one, two] = [await kit.session(), await kit.session()];
      for (const { id } of [one, two]) await finished(kit, await kit.granted(id, asking(picture())));
      const { files, sessions } = kit.store;
      await sessions.delete(one.id);
      expect(await files.named([hashOf("a"), hashOf("b")])).toEqual([hashOf("a")]);
      await sessions.delete(two.id);
      expect(await files.named([hashOf("a")])).toEqual([]);
      expect(await files.named([])).toEqual([]);
    });

    test.inSession("a file of an exchange that was taken back is named until that is pruned", async (kit, id) => {
      await finished(kit, await kit.granted(id, asking(picture())));
      await kit.store.turns.undoLast(id, "once");
      expect(await kit.store.files.named([hashOf("a")])).toEqual([hashOf("a")]);
      await kit.clock.advance(31 * DAY_MS);
      while ((await kit.store.prune()) > 0);
      expect(await kit.store.files.named([hashOf("a")])).toEqual([]);
    });

    test("a file of a message is named from when it is accepted until it is answered", async (kit) => {
      const attachments: Attachment[] = [picture()];
      const accepted = await kit.store.inbox.acceptInbound(HOME_KEY, { ...kit.message("Look"), attachments });
      if (accepted.outcome !== "accepted") throw new Error("the message was not accepted");
      expect((await kit.store.inbox.head(HOME_KEY))?.message.attachments).toEqual(attachments);
      expect(await kit.store.files.named([hashOf("a")])).toEqual([hashOf("a")]);
      await kit.store.inbox.settle(accepted.row.id, []);
      expect(await kit.store.files.named([hashOf("a")])).toEqual([]);
    });

    test("a file that goes out is named until its message was sent", async (kit) => {
      const message = { kind: "answer", markdown: "Here.", files: [picture()] } as const;
      const [row] = await kit.store.outbox.enqueue([{ ...entry("Here."), message }]);
      if (row === undefined) throw new Error("nothing was queued");
      const { outbox, files } = kit.store;
      expect(await files.named([hashOf("a")])).toEqual([hashOf("a")]);
      const gateway = await kit.gateway();
      await outbox.beginSend(row.id, gateway, [{ text: "Here." }, { text: "", file: picture() }]);
      await outbox.settleSend(row.id, { kind: "sent", receipt: { messageId: "1", sentAt: 1 } });
      expect(await files.named([hashOf("a")])).toEqual([hashOf("a")]);
      await kit.drain(HOME_KEY, gateway);
      expect(await files.named([hashOf("a")])).toEqual([]);
    });

    test("a message that comes again names no other file than it did", async (kit) => {
      const message = kit.message("Look");
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, attachments: [picture("a")] });
      await kit.store.inbox.acceptInbound(HOME_KEY, { ...message, attachments: [picture("b")] });
      expect(await kit.store.files.named([hashOf("a"), hashOf("b")])).toEqual([hashOf("a")]);
    });
  });
}

async function finished(kit: Kit, { turn, fence }: StartedTurn): Promise<void> {
  const messages = [{ role: "assistant", text: "A cat." }] as const;
  await kit.store.turns.finishTurn({ turnId: turn.id, fence, state: "done", messages, outbox: [] });
}
