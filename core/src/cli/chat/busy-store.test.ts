import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
type Run = ReturnType<typeof bench.start>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** Lets the time pass in which a busy store is waited for, until a command has said something. */
async function untilSaid(run: Run, text: string): Promise<void> {
  let isSaid = false;
  const said = run.printed(text).then(() => {
    isSaid = true;
  });
  while (!isSaid) {
    await bench.clock.advance(100);
    await new Promise(setImmediate);
  }
  await said;
}

async function untilEnded(run: Run): Promise<number> {
  let code: number | null = null;
  void run.ended.then((ended) => {
    code = ended;
  });
  while (code === null) {
    await bench.clock.advance(100);
    await new Promise(setImmediate);
  }
  return code;
}

async function saidIn(reference: string): Promise<string[]> {
  const [session] = await bench.host.store.sessions.find(reference, { kind: "all" });
  if (!session) return [];
  return (await bench.host.store.transcripts.read(session.id)).map(({ role, text }) => `${role}: ${text}`);
}

describe("a chat whose store another process keeps busy", () => {
  test("the chat says that the store is busy and sends the message once it is free", async () => {
    await bench.begin("plan");
    bench.model.push("1", "2");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    const busy = bench.keepBusy();
    chat.type("one");
    await untilSaid(chat, "has been busy for 5 s");
    expect(chat.stderr()).toContain("Hermes continues as soon as the store is free; Ctrl-C cancels it.");
    await bench.clock.advance(10_000);
    busy[Symbol.dispose]();
    await untilSaid(chat, "1\n");
    chat.type("two");
    await untilSaid(chat, "2\n");
    chat.end();
    expect(await untilEnded(chat)).toBe(0);
    expect(await saidIn("plan")).toEqual(["user: one", "assistant: 1", "user: two", "assistant: 2"]);
  });

  test("lets a message be taken back with Ctrl-C, and goes on", async () => {
    await bench.begin("plan");
    bench.model.push("2");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    const busy = bench.keepBusy();
    chat.type("one");
    await untilSaid(chat, "has been busy for 5 s");
    chat.press("\u0003");
    await untilSaid(chat, "Taken back: the message was not sent.");
    busy[Symbol.dispose]();
    chat.type("two");
    await untilSaid(chat, "2\n");
    chat.end();
    expect(await untilEnded(chat)).toBe(0);
    expect(await saidIn("plan")).toEqual(["user: two", "assistant: 2"]);
  });

  test("a command's output goes along with the message after one that was taken back", async () => {
    await bench.begin("plan");
    bench.model.push("2");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    chat.type("!echo harbour");
    await chat.printed("The agent gets this with your next message.");
    const busy = bench.keepBusy();
    chat.type("one");
    await untilSaid(chat, "has been busy for 5 s");
    chat.press("\u0003");
    await untilSaid(chat, "Taken back: the message was not sent.");
    busy[Symbol.dispose]();
    chat.type("two");
    await untilSaid(chat, "2\n");
    chat.end();
    expect(await untilEnded(chat)).toBe(0);
    expect(await saidIn("plan")).toEqual([expect.stringMatching(/^user: two\n.*harbour/s), "assistant: 2"]);
  });

  test("begins a session with the message that waited for the store, unless taken back", async () => {
    bench.model.push("1");
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    const first = bench.keepBusy();
    chat.type("taken back");
    await untilSaid(chat, "has been busy for 5 s");
    chat.press("\u0003");
    await chat.printed("Cancelling; waiting");
    await untilSaid(chat, "It was cancelled while the store was busy, and was not done.");
    chat.type("one");
    await bench.clock.advance(6_000);
    first[Symbol.dispose]();
    await untilSaid(chat, "1\n");
    chat.end();
    expect(await untilEnded(chat)).toBe(0);
    expect(await saidIn("one")).toEqual(["user: one", "assistant: 1"]);
    expect(await bench.host.store.sessions.count()).toBe(1);
  });

  test("the chat runs a command once the store is free, unless it was taken back", async () => {
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    const first = bench.keepBusy();
    chat.type("/title taken back");
    await untilSaid(chat, "has been busy for 5 s");
    chat.press("\u0003");
    await untilSaid(chat, "It was cancelled while the store was busy, and was not done.");
    chat.type("/title renamed");
    await bench.clock.advance(6_000);
    first[Symbol.dispose]();
    await untilSaid(chat, "This session is now");
    chat.end();
    expect(await untilEnded(chat)).toBe(0);
    expect(await bench.host.store.sessions.find("taken back", { kind: "all" })).toEqual([]);
  });

  test("keeps an answer that cannot be stored yet, however long that takes", async () => {
    await bench.begin("plan");
    const busy: { end: Disposable | null } = { end: null };
    bench.model.push([{ say: "The answer." }]);
    const ask = bench.model.run.bind(bench.model);
    bench.model.run = (request) => {
      busy.end = bench.keepBusy();
      return ask(request);
    };
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    chat.type("one");
    await untilSaid(chat, "has been busy for 5 s");
    for (let second = 0; second < 70; second++) await bench.clock.advance(1_000);
    busy.end?.[Symbol.dispose]();
    chat.end();
    expect(await untilEnded(chat)).toBe(0);
    expect(await saidIn("plan")).toEqual(["user: one", "assistant: The answer."]);
  });
});

describe("a command whose store another process keeps busy", () => {
  test("chat -q asks once the store is free", async () => {
    await bench.begin("plan");
    bench.model.push("1");
    const busy = bench.keepBusy();
    const run = bench.start(["chat", "-q", "one", "-s", "plan"]);
    await untilSaid(run, "has been busy for 5 s");
    busy[Symbol.dispose]();
    expect(await untilEnded(run)).toBe(0);
    expect(run.stdout()).toBe("1\n");
    expect(await saidIn("plan")).toEqual(["user: one", "assistant: 1"]);
  });

  test("a command says that it waits for the store, and runs once it is free", async () => {
    await bench.begin("plan");
    const busy = bench.keepBusy();
    const run = bench.start(["sessions", "title", "plan", "renamed"]);
    await untilSaid(run, "Hermes continues as soon as the store is free.");
    busy[Symbol.dispose]();
    expect(await untilEnded(run)).toBe(0);
    expect(await bench.host.store.sessions.find("renamed", { kind: "all" })).toHaveLength(1);
  });

  test("a command gives up on a busy store after a minute unattended, or on Ctrl-C", async () => {
    await bench.begin("plan");
    const busy = bench.keepBusy();
    const unattended = bench.start(["sessions", "title", "plan", "renamed", "--json"]);
    expect(await untilEnded(unattended)).toBe(1);
    expect(JSON.parse(unattended.stdout())).toMatchObject({ error: { code: "STORE_BUSY" } });
    const attended = bench.start(["sessions", "title", "plan", "renamed"], { interactive: true });
    await untilSaid(attended, "Ctrl-C cancels it");
    attended.signal("SIGINT");
    expect(await untilEnded(attended)).toBe(1);
    expect(attended.stderr()).toContain("It was cancelled while the store was busy, and was not done.");
    busy[Symbol.dispose]();
    expect(await bench.host.store.sessions.find("renamed", { kind: "all" })).toEqual([]);
  });
});
