import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { askAt, Cancelled } from "./ask.ts";

function terminal() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  return { input, output, asking: askAt(input, output) };
}

it("a question is asked until it is understood, and Enter takes what is usual", async () => {
  const { input, output, asking } = terminal();
  const answers = async () => [
    await asking.name("acme"),
    await asking.way(),
    await asking.yes("Threads?"),
    await asking.yes("Edits?"),
  ];
  const answered = answers();
  for (const line of ["Not A Name", "", "4", "2", "perhaps", "n", ""]) {
    input.write(`${line}\n`);
    await new Promise(setImmediate);
  }
  expect(await answered).toEqual(["acme", "webhook", false, true]);
  asking[Symbol.dispose]();
  output.end();
  const said = await text(output);
  expect(said).toContain('A platform cannot be called "Not A Name"');
  expect(said).toContain("Type a number from 1 to 3, or a word from the list.");
  expect(said).toContain("Type y or n.");
});

it("the end of the terminal in the middle of a question cancels", async () => {
  const { input, asking } = terminal();
  const answered = asking.way();
  input.end();
  await expect(answered).rejects.toThrow(Cancelled);
});
