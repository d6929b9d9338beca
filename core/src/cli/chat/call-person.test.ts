import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { notify } from "../../terminal/notification.ts";
import { createTestBench } from "../test-bench.ts";
import { createTestTerminal } from "../test-terminal.ts";

const FOCUS_IN = "\u001b[I";
const FOCUS_OUT = "\u001b[O";
const BELL = "\u0007";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** A turn of a person who looks elsewhere meanwhile, and what called them. */
async function called(keys: string, ms: number): Promise<string[]> {
  const held = gate();
  bench.model.push([{ say: "Begun. " }, { hold: held }, { say: "Done." }]);
  const chat = bench.start([], { interactive: true });
  chat.type("go on");
  await held.reached;
  chat.press(keys);
  await clock.advance(ms);
  held.open();
  await chat.printed("Done.");
  chat.end();
  expect(await chat.ended).toBe(0);
  return chat.sequences();
}

describe("a turn that ends", () => {
  test("a person who looks elsewhere is called after ten seconds", async () => {
    expect(await called(FOCUS_OUT, 10_000)).toEqual([`\u001b]9;Hermes: go on is done${BELL}`, BELL]);
  });

  test.each([
    ["whoever looks at the window", FOCUS_IN, 60_000],
    ["whoever has come back to it", `${FOCUS_OUT}${FOCUS_IN}`, 60_000],
    ["whoever uses a terminal that does not say so", "", 60_000],
    ["nobody for a short turn", FOCUS_OUT, 9_000],
  ])("%s is not called", async (_, keys, ms) => {
    expect(await called(keys, ms)).toEqual([]);
  });

  test("notify: bell only rings, and off does not", async () => {
    const config = join(bench.home, "hermes.config.json");
    writeFileSync(config, '{ "notify": "bell" }', { mode: 0o600 });
    expect(await called(FOCUS_OUT, 10_000)).toEqual([BELL]);
    writeFileSync(config, '{ "notify": "off" }', { mode: 0o600 });
    expect(await called(FOCUS_OUT, 10_000)).toEqual([]);
  });
});

test("a question calls the person who looks elsewhere", async () => {
  bench.model.push([{ call: [{ name: "write", input: { path: "a.txt", content: "1" } }] }]);
  const chat = bench.start([], { interactive: true });
  await chat.printed("› ");
  chat.press(FOCUS_OUT);
  chat.type("write it");
  await chat.printed("The agent asks to do this");
  expect(chat.sequences()).toEqual([expect.stringContaining("]9;Hermes: asks: write: a.txt"), BELL]);
  await chat.printed("y once");
  chat.press("\u0003");
  await chat.printed("Anything else you write here means no.");
  chat.end();
  await chat.ended;
});

describe("a notification", () => {
  const said = (environment: NodeJS.ProcessEnv, plain = false) => {
    const terminal = createTestTerminal({ home: "/", workingDirectory: "/", interactive: true, plain });
    notify({ ...terminal.io, environment }, "osc9", "plan\u001b[31m is\ndone\u0007");
    return terminal.sequences();
  };

  it("a notification has no control characters of its text", () => {
    expect(said({})).toEqual([`\u001b]9;plan [31m is done${BELL}`, BELL]);
  });

  it("a notification only rings on the console of Linux", () => {
    expect(said({ TERM: "linux" })).toEqual([BELL]);
    expect(said({}, true)).toEqual([]);
  });
});
