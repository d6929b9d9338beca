import { expect, it } from "vitest";
import { createTestTerminal } from "../../cli/test-terminal.ts";
import { Output } from "../output.ts";
import { promptOnTerminal } from "./prompt.ts";

function ask(options: Parameters<typeof promptOnTerminal>[2], draws = true) {
  const terminal = createTestTerminal({ home: "/x", workingDirectory: "/x", interactive: true });
  const output = new Output({ ...terminal.io, draws }, { json: false });
  return { terminal, reply: promptOnTerminal(output, "Key:", options) };
}

it.each([
  ["drawn", true],
  ["plain", false],
])("a secret is typed unseen on a terminal that is %s, and can be corrected", async (_, draws) => {
  const { terminal, reply } = ask({ isUnseen: true }, draws);
  terminal.press("wrong\x15sk-secreX\x7ft\r");
  expect(await reply).toEqual({ kind: "answer", text: "sk-secret" });
  expect(terminal.stdout()).toContain("Key:");
  expect(terminal.stdout()).not.toMatch(/secre|wrong/);
});

it("a pasted secret is not shown either", async () => {
  const { terminal, reply } = ask({ isUnseen: true });
  terminal.press("\x1b[200~sk-pasted\x1b[201~\r");
  expect(await reply).toEqual({ kind: "answer", text: "sk-pasted" });
  expect(terminal.stdout()).not.toContain("pasted");
});

it.each([
  ["\x03", "interrupted"],
  ["\x04", "ended"],
])("%j is distinguished from an empty answer", async (keys, kind) => {
  for (const isUnseen of [true, false]) {
    const { terminal, reply } = ask({ isUnseen });
    terminal.press(keys);
    expect(await reply).toEqual({ kind });
  }
});

it("a question that is taken away leaves what is typed to the next", async () => {
  const over = new AbortController();
  const { terminal, reply } = ask({ signal: over.signal });
  over.abort();
  expect(await reply).toEqual({ kind: "overtaken" });
  const output = new Output(terminal.io, { json: false });
  const next = promptOnTerminal(output, "Next?");
  terminal.type("yes");
  expect(await next).toEqual({ kind: "answer", text: "yes" });
});
