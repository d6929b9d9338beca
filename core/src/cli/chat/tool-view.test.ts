import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { describe, expect, it, test } from "vitest";
import { callRefused } from "../../model/transcript.ts";
import { Output } from "../../terminal/output.ts";
import { createTestBench } from "../test-bench.ts";
import { createTestTerminal, type TestTerminalOptions } from "../test-terminal.ts";
import { createAnswerPrinter } from "./answer-printer.ts";
import { FoldedOutput } from "./folded-output.ts";

const CALL = { id: "1.1", name: "shell", input: { command: "npm test" } };

function openPrinter({ columns = 100, ...options }: Partial<TestTerminalOptions> & { readonly columns?: number } = {}) {
  const terminal = createTestTerminal({ home: "/", workingDirectory: "/", interactive: true, ...options });
  const output = new Output({ ...terminal.io, columns: () => columns }, { json: false });
  const clock = createVirtualClock();
  const folded = new FoldedOutput();
  return { ...terminal, output, clock, folded, printer: createAnswerPrinter(output, clock, folded) };
}

describe("a call on a screen", () => {
  it("a call is one line whose time grows, and stays with the time that it took", async () => {
    const { printer, clock, stdout, stderr } = openPrinter();
    printer.toolCall(CALL, "npm test");
    expect(stdout()).toContain("● shell  npm test");
    expect(stderr()).toBe("");
    await clock.advance(12_000);
    expect(stdout()).toContain("● shell  npm test  12 s");
    await clock.advance(113_400);
    printer.toolResult(CALL, "all passed", false);
    expect(stderr()).toBe("● shell  npm test  2 min 5 s\n  all passed\n");
    expect(clock.timers).toBe(0);
  });

  it("a call without a summary shows its input", () => {
    const { printer, stderr } = openPrinter();
    printer.toolCall(CALL, "");
    printer.toolResult(CALL, "ok", false);
    expect(stderr()).toBe('● shell  {"command":"npm test"}\n  ok\n');
  });

  it("a call is cut to a narrow window, and its time stays in sight", async () => {
    const { printer, clock, stdout, stderr } = openPrinter({ columns: 40 });
    printer.toolCall(CALL, `npm test -- ${"very ".repeat(20)}long`);
    await clock.advance(3_000);
    expect(stdout()).toMatch(/● shell {2}npm test -- very very ve… {2}3 s/);
    printer.toolResult(CALL, "x".repeat(60), false);
    for (const line of stderr().trimEnd().split("\n")) expect([...line].length).toBeLessThan(40);
  });

  it("shows the last lines of what it puts out, which go with its end", () => {
    const { printer, stdout, stderr } = openPrinter();
    printer.toolCall(CALL, "npm test");
    printer.toolOutput(CALL, "one\ntwo\nthree\n");
    printer.toolOutput(CALL, "four\nfive\u0007\n");
    expect(stdout()).toContain("two");
    expect(stdout()).toMatch(/five␇/);
    expect(stderr()).not.toContain("five");
    const before = stdout().length;
    printer.toolResult(CALL, "all 5 passed", false);
    expect(stdout().slice(before)).not.toContain("five");
    expect(stderr()).toContain("  all 5 passed\n");
  });

  it("the line says what kept a call from ending", () => {
    const { printer, stderr } = openPrinter();
    const fails = (text: string) => {
      printer.toolCall(CALL, "npm test");
      printer.toolResult(CALL, text, true);
    };
    fails("it broke\nbadly");
    fails(callRefused("nobody is here to be asked"));
    printer.toolCall(CALL, "npm test");
    printer.end();
    expect(stderr().split("\n")).toEqual([
      "✗ shell  npm test failed: it broke badly",
      "○ shell  npm test was not run",
      "○ shell  npm test was stopped",
      "",
    ]);
  });

  it("the last lines of a long result stay, and Ctrl-O shows the whole", () => {
    const { printer, folded, output, stderr } = openPrinter();
    printer.toolCall(CALL, "npm test");
    printer.toolResult(CALL, "1\n2\n3\n4\n5\n", false);
    expect(stderr()).toBe("● shell  npm test\n  … 2 more lines (Ctrl-O)\n  3\n  4\n  5\n");
    const before = stderr().length;
    folded.unfold(output);
    expect(stderr().slice(before)).toBe("● shell  npm test\n  1\n  2\n  3\n  4\n  5\n  ── the end of it\n");
    folded.unfold(output);
    expect(stderr()).toContain("There is no folded tool output.");
  });

  it("shows the first lines of a change, and how many more there are", () => {
    const { printer, stderr } = openPrinter();
    const diff = ["a.txt", "@@ -0,0 +1,15 @@", ...Array.from({ length: 15 }, (_, at) => `+line ${at}`)].join("\n");
    printer.toolCall({ ...CALL, name: "write" }, "a.txt (15 lines)");
    printer.toolResult({ ...CALL, name: "write" }, "Made a.txt.", false, diff);
    expect(stderr()).toContain("● write  a.txt (15 lines)\n  @@ -0,0 +1,15 @@\n  +line 0\n");
    expect(stderr()).toContain("  +line 10\n  … 4 more lines (Ctrl-O)\n");
  });
});

it.each([{ plain: true }, { interactive: false }])("writes each line of a call once with %o", async (options) => {
  const { printer, clock, stdout, stderr } = openPrinter(options);
  printer.toolCall(CALL, "npm test");
  await clock.advance(5_000);
  printer.toolOutput(CALL, "one");
  printer.toolResult(CALL, "1\n2\n3\n4\n", false);
  printer.toolResult(CALL, callRefused(), true);
  expect(stderr()).toBe("· shell npm test\n  … 1 more line\n  2\n  3\n  4\n· shell was not run\n");
  expect(stdout()).toBe("");
});

test("the chat shows what `write` changed as a difference, and Ctrl-O the rest of it", async () => {
  const clock = createVirtualClock();
  await using bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  const content = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("");
  bench.model.push([{ call: [{ name: "write", input: { path: "a.txt", content } }] }, { say: "Written." }]);
  const chat = bench.start(["--mode", "edits"], { interactive: true });
  chat.type("write it");
  await chat.printed("… 9 more lines (Ctrl-O)");
  await chat.printed("Written.");
  expect(chat.stderr()).toContain("● write  a.txt (20 lines)\n  @@ -1,0 +1,20 @@\n  +line 0\n");
  expect(chat.stderr()).not.toContain("line 19");
  chat.press("\x0f");
  await chat.printed("+line 19\n");
  chat.end();
  expect(await chat.ended).toBe(0);
  expect(readFileSync(join(bench.folder, "a.txt"), "utf8")).toBe(content);
});
