import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { createTestBench } from "../test-bench.ts";

const THREAD = { platform: "pager", chatId: "7", kind: "dm", threadId: "1" } as const;
const KEY = buildSessionKey(THREAD);

/** The key as terminals send it that tell keys apart; by itself it is known a moment later. */
const ESCAPE = "\u001b[27u";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("what is piped in", () => {
  test("each piped line is a message, answered in order; the chat ends at EOF", async () => {
    bench.model.push("1", "2", "3");
    const chat = bench.start([]);
    for (const line of ["one", "two", "", "three"]) chat.type(line);
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(chat.stdout()).toBe("1\n2\n3\n");
    const [session] = await bench.host.store.sessions.find("one", { kind: "all" });
    expect(session).toMatchObject({ title: "one", messageCount: 6, workingDirectory: bench.folder });
  });

  test("may hold commands, which run in their turn", async () => {
    bench.model.push("1", "2");
    const chat = bench.start(["chat"]);
    for (const line of ["one", "/title plan", "/stop", "two", "/quit", "never"]) chat.type(line);
    expect(await chat.ended).toBe(0);
    expect(chat.stdout()).toContain("This session is now **plan**.\nNothing is running in this session.\n2\n");
    expect(bench.model.requests).toHaveLength(2);
  });

  test("fails when a message had no answer", async () => {
    bench.model.push([{ fail: new Error("overloaded") }], "2");
    const chat = bench.start([]);
    chat.type("one");
    chat.type("two");
    chat.end();
    expect(await chat.ended).toBe(1);
    expect(chat.stdout()).toBe("2\n");
    expect(chat.stderr()).toContain("overloaded");
  });

  test("SIGINT ends a piped chat and stops its running turn", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }]);
    const chat = bench.start([]);
    chat.type("one");
    chat.type("two");
    await held.reached;
    chat.signal("SIGINT");
    expect(await chat.ended).toBe(1);
    expect(bench.model.requests).toHaveLength(1);
    expect(chat.stdout()).toBe("Begun \n");
  });

  test("begins no session when nothing is said", async () => {
    const chat = bench.start([]);
    chat.type("/help");
    chat.type("/new");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await bench.host.store.sessions.count()).toBe(0);
  });
});

describe("a person at the terminal", () => {
  test("sees the answer laid out, tools as they are called, and what they found", async () => {
    bench.model.push([
      { say: "Let me look.\n\n" },
      { call: [{ name: "read", input: { path: "a.txt" } }] },
      { say: "# Done\n\nIt is **there**." },
    ]);
    writeFileSync(join(bench.folder, "a.txt"), "1\n2\n3\n4\n5\n");
    const chat = bench.start([], { interactive: true });
    await chat.printed("/help lists the commands");
    chat.type("look");
    await chat.printed("It is");
    expect(chat.stdout()).toContain("Let me look.");
    expect(chat.stderr()).toMatch(/● read {2}a\.txt\n {2}… 2 more lines \(Ctrl-O\)\n {2}.*3\n {2}.*4\n {2}.*5/);
    chat.type("/q");
    expect(await chat.ended).toBe(0);
  });

  test("stops a turn with Ctrl-C, and goes on in the same chat", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }, { say: "never" }], "again");
    const chat = bench.start([], { interactive: true });
    chat.type("one");
    await held.reached;
    chat.press("\u0003");
    await chat.printed("Stopped; what was said so far is kept.");
    chat.type("two");
    await chat.printed("again");
    chat.end();
    expect(await chat.ended).toBe(0);
    const [session] = await bench.host.store.sessions.find("one", { kind: "all" });
    const messages = await bench.host.store.transcripts.read(session?.id ?? ("" as never));
    expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      "user: one",
      "assistant: Begun ",
      expect.stringContaining("this turn was stopped"),
      "user: two",
      "assistant: again",
    ]);
  });

  test("Esc stops a turn, and a second one discards what was being written", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }, { say: "never" }], "again", "3");
    const chat = bench.start([], { interactive: true });
    chat.type("one");
    await held.reached;
    chat.press("half");
    chat.press(ESCAPE);
    await chat.printed("Stopped; what was said so far is kept.");
    chat.press(ESCAPE);
    chat.type("two");
    await chat.printed("again");
    // One alone discards nothing, and stops nothing where nothing runs.
    chat.press(`kept${ESCAPE}!${ESCAPE}?\r`);
    await chat.printed("kept!?\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(bench.model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(["one", "two", "kept!?"]);
  });

  test("Ctrl-C at an idle prompt tells how to leave", async () => {
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press("half a mess");
    chat.press("\u0003");
    await chat.printed("/quit or Ctrl-D leaves");
    chat.press("\u0004");
    expect(await chat.ended).toBe(0);
    expect(bench.model.requests).toHaveLength(0);
  });

  test("can type ahead: messages wait in order, /stop does not", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }, { say: "never" }], "2", "3");
    const chat = bench.start([], { interactive: true });
    chat.type("one");
    await held.reached;
    chat.type("two");
    chat.type("three");
    chat.type("/stop");
    await chat.printed("Stopping");
    await bench.clock.advance(2_000);
    await chat.printed("3");
    chat.type("/quit");
    expect(await chat.ended).toBe(0);
    expect(bench.model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(["one", "two", "three"]);
  });

  test("pastes several lines as one message, which Enter sends", async () => {
    bench.model.push("1", "2");
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press("Look: \u001b[200~one\r\n\ttwo\u0003\n/quit\u001b[2");
    chat.press("01~\r");
    await chat.printed("1\n");
    chat.type("next");
    await chat.printed("2\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    const said = bench.model.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(said).toEqual(["Look: one\n    two\n/quit", "next"]);
    // Where it is found again, and can be sent again as it was.
    expect(readFileSync(join(bench.home, "chat-history"), "utf8")).toBe("Look: one␊    two␊/quit\nnext\n");
  });

  test("finds what was typed before, in a file of their own", async () => {
    bench.model.push("1");
    const chat = bench.start([], { interactive: true });
    chat.type("one");
    await chat.printed("1");
    chat.type("/quit");
    await chat.ended;
    const file = join(bench.home, "chat-history");
    expect(readFileSync(file, "utf8")).toBe("one\n/quit\n");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("Tab completes commands and session titles", async () => {
    await bench.begin("plan for May");
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press("/resu\t");
    await chat.printed("/resume ");
    chat.press("pla\t");
    await chat.printed("/resume plan for May");
    chat.press("\r");
    await chat.printed("Resumed **plan for May**");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("hears of a command that was mistyped", async () => {
    const chat = bench.start([], { interactive: true });
    chat.type("/resum");
    await chat.printed("Did you mean /resume?");
    chat.end();
    await chat.ended;
    expect(bench.model.requests).toHaveLength(0);
  });
});

describe("a session that is used at several places", () => {
  test("resuming shows what was said meanwhile, and where", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "here", "answer here");
    await bench.host.store.bindings.bind({ key: KEY, conversation: THREAD, sessionId: session.id, mirrors: false });
    await bench.exchange(session.id, "on the phone", "answer there", KEY);
    const chat = bench.start(["resume", "plan"]);
    chat.end();
    expect(await chat.ended).toBe(0);
    const [here, there] = chat.stdout().split("── on pager, in a thread ──");
    expect(here).toMatch(/── in the terminal ──\n› here\n[\s\S]*answer here\n/);
    expect(there).toMatch(/^\n› on the phone\n[\s\S]*answer there\n/);
  });

  test("the chat shows by itself what is said elsewhere", async () => {
    const session = await bench.begin("plan");
    await bench.host.store.bindings.bind({ key: KEY, conversation: THREAD, sessionId: session.id, mirrors: false });
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    await bench.exchange(session.id, "on the phone", "answer there", KEY);
    await bench.clock.advance(1_000);
    await chat.printed("answer there");
    expect(chat.stdout()).toContain("── on pager, in a thread ──\n› on the phone");
    chat.end();
    await chat.ended;
  });

  test("two terminals take turns, and each sees what the other said", async () => {
    const held = gate();
    bench.model.push([{ hold: held }, { say: "first answer" }], "second answer");
    const session = await bench.begin("plan");
    const one = bench.start(["resume", "plan"], { interactive: true });
    const two = bench.start(["resume", "plan"], { interactive: true });
    await one.printed("› ");
    await two.printed("› ");
    one.type("from one");
    await held.reached;
    two.type("from two");
    await two.printed("waiting for the turn that runs in the terminal");
    held.open();
    await one.printed("first answer");
    await bench.clock.advance(1_000);
    await two.printed("second answer");
    await bench.clock.advance(1_000);
    await one.printed("second answer");
    expect(two.stdout().indexOf("first answer")).toBeLessThan(two.stdout().indexOf("second answer"));
    one.end();
    two.end();
    expect(await Promise.all([one.ended, two.ended])).toEqual([0, 0]);
    expect((await bench.host.store.sessions.get(session.id))?.messageCount).toBe(4);
  });

  test("leaving writes nothing to the session", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "one", "1");
    const before = await bench.host.store.sessions.get(session.id);
    for (const leave of ["/quit", "/exit"]) {
      const chat = bench.start(["resume", "plan"]);
      chat.type(leave);
      expect(await chat.ended).toBe(0);
    }
    expect(await bench.host.store.sessions.get(session.id)).toEqual(before);
  });

  test("resuming is refused while the session is being handed off", async () => {
    const session = await bench.begin("plan");
    await bench.requestHandoff(session.id);
    const { code, stderr } = await bench.hermes("resume", "plan");
    expect(code).toBe(1);
    expect(stderr).toContain("is already being handed off to pager");
  });
});

describe("choosing a session", () => {
  test("a session is chosen from the list by its number", async () => {
    await bench.begin("plan");
    const chat = bench.start(["resume"], { interactive: true });
    await chat.printed("Which one?");
    chat.type("1");
    await chat.printed("plan\n");
    chat.type("/title");
    await chat.printed("This session is **plan**.");
    chat.end();
    expect(await chat.ended).toBe(0);
  });
});
