import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EVERY_SESSION, type SessionId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const TOLD = "The session plan was deleted elsewhere, with its whole transcript.";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, hasPager: true, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
type Chat = ReturnType<typeof bench.start>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** A chat whose session is deleted under it, once it has said so. */
async function chatOfDeleted(): Promise<Chat> {
  const session = await bench.begin("plan");
  await bench.exchange(session.id, "one", "1");
  const chat = bench.start(["resume", "plan"], { interactive: true });
  await chat.printed("› ");
  expect((await bench.hermes("sessions", "delete", "plan", "--force")).code).toBe(0);
  await bench.clock.advance(1_000);
  await chat.printed(`${TOLD} /new starts a new one`);
  return chat;
}

async function sessionTexts(): Promise<Record<string, string[]>> {
  const { sessions, transcripts } = bench.host.store;
  const { sessions: all } = await sessions.list({ visible: EVERY_SESSION, limit: 10 });
  const texts = all.map(async ({ id, title }) => [
    title ?? id,
    (await transcripts.read(id as SessionId)).map(({ text }) => text),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

describe("a chat whose session is deleted elsewhere", () => {
  test("asks at the next message, and begins a new session with it where that is meant", async () => {
    const chat = await chatOfDeleted();
    bench.model.push("2");
    chat.type("two");
    await chat.printed("Begin a new session with your message? (y/n)");
    expect(await sessionTexts()).toEqual({});
    chat.type("y");
    await chat.printed("2\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await sessionTexts()).toEqual({ two: ["two", "2"] });
  });

  test("sends nothing where no new session is meant, and asks again at the next message", async () => {
    const chat = await chatOfDeleted();
    chat.type("two");
    await chat.printed("Begin a new session with your message? (y/n)");
    chat.type("n");
    await chat.printed("Not sent; arrow up brings your message back.");
    // Arrow up, past the answer to the question.
    chat.type("three");
    await chat.printed("three");
    chat.press("\u0003");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await sessionTexts()).toEqual({});
    expect(bench.model.requests).toHaveLength(0);
  });

  test("lets no command put an empty session in its place", async () => {
    const chat = await chatOfDeleted();
    chat.type("/title renamed");
    chat.type("/handoff pager");
    chat.type("/status");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(chat.stderr().split(TOLD).length).toBeGreaterThan(2);
    expect(await sessionTexts()).toEqual({});
  });

  test("goes on with /new, and with another session", async () => {
    const chat = await chatOfDeleted();
    await bench.begin("other");
    bench.model.push("2", "3");
    chat.type("/new two");
    await chat.printed("2\n");
    chat.type("/resume other");
    await chat.printed("Resumed **other**");
    chat.type("three");
    await chat.printed("3\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await sessionTexts()).toEqual({ two: ["two", "2"], other: ["three", "3"] });
  });

  test("refuses a message that is piped in, since nobody can be asked", async () => {
    const session = await bench.begin("plan");
    const chat = bench.start(["resume", "plan"]);
    await chat.printed("plan\n");
    await bench.host.store.sessions.delete(session.id);
    chat.type("two");
    chat.end();
    expect(await chat.ended).toBe(1);
    expect(chat.stderr()).toContain(TOLD);
    expect(await sessionTexts()).toEqual({});
  });
});
