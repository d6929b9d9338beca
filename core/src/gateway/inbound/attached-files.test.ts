import { createVirtualClock, notingLogger, PDF_FILE, PNG_FILE } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import type { Attachment, Download, InboundMessage } from "../../adapter/message.ts";
import { LARGEST_FILE } from "../../base/file-ref.ts";
import type { Files } from "../../files/files.ts";
import type { SaidMessage } from "../../model/inbox.ts";
import type { Store } from "../../store/store.ts";
import { AttachedFiles, DownloadSlots, keptAmong } from "./attached-files.ts";

const CLOCK = createVirtualClock();

function message(...attachments: Attachment[]): InboundMessage {
  const conversation = { platform: "pager", chatId: "1", kind: "dm" } as const;
  return { conversation, messageId: "1", sender: { id: "ada" }, text: "See", sentAt: CLOCK.now(), attachments };
}

/** A Hermes that keeps files in memory, and knows the message already if `said` is given. */
function hermes({ said = null as SaidMessage | null, keep = async () => {} } = {}) {
  const kept: string[] = [];
  const logged: string[] = [];
  const files: Files = {
    async keep(content, { name, mediaType }) {
      await keep();
      kept.push(name);
      return { hash: String(content.length), name, mediaType, size: content.length };
    },
    read: async () => null,
  };
  const store = { inbox: { said: async () => said } } as unknown as Store;
  const attached = new AttachedFiles(CLOCK, store, notingLogger(logged), files, new DownloadSlots());
  return { kept, logged, taken: async (one: InboundMessage) => (await attached.taken(one)).attachments };
}

const picture = (download: Download = async () => PNG_FILE): Attachment => ({
  ...{ name: "cat.png", mediaType: "image/png", size: PNG_FILE.length },
  download,
});

describe("the files of a message", () => {
  it("pictures and PDFs are kept, and text files are read", async () => {
    const { kept, taken } = hermes();
    const text = { name: "a.md", mediaType: "text/markdown", size: 2, download: async () => Buffer.from("ok") };
    const pdf = {
      name: "plan",
      mediaType: "application/pdf",
      size: 0,
      download: async () => new Response(new Uint8Array(PDF_FILE)),
    };
    const read = await taken(message(picture(), text, pdf));
    expect(read).toEqual([
      { name: "cat.png", mediaType: "image/png", size: PNG_FILE.length, hash: String(PNG_FILE.length) },
      { name: "a.md", mediaType: "text/markdown", size: 2, text: "ok" },
      { name: "plan", mediaType: "application/pdf", size: PDF_FILE.length, hash: String(PDF_FILE.length) },
    ]);
    expect(kept).toEqual(["cat.png", "plan"]);
    expect(keptAmong(read ?? []).map(({ name }) => name)).toEqual(["cat.png", "plan"]);
  });

  it("the gateway downloads no file that is too large or that no model takes", async () => {
    const download = () => Promise.reject(new Error("it was downloaded"));
    const { logged, taken } = hermes();
    const film = { name: "a.mov", mediaType: "video/quicktime", size: 10, download };
    await taken(message(film, { ...picture(download), size: LARGEST_FILE + 1 }));
    expect(logged).toEqual([]);
  });

  it("a file that is larger than was said is cut off, and named with the limit", async () => {
    let given = 0;
    const endless = new ReadableStream({
      pull: (stream) => {
        given += 1024 * 1024;
        stream.enqueue(new Uint8Array(1024 * 1024));
      },
    });
    const { kept, taken } = hermes();
    expect(await taken(message(picture(async () => new Response(endless))))).toEqual([
      { name: "cat.png", mediaType: "image/png", size: PNG_FILE.length, limit: LARGEST_FILE },
    ]);
    expect(given).toBeLessThan(LARGEST_FILE + 4 * 1024 * 1024);
    expect(kept).toEqual([]);
  });

  it("a file is not read again when its message comes again, unless it was edited", async () => {
    const { kept, taken } = hermes({ said: { by: "person", sender: null, text: "See" } });
    expect(await taken(message(picture()))).toEqual([
      { name: "cat.png", mediaType: "image/png", size: PNG_FILE.length },
    ]);
    await taken({ ...message(picture()), isEdit: true });
    expect(kept).toEqual(["cat.png"]);
  });

  it("three files are in memory at once, and twenty of a message are read", async () => {
    let [open, most] = [0, 0];
    const download = async () => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return PNG_FILE;
    };
    const { kept, taken } = hermes();
    const read = await taken(message(...Array.from({ length: 25 }, () => picture(download))));
    expect(most).toBe(3);
    expect(kept).toHaveLength(20);
    expect(read?.map(({ hash }) => hash !== undefined).slice(18, 22)).toEqual([true, true, false, false]);
  });

  it("a file that cannot be had or kept is lost; one that is too large has the limit", async () => {
    const named = { name: "cat.png", mediaType: "image/png", size: PNG_FILE.length };
    const { logged, taken } = hermes();
    const refused = picture(async () => new Response("no", { status: 403 }));
    const missing = picture(async () => null);
    expect(await taken(message(refused, missing))).toEqual([
      { ...named, isLost: true },
      { ...named, limit: LARGEST_FILE },
    ]);
    expect(logged.join()).toContain("its server answered 403");
    const full = hermes({ keep: () => Promise.reject(new Error("no room")) });
    expect(await full.taken(message(picture()))).toEqual([{ ...named, isLost: true }]);
  });
});
