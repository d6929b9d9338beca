import { createHash } from "node:crypto";
import { FILES } from "@hermes/core/embed";
import { PDF_FILE, PNG_FILE } from "../../sample-files.ts";
import { check, checkEqual, shown } from "../check.ts";
import type { KitProof } from "../proof.ts";
import type { Stage } from "../stage.ts";

const GUARANTEE = "Guarantee: pictures and PDFs that a person sends are kept";

const FILES_SENT = [
  { name: "cat.png", mediaType: "image/png", content: PNG_FILE },
  { name: "plan.pdf", mediaType: "application/pdf", content: PDF_FILE },
];

export const attachmentProofs: readonly KitProof[] = [
  {
    id: "attachments/kept",
    rule: GUARANTEE,
    proof: "a picture and a PDF are stored byte for byte, and the transcript names their real type",
    async play(on) {
      const { host } = await on.gateway();
      for (const file of FILES_SENT) await on.write(`See ${file.name}`, on.homePlace, { files: [file] });
      await on.until("both are read", () => on.model.requests.length === 2);
      const named = on.model.requests.map(({ messages }) => messages.at(-1)?.files ?? []);
      const types = named.map((files) => files.map(({ mediaType }) => mediaType));
      checkEqual(types, [["image/png"], ["application/pdf"]], "the types of the files that the transcript names");
      for (const [at, file] of named.flat().entries()) {
        const content = FILES_SENT[at]?.content ?? Buffer.alloc(0);
        checkEqual(file.hash, createHash("sha256").update(content).digest("hex"), `the hash of ${file.name}`);
        const kept = await host.container.resolve(FILES).read(file);
        check(kept?.equals(content) === true, () => `${file.name} is not in the home as it was sent`);
      }
    },
  },
  {
    id: "attachments/unread",
    rule: "Files are handed over unread",
    proof: "an adapter downloads no file before Hermes asks for it, and so none from a stranger",
    stage: { options: { allowedUsers: [] } },
    async play(on) {
      const { tap, host } = await on.gateway();
      const { chatId } = on.otherGroup ?? on.homePlace;
      const note = { name: "notes.txt", mediaType: "text/plain", content: "The word is plum." };
      for (const file of [note, ...FILES_SENT.slice(0, 1)]) {
        await on.write("Let me in.", { chatId }, { ...on.asStranger, files: [file] });
      }
      await on.until("the stranger is counted", async () => (await on.refusals()) > 1);
      const handed = tap.received.flatMap((message) => message.attachments ?? []);
      check(handed.length > 1, () => `the files were not handed over: ${shown(tap.received)}`);
      const read = handed.filter(({ text, hash, download }) => text !== undefined || hash !== undefined || !download);
      checkEqual(read.length, 0, "how many files were handed over read, or without a way to read them");
      const hashes = FILES_SENT.map(({ content }) => createHash("sha256").update(content).digest("hex"));
      const kept = await Promise.all(hashes.map((hash) => isKept(host, hash)));
      check(!kept.includes(true), () => "a stranger's file is in the home");
    },
  },
  {
    id: "attachments/gone",
    rule: GUARANTEE,
    proof: "a message whose file cannot be downloaded, or has the wrong type, is answered with the file's name",
    async play(on) {
      await on.gateway();
      const files = [{ name: "cat.png", mediaType: "image/png", content: "<html>Not found</html>" }];
      await on.write("See this", on.homePlace, { files });
      await on.until("it is read", () => on.model.requests.length === 1);
      const { text = "", files: named = [] } = on.model.requests[0]?.messages.at(-1) ?? {};
      check(text.includes("See this") && text.includes("attached"), () => `the model read ${shown(text)}`);
      checkEqual(named, [], "the files that the transcript names");
    },
  },
];

async function isKept({ container }: Awaited<ReturnType<Stage["gateway"]>>["host"], hash: string): Promise<boolean> {
  return (await container.resolve(FILES).read({ hash, size: PNG_FILE.length })) !== null;
}
