import { createVirtualClock } from "@hermes/testing";
import { expect, it } from "vitest";
import { callRefused } from "../../model/transcript.ts";
import { Output } from "../../terminal/output.ts";
import { createTestTerminal } from "../test-terminal.ts";
import { createAnswerPrinter } from "./answer-printer.ts";

const CALL = { id: "1.1", name: "shell", input: { command: "npm test" } };

function openPrinter() {
  const terminal = createTestTerminal({ home: "/", workingDirectory: "/", interactive: true });
  return { ...terminal, printer: createAnswerPrinter(new Output(terminal.io, { json: false }), createVirtualClock()) };
}

it("a call is one line with what it does; without a summary, with its input", () => {
  const { printer, stderr } = openPrinter();
  printer.toolCall(CALL, "npm test");
  printer.toolCall(CALL, "");
  expect(stderr()).toBe('· shell npm test\n· shell {"command":"npm test"}\n');
});

it("the last lines of a tool's output are shown while it runs, and go with its end", () => {
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

it("the first lines of a result stay, and how many more there are", () => {
  const { printer, stderr } = openPrinter();
  printer.toolResult(CALL, "1\n2\n3\n4\n5\n", false);
  printer.toolResult(CALL, "it broke\nbadly", true);
  expect(stderr()).toBe("  1\n  2\n  3\n  … 2 more lines\n· shell failed: it broke badly\n");
});

it("a refused call is shown in one line, without what the model is told of it", () => {
  const { printer, stderr } = openPrinter();
  printer.toolResult(CALL, callRefused(), true);
  printer.toolResult(CALL, callRefused("nobody is here to be asked"), true);
  expect(stderr()).toBe("· shell was not run\n· shell was not run\n");
});
