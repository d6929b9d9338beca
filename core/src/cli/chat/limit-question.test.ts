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
    /── A limit is reached ──\n\W*Go on beyond the limit of 1 token for this session\?/,
  );
  expect(terminal.stdout().match(/is reached: .* tokens were used/g)).toHaveLength(1);
  terminal.type("y");
  await terminal.printed("It is empty.");
  expect(terminal.stderr()).toMatch(/Allowed once by you \(go on beyond the limit of 1 token for this session, up to/);
  terminal.end();
  expect(await ended).toBe(0);
});

const ASKED = ["chat", "-q", "what is here?"];

test("a limit that nobody can be asked about ends the command with a sentence and 75", async () => {
  const { bench, terminal, ended } = await limited({ session: { tokens: 1 } }, ASKED, false);
  await using _bench = bench;
  terminal.end();
  expect(await ended).toBe(75);
  expect(terminal.stderr()).toMatch(/The limit of 1 token for this session is reached: [\d,]+ tokens were used\.\n/);
  expect(terminal.stderr()).toContain("/usage more");
  expect(terminal.stdout()).not.toContain("It is empty.");
});

test("--json has the sentence of a limit that nobody could be asked about", async () => {
  const { bench, terminal, ended } = await limited({ session: { tokens: 1 } }, [...ASKED, "--json"], false);
  await using _bench = bench;
  terminal.end();
  expect(await ended).toBe(75);
  expect(JSON.parse(terminal.stdout())).toMatchObject({
    sessionId: expect.any(String),
    error: { code: "LIMIT_REACHED" },
  });
});

test("--wait leaves the question of a limit open, and says how it is answered", async () => {
  const { bench, terminal, ended } = await limited({ session: { tokens: 1 } }, [...ASKED, "--wait"], false);
  await using _bench = bench;
  terminal.end();
  expect(await ended).toBe(75);
  const [open] = await bench.host.store.approvals.open();
  expect(open).toMatchObject({ kind: "limit", state: "open" });
  expect(terminal.stderr()).toContain(`${open?.code}  waits for an answer: go on beyond the limit of 1 token`);
  expect(terminal.stderr()).toContain(`\`hermes approvals allow ${open?.code}\``);
});
