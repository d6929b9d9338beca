import { createVirtualClock, gate, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Holder } from "../../base/process-identity.ts";
import type { SessionId } from "../../model/session.ts";
import type { LineId } from "../../model/typed-line.ts";
import { createTestBench } from "../test-bench.ts";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** What stands in the store, whoever has it: the session's title and the line. */
function stored(): string[] {
  const rows = bench
    .database()
    .prepare<[], { title: string | null; text: string }>(
      "SELECT title, text FROM typed_lines JOIN sessions ON sessions.id = session_id ORDER BY number",
    )
    .all();
  return rows.map(({ title, text }) => `${title}: ${text}`);
}

async function untilStored(lines: readonly string[]): Promise<void> {
  while (JSON.stringify(stored()) !== JSON.stringify(lines)) await new Promise(setImmediate);
}

/** Lines of a terminal that was killed. */
async function leave(sessionId: SessionId, ...texts: readonly string[]): Promise<void> {
  const gone: Holder = { ...bench.host.holder, id: "prc_gone", pidStart: "long ago" };
  const lines = texts.map((text, at) => ({ id: `lin_${at}` as LineId, text }));
  await bench.host.store.typedLines.keep(sessionId, lines, gone, 15_000);
}

async function requests(): Promise<(string | undefined)[]> {
  return bench.model.requests.map(({ messages }) => messages.at(-1)?.text);
}

describe("what is typed during a turn", () => {
  test("a typed-ahead line stays stored until its turn starts or its command is done", async () => {
    const [first, second] = [gate(), gate()];
    bench.model.push([{ hold: first }, { say: "1" }], [{ hold: second }, { say: "2" }]);
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await first.reached;
    for (const line of ["/title renamed", "two", "  ", "three"]) chat.type(line);
    await chat.printed("· waits its turn: three");
    expect(stored()).toEqual(["plan: /title renamed", "plan: two", "plan: three"]);
    first.open();
    await second.reached;
    expect(stored()).toEqual(["renamed: three"]);
    bench.model.push("3");
    second.open();
    await chat.printed("3\n");
    expect(stored()).toEqual([]);
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await requests()).toEqual(["one", "two", "three"]);
  });

  test("a piped line is in the store too, and is dropped when the chat is interrupted", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun" }, { hold: held }]);
    const chat = bench.start([]);
    for (const line of ["one", "two", "three"]) chat.type(line);
    await held.reached;
    await untilStored(["one: two", "one: three"]);
    chat.signal("SIGINT");
    expect(await chat.ended).toBe(1);
    expect(stored()).toEqual([]);
    expect(bench.model.requests).toHaveLength(1);
  });

  test("waits on when the turn before it is stopped", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }], "2");
    const chat = bench.start([], { interactive: true });
    chat.type("one");
    await held.reached;
    chat.type("two");
    await chat.printed("· waits its turn: two");
    chat.press("\u0003");
    await chat.printed("2\n");
    await expect.poll(stored).toEqual([]);
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("Up in an empty line takes back the last one, which is sent once, as edited", async () => {
    const held = gate();
    bench.model.push([{ say: "Begun " }, { hold: held }], "2", "3");
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await held.reached;
    for (const line of ["two", "three"]) chat.type(line);
    await chat.printed("· waits its turn: three");
    chat.press("\u001b[A");
    await chat.printed("› three");
    await untilStored(["plan: two"]);
    chat.press(", edited\r");
    await chat.printed("· waits its turn: three, edited");
    await untilStored(["plan: two", "plan: three, edited"]);
    held.open();
    await chat.printed("3\n");
    expect(stored()).toEqual([]);
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await requests()).toEqual(["one", "two", "three, edited"]);
  });

  test("a line that another terminal has taken over by then is not edited here", async () => {
    const held = gate();
    bench.model.push([{ hold: held }, { say: "1" }]);
    const { id } = await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await held.reached;
    chat.type("two");
    await untilStored(["plan: two"]);
    const other: Holder = { ...bench.host.holder, id: "prc_other" };
    bench.database().prepare("UPDATE typed_lines SET holder_id = ?").run(other.id);
    chat.press("\u001b[A");
    await chat.printed("Another terminal has taken this message over");
    expect(chat.stdout()).not.toContain("› two");
    expect(stored()).toEqual(["plan: two"]);
    held.open();
    await chat.printed("1\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect((await bench.host.store.transcripts.read(id)).map(({ text }) => text)).toEqual(["one", "1"]);
  });

  test("a typed line follows into the session that a command before it leads to", async () => {
    const [first, second] = [gate(), gate()];
    bench.model.push([{ hold: first }, { say: "1" }], [{ hold: second }, { say: "2" }], "3");
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await first.reached;
    for (const line of ["/new", "/help", "two", "three"]) chat.type(line);
    await chat.printed("· waits its turn: three");
    first.open();
    await second.reached;
    // A crash before the turn would have found all of it with the session where it was typed.
    expect(stored()).toEqual(["two: three"]);
    second.open();
    await chat.printed("3\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(stored()).toEqual([]);
  });

  test("a line that waits for a turn elsewhere is stored until it is sent or taken back", async () => {
    const held = gate();
    bench.model.push([{ hold: held }, { say: "1" }], "2");
    await bench.begin("plan");
    const one = bench.start(["resume", "plan"], { interactive: true });
    const two = bench.start(["resume", "plan"], { interactive: true });
    one.type("one");
    await held.reached;
    two.type("taken back");
    await two.printed("waiting for the turn that runs in the terminal");
    expect(stored()).toEqual(["plan: taken back"]);
    two.press("\u0003");
    await two.printed("Taken back: the message was not sent.");
    two.type("two");
    await untilStored(["plan: two"]);
    // It is this terminal's for as long as it waits.
    await bench.clock.advance(30_000);
    expect(await bench.host.store.typedLines.left()).toEqual([]);
    held.open();
    await one.printed("1\n");
    await bench.clock.advance(1_000);
    await two.printed("2\n");
    expect(stored()).toEqual([]);
    one.end();
    two.end();
    expect(await Promise.all([one.ended, two.ended])).toEqual([0, 0]);
    expect(await requests()).toEqual(["one", "two"]);
  });

  test("stays for the next time when the chat is left before it, and says so", async () => {
    const held = gate();
    bench.model.push([{ hold: held }, { say: "1" }]);
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await held.reached;
    for (const line of ["/quit", "two"]) chat.type(line);
    await chat.printed("· waits its turn: two");
    held.open();
    expect(await chat.ended).toBe(0);
    expect(chat.stderr()).toContain("What you typed ahead was not sent (1 line)");

    const plain = bench.start([], { interactive: true });
    await plain.printed("1 line was typed in “plan”, and not sent");
    plain.end();
    await plain.ended;
    const next = bench.start(["resume", "plan"], { interactive: true });
    await next.printed("Send it now?");
    next.type("n");
    next.end();
    expect(await next.ended).toBe(0);
    expect(stored()).toEqual([]);
  });

  test("a terminal that slept does not send a line that another took over", async () => {
    const held = gate();
    bench.model.push([{ hold: held }, { say: "1" }], "3");
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await held.reached;
    for (const line of ["two", "three"]) chat.type(line);
    await chat.printed("· waits its turn: three");
    bench.database().exec("DELETE FROM typed_lines WHERE text = 'two'");
    held.open();
    await chat.printed("Another terminal has taken this message over; it was not sent again.");
    await chat.printed("3\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await requests()).toEqual(["one", "three"]);
  });

  test("a typed-ahead line is stored once a busy store is free, and sent once", async () => {
    const held = gate();
    bench.model.push([{ hold: held }, { say: "1" }], "2");
    await bench.begin("plan");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    chat.type("one");
    await held.reached;
    const busy = bench.keepBusy();
    chat.type("two");
    await bench.clock.advance(7_000);
    expect(stored()).toEqual([]);
    busy[Symbol.dispose]();
    await bench.clock.advance(2_000);
    await chat.printed("· waits its turn: two");
    expect(stored()).toEqual(["plan: two"]);
    held.open();
    await chat.printed("2\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(stored()).toEqual([]);
    expect(await requests()).toEqual(["one", "two"]);
  });
});

describe("what a terminal left that was killed", () => {
  test("opening a session offers lines left there and sends them once, in order", async () => {
    const { id } = await bench.begin("plan");
    await leave(id, "one", "/title renamed", "two");
    bench.model.push("1", "2");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("3 lines were typed here, and not sent when that terminal ended:");
    await chat.printed("Send it now?");
    expect(chat.stdout()).toContain("  › one\n  › /title renamed\n  › two\n");
    chat.type("y");
    await chat.printed("2\n");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await requests()).toEqual(["one", "two"]);
    expect((await bench.host.store.sessions.get(id))?.title).toBe("renamed");
    expect(stored()).toEqual([]);
  });

  test("/resume offers the lines that were left in the session", async () => {
    const { id } = await bench.begin("plan");
    await leave(id, "one");
    bench.model.push("1");
    const chat = bench.start([], { interactive: true });
    chat.type("/resume plan");
    await chat.printed("Send it now?");
    chat.type("yes");
    await chat.printed("1\n");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("lines left undecided are offered again, to only one of two terminals", async () => {
    const { id } = await bench.begin("plan");
    await leave(id, "one");
    const first = bench.start(["resume", "plan"], { interactive: true });
    await first.printed("Send it now?");
    first.type("");
    first.end();
    expect(await first.ended).toBe(0);

    bench.model.push("1");
    const [left, right] = [0, 1].map(() => bench.start(["resume", "plan"], { interactive: true }));
    await Promise.all([left?.printed("Send it now?"), right?.printed("Send it now?")]);
    left?.type("y");
    await left?.printed("1\n");
    right?.type("y");
    await right?.printed("Another terminal has taken that over meanwhile.");
    left?.end();
    right?.end();
    expect(await Promise.all([left?.ended, right?.ended])).toEqual([0, 0]);
    expect(await requests()).toEqual(["one"]);
  });

  test("lines left in a session are reported, not sent, if nobody can be asked", async () => {
    const { id } = await bench.begin("plan");
    await leave(id, "one");
    const { code, stderr, stdout } = await bench.hermes("resume", "plan");
    expect(code).toBe(0);
    expect(stderr).toContain("1 line was typed in this session, and not sent.");
    expect(stdout).not.toContain("one");
    expect(stored()).toEqual(["plan: one"]);
  });

  test("undoes once what a crash had kept from being taken away", async () => {
    const { id } = await bench.begin("plan");
    await bench.exchange(id, "first", "1");
    await bench.exchange(id, "second", "2");
    await leave(id, "/undo");
    // The command had been done by then.
    await bench.host.store.turns.undoLast(id, "lin_0");
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("Send it now?");
    chat.type("y");
    await chat.printed("Took back");
    chat.end();
    expect(await chat.ended).toBe(0);
    const texts = (await bench.host.store.transcripts.read(id)).map(({ text }) => text);
    expect(texts).toContain("first");
  });
});
