import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import type { UserId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("hermes sessions", () => {
  test("lists them with the numbers that other commands take", async () => {
    await bench.begin("plan");
    const { code, stdout } = await bench.hermes("sessions");
    expect(code).toBe(0);
    expect(stdout).toMatch(/1 {2}plan/);
    expect(stdout).toContain("0 messages · in the terminal · just now");
    expect((await bench.hermes("sessions", "list", "--json")).json()).toEqual({
      sessions: [expect.objectContaining({ title: "plan", user: "operator", lastSurface: "terminal" })],
      cursor: null,
    });
  });

  test("a title of two people's sessions is refused with both, and an id names one", async () => {
    const ada = "pager:ada" as UserId;
    const own = await bench.begin("plan");
    const hers = await bench.begin("Plan", ada);
    await bench.host.store.users.note(ada, "Ada");
    expect(hers.title).toBe("Plan");
    for (const words of [
      ["resume", "plan"],
      ["sessions", "show", "PLAN"],
      ["sessions", "delete", "plan", "--force"],
    ]) {
      const { code, stderr } = await bench.hermes(...words);
      expect([words[0], code]).toEqual([words[0], 1]);
      expect(stderr).toContain(`plan (${own.id}, begun by operator)`);
      expect(stderr).toContain(`Plan (${hers.id}, begun by Ada)`);
      expect(stderr).toContain("Name one by its id.");
    }
    expect((await bench.hermes("sessions", "show", hers.id, "--json")).json()).toMatchObject({ id: hers.id });
    await bench.hermes("sessions", "title", hers.id, "notes");
    expect((await bench.hermes("sessions", "title", own.id, "Notes", "--json")).json()).toMatchObject({
      title: "Notes",
    });
  });

  test("lists the sessions that match, page by page", async () => {
    for (const title of ["plan", "notes", "planet"]) await bench.begin(title);
    const first = (await bench.hermes("sessions", "--json", "--matching", "PLAN", "--limit", "1")).json();
    expect(first.sessions.map(({ title }: { title: string }) => title)).toHaveLength(1);
    const { stdout } = await bench.hermes("sessions", "--matching", "plan", "--after", first.cursor);
    expect(stdout).toMatch(/^ {5}plan(et)? /);
    expect(stdout).not.toContain("notes");
    expect((await bench.hermes("sessions", "--matching", "x")).stdout).toBe("There is no such session.\n");
  });

  test("shows where a session is open, its handoffs and its questions", async () => {
    const session = await bench.begin("plan");
    const chat = { platform: "pager", chatId: "7", kind: "dm" } as const;
    const key = buildSessionKey(chat);
    await bench.host.store.bindings.bind({ key, conversation: chat, sessionId: session.id, mirrors: false });
    const { id } = await bench.requestHandoff(session.id);
    const { stdout } = await bench.hermes("sessions", "where", "plan");
    expect(stdout).toContain("last used in the terminal, just now");
    expect(stdout).toContain("open on pager, used just now");
    expect(stdout).toContain(`  terminal → pager: pending, just now  ${id}`);
    expect((await bench.hermes("sessions", "where", "plan", "--json")).json()).toMatchObject({
      ...{ id: session.id, title: "plan", lastPlace: "in the terminal", openQuestions: 0, turn: null, approvals: [] },
      places: [{ key, name: "on pager", account: "pager" }],
      handoffs: [{ handoffId: id, state: "pending", steps: [{ step: "pending", at: expect.any(Number) }] }],
    });
  });

  test("people see who wrote in a group, without Hermes' own marks", async () => {
    const session = await bench.begin("trip");
    await bench.exchange(session.id, '⟦from "Ada" #a1b2c3⟧\nplan the trip', "Gladly.");
    for (const args of [
      ["show", "trip"],
      ["export", "trip"],
      ["search", "plan"],
    ]) {
      const { stdout } = await bench.hermes("sessions", ...args);
      expect(stdout).toMatch(/Ada: \[?plan\]? the trip/);
      expect(stdout).not.toMatch(/[⟦⟧]/);
    }
  });

  test("shows one with its messages, tool calls among them", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "What is in a.txt?", "It says **contents**.");
    const { json } = await bench.hermes("sessions", "show", "plan", "--json");
    expect(json()).toMatchObject({
      id: session.id,
      title: "plan",
      user: "operator",
      lastSurface: "terminal",
      messages: [
        { role: "user", text: "What is in a.txt?", createdAt: expect.any(Number) },
        { role: "assistant", text: "", toolCalls: [{ id: "call_1", name: "read_file", input: { path: "a.txt" } }] },
        { role: "tool", text: "contents", toolCallId: "call_1" },
        { role: "assistant", text: "It says **contents**." },
      ],
    });
    const { stdout } = await bench.hermes("sessions", "show", "1");
    expect(stdout).toContain("── in the terminal ──\n› What is in a.txt?\n");
    expect(stdout).toContain('· read_file {"path":"a.txt"}');
  });

  test("shows where the work stands, by the transcript until a model has said it", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "What is in a.txt?", "Contents.");
    const state = async () => (await bench.hermes("sessions", "show", "plan", "--limit", "1", "--json")).json().state;
    expect(await state()).toMatchObject({ from: "transcript", model: null, task: "What is in a.txt?", progress: null });
    const { store, holder } = bench.host;
    const message = { role: "user", text: "And now?" } as const;
    const turn = { holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000, message } as const;
    const started = await store.turns.startTurn({ sessionId: session.id, ...turn });
    if (!started.ok) throw new Error(started.reason);
    const said = {
      task: "Read it",
      progress: "It is read",
      nextStep: null,
      decisions: [],
      openQuestions: [],
      files: [],
    };
    const work = { ...said, model: "acme/large", at: 5 };
    const { fence } = started;
    await store.turns.finishTurn({ turnId: started.turn.id, fence, state: "done", messages: [], outbox: [], work });
    expect(await state()).toMatchObject({ from: "model", ...work });
    expect((await bench.hermes("sessions", "where", "plan", "--json")).json().state).toEqual(work);
  });

  test("what somebody wrote cannot steer the terminal", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "a\u001b]0;owned\u0007b", "ok");
    const { stdout } = await bench.hermes("sessions", "show", "plan");
    expect(stdout).not.toContain("\u001b");
  });

  test("finds where something was said", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "What about the rate limit?", "It is 30.");
    expect((await bench.hermes("sessions", "search", "rate", "limit")).stdout).toContain("plan");
    expect((await bench.hermes("sessions", "search", "rate", "limit", "--json")).json().hits[0]).toMatchObject({
      sessionId: session.id,
      role: "user",
      snippet: expect.stringContaining("[rate]"),
    });
    expect((await bench.hermes("sessions", "search", "nothing")).stdout).toContain("No message contains these words.");
  });

  test("finds the beginning of a word, and any part of a text without spaces", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "修改youer服务端的计划", "昨日の会議で refactoring と決めた");
    const found = async (words: string) => (await bench.hermes("sessions", "search", words)).stdout;
    expect(await found("youer")).toContain("修改[youer]服务端的计划");
    expect(await found("会議")).toContain("昨日の[会議]で refactoring と決めた");
    expect(await found("refact")).toContain("昨日の会議で [refactoring] と決めた");
  });

  test("names one", async () => {
    const session = await bench.begin("plan");
    expect((await bench.hermes("sessions", "title", "plan", "Plan", "for", "May", "--json")).json()).toEqual({
      id: session.id,
      title: "Plan for May",
    });
  });

  test("exports one as Markdown or JSON, to stdout or a file, and says if it was there", async () => {
    const session = await bench.begin("plan");
    await bench.exchange(session.id, "one", "1");
    expect((await bench.hermes("sessions", "export", "plan")).stdout).toMatch(/^# plan\n\n## you \(\d{4}-/);
    const toFile = await bench.hermes("sessions", "export", "plan", "--format", "json", "-o", "plan.json");
    expect(toFile.stdout).toMatch(/^Wrote .*plan\.json\./);
    const replaced = await bench.hermes("sessions", "export", "plan", "--format", "json", "-o", "plan.json");
    expect(replaced.stdout).toMatch(/^Replaced .*plan\.json\./);
    const file = join(bench.folder, "plan.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ id: session.id, messages: { length: 4 } });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const twice = await bench.hermes("sessions", "export", "plan", "--json", "-o", "nowhere/plan.md");
    expect(twice.json()).toMatchObject({ error: { code: "USAGE" } });
  });

  test("exports the files of a session beside its text, and deletes them with it", async () => {
    const { store, files: kept, holder } = bench.host;
    const session = await bench.begin("plan");
    const called = { name: "cat.png", mediaType: "image/png" };
    const files = await Promise.all(["one", "two"].map((text) => kept.keep(Buffer.from(text), called)));
    const begun = await store.turns.startTurn({
      ...{ sessionId: session.id, holder, leaseMs: 15_000, surface: "terminal", cause: { kind: "terminal" } },
      message: { role: "user", text: "Which cat?", files },
    });
    if (!begun.ok) throw new Error("the turn was not granted");
    await store.turns.finishTurn({
      ...{ turnId: begun.turn.id, fence: begun.fence, state: "done", messages: [], outbox: [] },
    });
    const { stdout } = await bench.hermes("sessions", "export", "plan", "-o", "plan.md");
    expect(stdout).toContain("plan.md and 2 files beside it.");
    expect(readFileSync(join(bench.folder, "plan.md"), "utf8")).toContain("File: [cat.png](<plan-files/cat-2.png>)");
    expect(readFileSync(join(bench.folder, "plan-files/cat-2.png"), "utf8")).toBe("two");
    await bench.hermes("sessions", "export", "plan", "--format", "json", "-o", "again.json");
    const [asked] = JSON.parse(readFileSync(join(bench.folder, "again.json"), "utf8")).messages;
    expect(asked.files).toMatchObject([{ ...files[0], path: "again-files/cat.png" }, files[1]]);

    await clock.advance(900_001);
    await bench.hermes("sessions", "delete", "plan", "--force");
    expect(await kept.read(files[0] as (typeof files)[number])).toBeNull();
  });

  test("deletes nothing that nobody confirmed", async () => {
    const session = await bench.begin("plan");
    expect((await bench.hermes("sessions", "delete", "plan")).code).toBe(2);
    await bench.host.store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: session.id, mirrors: false });
    const refused = await bench.hermes("sessions", "delete", "plan", "--json");
    expect(refused.json()).toMatchObject({
      error: { code: "SESSION_IN_USE", message: expect.stringContaining("on pager") },
    });
    expect(await bench.host.store.sessions.get(session.id)).not.toBeNull();
  });

  test("asks before it deletes, and tells the chat that the session was bound to", async () => {
    const session = await bench.begin("plan");
    await bench.host.store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: session.id, mirrors: false });
    const outputs = join(bench.home, "outputs", session.id);
    mkdirSync(join(outputs, "trn_1"), { recursive: true });
    const message = { kind: "answer", markdown: "An answer." } as const;
    const conversation = { ...CHAT, chatId: "8" };
    const said = { key: buildSessionKey(conversation), conversation, message, sessionId: session.id };
    await bench.host.store.outbox.enqueue([said]);
    const terminal = bench.start(["sessions", "delete", "plan"], { interactive: true });
    await terminal.printed("1 message still to be sent: sent as usual, or kept for 30 days.");
    await terminal.printed("It is bound on pager, and will be unbound there. (y/n)");
    terminal.type("y");
    expect(await terminal.ended).toBe(0);
    expect(await bench.host.store.sessions.get(session.id)).toBeNull();
    expect(await bench.host.store.bindings.get(KEY)).toBeNull();
    expect(existsSync(outputs)).toBe(false);
    expect((await bench.host.store.outbox.head(KEY))?.message.markdown).toContain(
      "**plan** was deleted in the terminal",
    );
  });

  test("no to the question keeps it", async () => {
    const session = await bench.begin("plan");
    const terminal = bench.start(["sessions", "delete", "plan"], { interactive: true });
    await terminal.printed("(y/n)");
    terminal.type("");
    expect(await terminal.ended).toBe(1);
    expect(await bench.host.store.sessions.get(session.id)).not.toBeNull();
  });

  test("deletes no session that is being handed off, whatever the force", async () => {
    const session = await bench.begin("plan");
    await bench.requestHandoff(session.id);
    const { json } = await bench.hermes("sessions", "delete", "plan", "--force", "--json");
    expect(json()).toMatchObject({ error: { code: "HANDOFF_IN_FLIGHT" } });
  });
});
