import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { expect, test } from "vitest";
import type { Limits } from "../../model/limit.ts";
import { LIMITS } from "../../turn/turn-limits.ts";
import { runCli } from "../program.ts";
import { createTestBench } from "../test-bench.ts";
import { createTestTerminal } from "../test-terminal.ts";

/** A bench whose agent reads its folder and then answers, and a terminal in which so much may be used. */
async function limited(limits: Limits, argv: readonly string[], interactive: boolean) {
  const clock = createVirtualClock();
  const bench = await createTestBench({ clock, model: scriptedModel([], { clock }) });
  bench.model.push([{ call: [{ name: "list", input: {} }] }, { say: "It is empty." }], "Again.");
  const terminal = createTestTerminal({ home: bench.home, workingDirectory: bench.folder, interactive });
  const ended = runCli(argv, {
    io: terminal.io,
    override(container) {
      bench.override(container);
      container.registerInstance(LIMITS, limits);
    },
  });
  return { bench, terminal, ended };
}

test("a limit is asked about in the terminal, and y goes on", async () => {
  const { bench, terminal, ended } = await limited({ session: { tokens: 1 } }, [], true);
  await using _bench = bench;
  await terminal.printed("/help lists the commands");
  terminal.type("what is here?");
  await terminal.printed("y go on · n stop here");
  expect(terminal.stdout()).toMatch(
    /── A limit is reached ──\n│ The limit of 1 token for this session is reached: .* tokens were used\n/,
  );
  terminal.type("y");
  await terminal.printed("It is empty.");
  expect(terminal.stderr()).toMatch(/Allowed once by you \(go on beyond the limit of 1 token for this session, up to/);
  terminal.end();
  expect(await ended).toBe(0);
});

test("a question that nobody can be asked about a limit ends the turn with a sentence", async () => {
  const { bench, terminal, ended } = await limited({ session: { tokens: 1 } }, ["chat", "-q", "what is here?"], false);
  await using _bench = bench;
  terminal.end();
  expect(await ended).not.toBe(0);
  expect(terminal.stderr()).toContain("The limit of 1 token for this session is reached");
  expect(terminal.stdout()).not.toContain("It is empty.");
});
