import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { ModelServer, ReplyTo } from "@hermes/testing";
import { afterEach, expect, it } from "vitest";
import type { HermesMachine } from "../support/hermes-process.ts";
import { machineWith, startModel } from "../support/model.ts";
import { openPlace, type Place } from "../support/places.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

interface Chat {
  readonly machine: HermesMachine;
  readonly place: Place;
  readonly model: ModelServer;
  /** Waits until the bot has said it. */
  says(pattern: RegExp): Promise<void>;
}

/** A private chat on a platform, a model that says the script first, and a folder for the agent. */
async function chatWith(config: Record<string, unknown>, ...script: readonly ReplyTo[]): Promise<Chat> {
  const model = await startModel(...script);
  const place = await openPlace("telegram");
  const environment = { ANTHROPIC_API_KEY: "sk-ant-none", ANTHROPIC_BASE_URL: model.url.replace("/v1", "") };
  const folders = { tools: { directory: "work" } };
  const machine = machineWith(model, { plugins: [place.plugin], ...folders, ...config }, environment);
  open.push(model, place, machine);
  mkdirSync(join(realpathSync(machine.folder), "work"), { recursive: true });
  const says = (pattern: RegExp) =>
    machine.until(
      async () => (await place.messages()).some(({ text }) => pattern.test(text)),
      `${pattern} in the chat`,
    );
  return { machine, place, model, says };
}

const usage = { input: 1_000, output: 1 };
const LOOKS = { call: [{ name: "list", input: {} }], usage } as const;
const DONE = { say: "It is empty.", usage } as const;

it("a chat and a terminal are told which model answers instead", async () => {
  const instead: ReplyTo = ({ protocol }) =>
    protocol === "openai" ? { status: 404, message: "no such model" } : "At noon.";
  const config = { models: { fallback: ["anthropic/second"] } };
  const { machine, place, says } = await chatWith(config, ...Array.from({ length: 8 }, () => instead));
  await machine.startGateway();
  await place.write("When is high water?");
  await says(/^At noon\.$/);
  await says(/openai\/journey is gone; anthropic\/second answers/);
  const screen = await machine.startOnScreen([], { rows: 20, cols: 90 });
  await screen.shows(/›|>/);
  screen.press("And tomorrow?\r");
  await screen.shows(/openai\/journey is gone; anthropic\/second answers/);
  await screen.shows(/At noon\./);
});

it.each([
  ["a session", { session: { tokens: 500 } }],
  ["a day", { day: { dollars: 0.5 } }],
  ["a person", { person: { tokens: 500 } }],
])("the limit of %s stops a turn in a gateway until its operator says yes", async (_, limits) => {
  const models = { known: { "openai/journey": { prices: { input: 1_000, output: 0 } } } };
  const { machine, place, model, says } = await chatWith({ limits, models }, LOOKS, DONE);
  await machine.startGateway();
  await place.write("What is here?");
  await says(/Go on beyond the limit of/);
  expect(model.requests).toHaveLength(1);
  const store = await machine.store();
  expect(await store.approvals.open()).toMatchObject([{ kind: "limit", state: "open" }]);
  const question = (await place.messages()).find(({ choices }) => choices.includes("Go on"));
  if (question === undefined) throw new Error("there is no question with a button");
  await place.press(question, "Go on");
  await says(/^It is empty\.$/);
  expect(model.requests).toHaveLength(2);
});

/** What a turn ends with at a limit; the question has the first sentence, too. */
const ENDED = /limit of 500 tokens for this session is reached: \S+ tokens were used\.\s[\s\S]*\/usage more/;

it("a no at a limit in a chat ends the turn with a sentence, and asks no model", async () => {
  const { machine, place, model, says } = await chatWith({ limits: { session: { tokens: 500 } } }, LOOKS, DONE);
  await machine.startGateway();
  await place.write("What is here?");
  await says(/Go on beyond the limit of/);
  const { turns, approvals } = await machine.store();
  const [asked] = await approvals.open();
  if (asked === undefined) throw new Error("nothing was asked");
  // Telegram tells times in seconds, and what was written in the second of a question does not answer it.
  const second = () => Math.floor(Date.now() / 1_000);
  const shown = second();
  await machine.until(async () => second() > shown, "the next second");
  await place.write("no");
  await says(ENDED);
  await machine.until(async () => (await turns.running(asked.sessionId)) === null, "the end of the turn");
  expect(await approvals.open()).toEqual([]);
  expect(model.requests).toHaveLength(1);
});

it.each([
  ["y", /It is empty\./, 2],
  ["n", ENDED, 1],
])("a limit in a terminal's turn is asked about, and %s is heeded", async (answer, said, asked) => {
  const model = await startModel(LOOKS, DONE);
  const machine = machineWith(model, { limits: { session: { tokens: 500 } } }, { TERM: "xterm-256color" });
  open.push(model, machine);
  const screen = await machine.startOnScreen([], { rows: 30, cols: 100 });
  await screen.shows(/^›$/m);
  screen.press("What is here?\r");
  await screen.shows(/── A limit is reached ──[\s\S]*y go on · n stop here/);
  expect(model.requests).toHaveLength(1);
  screen.press(`${answer}\r`);
  await screen.shows(said);
  await screen.shows(/^›$/m);
  expect(model.requests).toHaveLength(asked);
  screen.press("\x04");
  expect(await screen.window.exited()).toBe(0);
});

it.each([
  ["before its answer is stored", ["finishTurn", "before"], 3],
  ["after its first request was counted", ["append", "after"], 2],
])("a gateway killed %s counts each request once", async (_, point, asked) => {
  const { machine, place, model, says } = await chatWith({}, LOOKS, ...Array.from({ length: 3 }, () => DONE));
  const fixture = join(import.meta.dirname, "../fixtures/crashing-gateway.ts");
  const killed = await machine.startGateway(fixture, ...point);
  await place.write("What is here?");
  await killed.exited();
  await machine.startGateway();
  await says(/^It is empty\.$/);
  expect(model.requests).toHaveLength(asked);
  // What was asked and not stored is nobody's: the process was gone that could have counted it.
  const used = await machine.json("usage");
  expect(used).toMatchObject({ requests: 2, tokens: { input: 2_000 } });
});
