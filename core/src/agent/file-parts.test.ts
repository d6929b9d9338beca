import { PDF_FILE, PNG_FILE } from "@hermes/testing";
import { describe, expect, it } from "vitest";
import type { FileRef } from "../base/file-ref.ts";
import type { TranscriptMessage } from "../model/transcript.ts";
import { FileParts } from "./file-parts.ts";
import { toModelMessages } from "./message-history.ts";
import { type ModelFacts, NO_FACTS } from "./model-facts.ts";
import { fileNamed, filesOf, NO_FILES } from "./test-files.ts";

const PNG = fileNamed("cat.png", "image/png", PNG_FILE);
const PDF = fileNamed("plan.pdf", "application/pdf", PDF_FILE);
const FILES = filesOf({ "cat.png": PNG_FILE, "plan.pdf": PDF_FILE });
const READS: ModelFacts = { ...NO_FACTS, images: true, pdf: true };

type Row = Pick<TranscriptMessage, "role" | "text" | "files">;
const asked = (text: string, ...files: FileRef[]): Row => ({ role: "user", text, files });
const said = (text: string): Row => ({ role: "assistant", text });

/** What a model is sent, each file as its name and type. */
async function sent(rows: readonly Row[], { model = "anthropic/x", facts = READS, files = FILES } = {}) {
  const parts = await new FileParts(files).of(rows, model, facts);
  return toModelMessages(rows, model, parts).map(({ role, content }) => {
    if (typeof content === "string") return `${role}: ${content}`;
    const shown = content.map((part) => {
      if (part.type === "file") return `[${part.filename} ${part.mediaType}]`;
      return part.type === "text" ? part.text : part.type;
    });
    return `${role}: ${shown.join(" ")}`;
  });
}

describe("the files of a message", () => {
  it("a picture and a PDF stand behind the text that they came with", async () => {
    expect(await sent([asked("What is it?", PNG, PDF), said("A cat."), asked("Sure?")])).toEqual([
      "user: What is it? [cat.png image/png] [plan.pdf application/pdf]",
      "assistant: A cat.",
      "user: Sure?",
    ]);
  });

  it("two messages of people behind each other keep both texts and the files", async () => {
    expect(await sent([asked("One", PNG), asked("Two"), asked("Three", PNG)])).toEqual([
      "user: One [cat.png image/png] Two Three [cat.png image/png]",
    ]);
    expect(await sent([asked("One"), asked("Two", PNG)])).toEqual(["user: One Two [cat.png image/png]"]);
  });

  it.each([
    ["anthropic/x", NO_FACTS, "[cat.png image/png] [plan.pdf application/pdf]"],
    ["openrouter/google/y", NO_FACTS, "[cat.png image/png] [plan.pdf application/pdf]"],
    ["ollama/z", NO_FACTS, "takes no pictures⟧"],
    ["ollama/z", { ...NO_FACTS, images: true }, '[cat.png image/png] ⟦"plan.pdf" is not shown to you: this model'],
    ["anthropic/x", { ...READS, images: false }, '⟦"cat.png" is not shown to you: this model takes no pictures⟧'],
  ] as const)("%s gets what it takes, and a line for what it does not", async (model, facts, expected) => {
    expect((await sent([asked("See", PNG, PDF)], { model, facts }))[0]).toContain(expected);
  });

  it("the files of the last five messages go along, and older ones are named", async () => {
    const rows = [1, 2, 3, 4, 5, 6].flatMap((at) => [asked(`Question ${at}`, PNG), said("Yes.")]);
    const questions = (await sent(rows)).filter((text) => text.startsWith("user"));
    expect(questions[0]).toBe(
      'user: Question 1 ⟦"cat.png" is not shown to you: it came too long ago; ask for it if you need it⟧',
    );
    expect(questions.slice(1).every((text) => text.endsWith("[cat.png image/png]"))).toBe(true);
  });

  it("the model reads that a file is gone or broken, and no provider refuses it", async () => {
    const rows = [asked("See", PNG)];
    expect(await sent(rows, { files: NO_FILES })).toEqual(['user: See ⟦"cat.png" is not shown to you: it is gone⟧']);
    const files = filesOf({ "cat.png": PNG_FILE.subarray(0, 40) });
    expect(await sent(rows, { files })).toEqual(['user: See ⟦"cat.png" is not shown to you: it is broken⟧']);
  });

  it("the newest files go along where a request has too many", async () => {
    const many = Array.from({ length: 25 }, (_, at) => ({ ...PNG, name: `${at}.png` }));
    const [first = "", , last = ""] = await sent([
      asked("Old", ...many.slice(0, 20)),
      said("Yes."),
      asked("New", ...many.slice(20)),
    ]);
    expect(last.match(/\[\d+\.png/g)).toHaveLength(5);
    expect(first.match(/\[\d+\.png/g)).toHaveLength(15);
    expect(first).toContain('⟦"19.png" is not shown to you: the request has too many files⟧');
  });

  it("a file is read and made ready once, however many steps a turn has", async () => {
    let reads = 0;
    const files = {
      ...FILES,
      read: async (file: Pick<FileRef, "hash" | "size">) => {
        reads++;
        return FILES.read(file);
      },
    };
    const parts = new FileParts(files);
    for (let step = 0; step < 5; step++) await parts.of([asked("See", PNG)], "anthropic/x", READS);
    expect(reads).toBe(1);
  });
});
