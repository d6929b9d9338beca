import { expect, it } from "vitest";
import { createTestTerminal } from "../../cli/test-terminal.ts";
import { Output } from "../output.ts";
import { pick } from "./picker.ts";

const items = ["one", "two"].map((name) => ({ name, facts: "", preview: async () => [] }));

/** A picker on a terminal that records its modes. */
function open() {
  const terminal = createTestTerminal({ home: "/home", workingDirectory: "/", interactive: true });
  const modes: boolean[] = [];
  Object.assign(terminal.io.stdin, { setRawMode: (isRaw: boolean) => modes.push(isRaw) });
  return { terminal, modes, picked: pick(new Output(terminal.io, { json: false }), "Which one?", items) };
}

it("keys typed behind the choice are left for the chat, and not to the system's echo", async () => {
  const { terminal, modes, picked } = open();
  terminal.press("\rhello");
  expect((await picked)?.name).toBe("one");
  expect(modes).toEqual([true]);
  expect(String(terminal.io.stdin.read())).toBe("hello");
});

it("the terminal is given back as it was when nothing is chosen", async () => {
  const { terminal, modes, picked } = open();
  terminal.press("\x03");
  expect(await picked).toBeNull();
  expect(modes).toEqual([true, false]);
});
