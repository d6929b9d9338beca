import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, gate, type ScriptedAnswer, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { trustFolder } from "../../config/trusted-folders.ts";
import type { Approval } from "../../model/approval.ts";
import { OPERATOR, type SessionId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";

const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);
const ADA = {
  name: "Ada",
  author: { platform: "pager", account: undefined, senderId: "7", aliases: [], conversation: CHAT },
} as const;
const CTRL_C = "\u0003";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const write = (path: string, text = "hello\n") => ({ name: "write", input: { path, content: text } });
const written = (path: string) => {
  const file = join(bench.folder, path);
  return existsSync(file) ? readFileSync(file, "utf8") : null;
};

/** A chat in which the agent has asked whether it may write a file. */
async function askedChat(...answer: readonly ScriptedAnswer[]) {
  bench.model.push(...answer);
  const chat = bench.start([], { interactive: true });
  await chat.printed("/help lists the commands");
  chat.type("please write");
  await chat.printed("or write what to do instead");
  const [asked] = await bench.host.store.approvals.open();
  if (asked === undefined) throw new Error("nothing was asked");
  return { chat, asked };
}

const writesOne = [{ call: [write("a.txt")] }, { say: "Written." }] as const;

/** What the agent was told of its calls, and by people, in the last request. */
async function transcript(sessionId: SessionId): Promise<string[]> {
  const messages = await bench.host.store.transcripts.read(sessionId);
  return messages.map(({ role, text }) => `${role}: ${text}`);
}

async function leave(chat: { end(): void; readonly ended: Promise<number> }): Promise<void> {
  chat.end();
  expect(await chat.ended).toBe(0);
}

function decide({ id }: Approval, surface: "terminal" | typeof KEY, kind: "once" | "no" = "once") {
  return bench.host.store.approvals.decide({ id, decision: { kind }, by: ADA, surface });
}

describe("a question of a turn", () => {
  test("a question stands above the input; y lets the call run, and the turn goes on", async () => {
    const { chat } = await askedChat(writesOne);
    expect(chat.stdout()).toMatch(/The agent asks to do this ──\n│ a\.txt\n│ @@ .*\n│ \+hello\n/);
    expect(chat.stdout()).toContain("for “please write”");
    expect(chat.stdout()).toContain("s and a allow: write(a.txt)");
    expect(written("a.txt")).toBeNull();
    chat.type("y");
    await chat.printed("Written.");
    expect(chat.stderr()).toContain("Allowed once by you (write: a.txt (1 line)).");
    expect(written("a.txt")).toBe("hello\n");
    await leave(chat);
  });

  test("the question says what Enter would do before it is pressed", async () => {
    const { chat } = await askedChat(writesOne);
    chat.press("y");
    await chat.printed("Enter: allow it once");
    chat.press("es, but elsewhere");
    await chat.printed("Enter: no, and the agent gets these words");
    chat.press("\r");
    await chat.printed("Written.");
    await leave(chat);
  });

  test("words mean no to all that is asked, and reach the agent", async () => {
    const { chat, asked } = await askedChat([{ call: [write("a.txt"), write("b.txt")] }, { say: "Then not." }]);
    expect(chat.stdout()).toContain("(1 of 2)");
    chat.type("put it into notes/ instead");
    await chat.printed("Then not.");
    expect(written("a.txt")).toBeNull();
    expect(await bench.host.store.approvals.open()).toEqual([]);
    expect(await transcript(asked.sessionId)).toContain("user: put it into notes/ instead");
    await leave(chat);
  });

  test("words that come too late to mean no are the next message", async () => {
    const { chat, asked } = await askedChat(writesOne, "Then there.");
    const quicker = bench.database();
    quicker.exec("BEGIN IMMEDIATE");
    chat.type("put it into notes/ instead");
    await chat.printed("? put it into notes/ instead");
    quicker.exec(`UPDATE approvals SET state = 'decided', decision = '{"kind":"once"}'; COMMIT`);
    await clock.advance(1_000);
    await chat.printed("Then there.");
    expect((await transcript(asked.sessionId)).slice(-3)).toEqual([
      "assistant: Written.",
      "user: put it into notes/ instead",
      "assistant: Then there.",
    ]);
    await leave(chat);
  });

  test("n refuses a call and those behind it, without another question", async () => {
    const { chat } = await askedChat([{ call: [write("a.txt"), write("b.txt")] }, { say: "As you wish." }]);
    chat.type("n");
    await chat.printed("As you wish.");
    expect(chat.stderr()).toContain("Denied by you (write: b.txt (1 line)).");
    expect([written("a.txt"), written("b.txt")]).toEqual([null, null]);
    await leave(chat);
  });

  test("several questions are asked one after the other", async () => {
    const { chat, asked } = await askedChat([{ call: [write("a.txt"), write("b.txt")] }, { say: "Both." }]);
    chat.type("y");
    const [, second] = await bench.host.store.approvals.ofTurn(asked.turnId);
    await chat.printed(`write: b.txt (1 line) ${second?.code}`);
    expect(chat.stdout()).toContain("(2 of 2)");
    expect(written("a.txt")).toBeNull();
    chat.type("y");
    await chat.printed("Both.");
    expect([written("a.txt"), written("b.txt")]).toEqual(["hello\n", "hello\n"]);
    await leave(chat);
  });

  test("s allows the same for the rest of the session", async () => {
    const again = [
      { call: [write("a.txt", "1\n")] },
      { say: "One." },
      { call: [write("a.txt", "2\n")] },
      { say: "Two." },
    ];
    const { chat } = await askedChat(again);
    chat.type("s");
    await chat.printed("Two.");
    expect(written("a.txt")).toBe("2\n");
    await leave(chat);
  });

  test("a writes the rule that was shown into the config", async () => {
    const { chat } = await askedChat(writesOne);
    chat.type("a");
    await chat.printed("Written.");
    const config = JSON.parse(readFileSync(join(bench.home, "hermes.config.json"), "utf8"));
    expect(config.permissions.allow).toEqual(["write(a.txt)"]);
    expect(chat.stderr()).toContain("Allowed always by you");
    await leave(chat);
  });

  test("s does nothing at a file whose name would be a rule for other files", async () => {
    const { chat } = await askedChat([{ call: [write("src/*")] }, { say: "Written." }]);
    expect(chat.stdout()).toContain("y once · n no · or write what to do instead");
    chat.type("s");
    await chat.printed("This can be allowed once only: y, or n.");
    await expect.poll(() => chat.stdout().split("or write what to do instead")).toHaveLength(3);
    chat.type("y");
    await chat.printed("Written.");
    expect(existsSync(join(bench.home, "hermes.config.json"))).toBe(false);
    await leave(chat);
  });

  test("a holds at once in a terminal whose config was read before", async () => {
    writeFileSync(join(bench.home, "hermes.config.json"), "{}", { mode: 0o600 });
    const { chat } = await askedChat([
      ...[{ call: [write("a.txt", "1\n")] }, { say: "One." }],
      ...[{ call: [write("a.txt", "2\n")] }, { say: "Two." }],
      ...[{ call: [write("a.txt", "3\n")] }, { say: "Three." }],
    ]);
    chat.type("a");
    await chat.printed("Two.");
    expect(written("a.txt")).toBe("2\n");
    chat.type("/new");
    chat.type("again");
    await chat.printed("Three.");
    expect(written("a.txt")).toBe("3\n");
    await leave(chat);
  });

  test("a writes into the config of the session's folder, wherever the terminal is", async () => {
    const project = join(bench.folder, "project");
    mkdirSync(project);
    writeFileSync(join(project, "hermes.config.json"), "{}");
    trustFolder(bench.home, project);
    const { id } = await bench.host.store.sessions.create({
      ...{ title: "plan", user: OPERATOR, origin: "terminal", originChat: null, workingDirectory: project },
    });
    bench.model.push(writesOne);
    const chat = bench.start(["resume", id], { interactive: true });
    chat.type("please write");
    await chat.printed("or write what to do instead");
    chat.type("a");
    await chat.printed("Written.");
    expect(JSON.parse(readFileSync(join(project, "hermes.config.json"), "utf8")).permissions).toEqual({
      allow: ["write(a.txt)"],
    });
    chat.type("/permissions");
    await chat.printed(`write(a.txt)\` in \`${join(project, "hermes.config.json")}`);
    await leave(chat);
  });

  test("a that cannot be written leaves the question open", async () => {
    const { chat } = await askedChat(writesOne);
    writeFileSync(join(bench.home, "hermes.config.json"), "{ nonsense", { mode: 0o600 });
    chat.type("a");
    await chat.printed("could not be read");
    await expect.poll(() => chat.stdout().split("or write what to do instead")).toHaveLength(3);
    expect(await bench.host.store.approvals.open()).toHaveLength(1);
    chat.type("y");
    await chat.printed("Written.");
    await leave(chat);
  });

  test("a line that was begun before the question is no answer to it", async () => {
    const held = gate();
    bench.model.push([{ say: "Let me " }, { hold: held }, { call: [write("a.txt")] }, { say: "Written." }], "Later.");
    const chat = bench.start([], { interactive: true });
    chat.type("please write");
    await held.reached;
    chat.press("ye");
    held.open();
    await chat.printed("Enter sends this line after the turn");
    chat.press("s\r");
    await chat.printed("or write what to do instead");
    expect(await bench.host.store.approvals.open()).toHaveLength(1);
    chat.type("n");
    await chat.printed("Later.");
    expect(written("a.txt")).toBeNull();
    await leave(chat);
  });

  test("the agent's own question shows its answers by number, and takes other words too", async () => {
    const ask = { name: "question", input: { question: "Which database?", answers: ["Postgres", "SQLite"] } };
    bench.model.push([{ call: [ask] }, { say: "Good." }]);
    const chat = bench.start([], { interactive: true });
    chat.type("choose");
    await chat.printed("1–2 choose, or write your own answer");
    expect(chat.stdout()).toMatch(/Which database\?[\s\S]*1\. Postgres\n2\. SQLite/);
    chat.type("2");
    await chat.printed("Good.");
    const [session] = await bench.host.store.sessions.find("choose", { kind: "all" });
    expect(await transcript(session?.id as SessionId)).toContain("tool: SQLite");
    await leave(chat);
  });

  test("a command works at the question, which stands on", async () => {
    const { chat } = await askedChat(writesOne);
    chat.type("/status");
    await chat.printed("Waits for an answer");
    chat.type("/new");
    await chat.printed("/new works when the question is answered");
    chat.type("/approve");
    await chat.printed("Written.");
    await leave(chat);
  });
});

describe("a question on a terminal that is not drawn on", () => {
  async function askedPlainly() {
    bench.model.push(writesOne);
    const chat = bench.start([], { interactive: true, plain: true });
    chat.type("please write");
    await chat.printed("or write what to do instead");
    const [asked] = await bench.host.store.approvals.open();
    if (asked === undefined) throw new Error("nothing was asked");
    return { chat, asked };
  }

  test("a plain terminal shows the question once, and takes a line for the answer", async () => {
    const { chat } = await askedPlainly();
    expect(chat.stdout()).toContain("│ +hello");
    chat.type("y");
    await chat.printed("Written.");
    expect(written("a.txt")).toBe("hello\n");
    await leave(chat);
  });

  test("a plain terminal closes a question that was decided elsewhere, or is left", async () => {
    const { chat, asked } = await askedPlainly();
    chat.signal("SIGINT");
    await chat.printed("Anything else you write here means no.");
    await decide(asked, "terminal");
    await chat.printed("Written.");
    await leave(chat);
  });
});

describe("a question that comes while nothing runs here", () => {
  test("a turn of another place is asked about where its session is open", async () => {
    const { store, runner } = bench.host;
    const { id: sessionId } = await store.sessions.create({
      ...{ title: "plan", user: OPERATOR, origin: "terminal", originChat: null, workingDirectory: bench.folder },
    });
    await store.bindings.bind({ key: KEY, conversation: CHAT, sessionId, mirrors: false });
    const chat = bench.start(["resume", "plan"], { interactive: true });
    await chat.printed("› ");
    bench.model.push(writesOne);
    const message = { role: "user", text: "write from afar", surface: KEY } as const;
    await runner.run({ sessionId, cause: { kind: "terminal" }, surface: KEY, message, tools: true });
    await chat.printed("or write what to do instead");
    expect(chat.stdout()).toContain("for “write from afar”");
    chat.type("y");
    await chat.printed("Written.");
    await leave(chat);
  });

  test("an answer that comes when the time is up runs nothing", async () => {
    const { chat } = await askedChat(writesOne);
    bench.database().prepare("UPDATE approvals SET expires_at = ?, expires_steady = NULL").run(clock.now());
    chat.type("y");
    await chat.printed("Nobody answered in time (write: a.txt (1 line)).");
    expect(written("a.txt")).toBeNull();
    await leave(chat);
  });
});

describe("a question that is decided elsewhere", () => {
  test("a question decided elsewhere closes, says by whom, and the turn goes on here", async () => {
    const { chat, asked } = await askedChat(writesOne);
    await decide(asked, "terminal");
    await chat.printed("Written.");
    expect(chat.stderr()).toContain("Allowed once by Ada (write: a.txt (1 line)).");
    await leave(chat);
  });

  test("two terminals ask, one goes on, and the other shows the answer", async () => {
    const held = gate();
    const { chat, asked } = await askedChat([{ call: [write("a.txt")] }, { hold: held }, { say: "Written." }]);
    const other = bench.start(["resume", asked.sessionId], { interactive: true });
    await other.printed("or write what to do instead");
    chat.type("y");
    await other.printed("Allowed once by you (write: a.txt (1 line)).");
    await held.reached;
    held.open();
    await Promise.all([chat.printed("Written."), other.printed("Written.")]);
    expect(bench.model.requests).toHaveLength(1);
    await Promise.all([leave(chat), leave(other)]);
  });

  test("a turn goes on where it was decided, when the session is open there", async () => {
    const { chat, asked } = await askedChat(writesOne);
    const { store } = bench.host;
    await store.bindings.bind({ key: KEY, conversation: CHAT, sessionId: asked.sessionId, mirrors: false });
    await decide(asked, KEY);
    await chat.printed("The turn goes on on pager; its answer is shown when it is there.");
    expect(chat.stderr()).toContain("Allowed once by Ada, on pager (write: a.txt (1 line)).");
    await bench.host.runner.resume({ turnId: asked.turnId });
    await chat.printed("Written.");
    await leave(chat);
  });

  test("a question that was withdrawn closes and says so", async () => {
    const { chat, asked } = await askedChat(writesOne);
    await bench.host.store.turns.requestStop(asked.sessionId);
    await chat.printed("Withdrawn (write: a.txt (1 line)).");
    await leave(chat);
  });
});

describe("a question that is left with Ctrl-C", () => {
  test("waits, and is answered by /approve later", async () => {
    const { chat, asked } = await askedChat(writesOne);
    chat.press(CTRL_C);
    await chat.printed(`/approve ${asked.code} or /deny ${asked.code} answers`);
    chat.press(CTRL_C);
    await chat.printed("Nothing is running.");
    chat.type("/approve");
    await chat.printed("Written.");
    await leave(chat);
  });

  test("means no when a message follows, which the agent gets in the same turn", async () => {
    const { chat, asked } = await askedChat(writesOne);
    chat.press(CTRL_C);
    await chat.printed("Anything else you write here means no.");
    chat.type("leave that");
    await chat.printed("Written.");
    expect(written("a.txt")).toBeNull();
    expect(await transcript(asked.sessionId)).toContain("user: leave that");
    await leave(chat);
  });

  test("goes on here when it is decided elsewhere", async () => {
    const { chat, asked } = await askedChat(writesOne);
    chat.press(CTRL_C);
    await chat.printed("Anything else you write here means no.");
    await decide(asked, "terminal");
    await chat.printed("Written.");
    await leave(chat);
  });

  test("a line that was typed before the question waits until it is answered", async () => {
    bench.model.push([{ call: [write("a.txt")] }, { say: "Written." }], "Next.");
    const chat = bench.start([], { interactive: true });
    chat.type("please write");
    chat.type("and then this");
    await chat.printed("or write what to do instead");
    chat.press(CTRL_C);
    await chat.printed("Anything else you write here means no.");
    chat.type("/approve");
    await chat.printed("Next.");
    expect(written("a.txt")).toBe("hello\n");
    await leave(chat);
  });
});

describe("opening a session", () => {
  /** A session whose question was left by a terminal that has ended. */
  async function left() {
    const { chat, asked } = await askedChat(writesOne);
    chat.press(CTRL_C);
    await chat.printed("Anything else you write here means no.");
    await leave(chat);
    return asked;
  }

  test("shows the question that waits", async () => {
    const { sessionId } = await left();
    const chat = bench.start(["resume", sessionId], { interactive: true });
    await chat.printed("or write what to do instead");
    expect(chat.stdout()).toContain("│ +hello");
    chat.type("y");
    await chat.printed("Written.");
    await leave(chat);
  });

  test("a writes no rule into the config with which it could not be read", async () => {
    const asked = await left();
    bench.database().prepare("UPDATE approvals SET rules = ? WHERE id = ?").run('["write(notes )"]', asked.id);
    const next = bench.start(["resume", asked.sessionId], { interactive: true });
    await next.printed("or write what to do instead");
    next.type("a");
    await next.printed("can be allowed once only");
    await expect.poll(() => next.stdout().split("or write what to do instead")).toHaveLength(3);
    expect(existsSync(join(bench.home, "hermes.config.json"))).toBe(false);
    next.type("y");
    await next.printed("Written.");
    await leave(next);
  });

  test("offers to go on with a turn that was decided meanwhile, and never does by itself", async () => {
    const asked = await left();
    await decide(asked, "terminal");
    const first = bench.start(["resume", asked.sessionId], { interactive: true });
    await first.printed("Go on? [Y/n]");
    expect(first.stdout()).toContain("Allowed once by Ada: write a.txt (1 line).");
    first.type("n");
    await first.printed("It is offered again when you open the session");
    await leave(first);
    expect(written("a.txt")).toBeNull();
    const second = bench.start(["resume", asked.sessionId], { interactive: true });
    await second.printed("Go on? [Y/n]");
    second.type("");
    await second.printed("Written.");
    await leave(second);
  });

  test("piped input is refused while the session waits for an answer", async () => {
    const { sessionId } = await left();
    const { code, json } = await bench.hermes("chat", "-q", "go on", "-s", sessionId, "--json");
    expect(code).toBe(75);
    expect(json().error).toMatchObject({ code: "TURN_WAITS", message: expect.stringContaining("write: a.txt") });
  });
});

describe("where nobody can be asked", () => {
  test("hermes chat -q denies what asks, names the rule, and ends with 75", async () => {
    bench.model.push(writesOne);
    const { code, stdout, stderr } = await bench.hermes("chat", "-q", "please write");
    expect({ code, stdout }).toEqual({ code: 75, stdout: "Written.\n" });
    expect(stderr).toContain("Allow it with: hermes permissions add 'write(a.txt)'");
    expect(written("a.txt")).toBeNull();
    const [session] = await bench.host.store.sessions.find("please write", { kind: "all" });
    const told = (await transcript(session?.id as SessionId)).find((line) => line.startsWith("tool:"));
    expect(told).toContain("nobody is here to be asked; it is allowed with: hermes permissions add 'write(a.txt)'");
  });

  test("--json names what was denied", async () => {
    bench.model.push(writesOne);
    const { code, json } = await bench.hermes("chat", "-q", "please write", "--json");
    expect(code).toBe(75);
    expect(json()).toMatchObject({ text: "Written.", denied: [{ tool: "write", rules: ["write(a.txt)"] }] });
  });

  test("--wait leaves the question open and prints its code", async () => {
    bench.model.push(writesOne);
    const { code, json } = await bench.hermes("chat", "-q", "please write", "--wait", "--json");
    const [asked] = await bench.host.store.approvals.open();
    expect(code).toBe(75);
    expect(json()).toMatchObject({ text: null, waiting: [{ code: asked?.code, summary: "a.txt (1 line)" }] });
  });

  test("piped lines go on behind a call that was denied", async () => {
    bench.model.push(writesOne, "two");
    const chat = bench.start([]);
    chat.type("one");
    chat.type("two");
    chat.end();
    expect(await chat.ended).toBe(75);
    expect(chat.stdout()).toBe("Written.\ntwo\n");
  });

  test("a rule that allows the call lets it run, with exit code 0", async () => {
    writeFileSync(join(bench.home, "hermes.config.json"), '{ "permissions": { "allow": ["write(a.txt)"] } }', {
      mode: 0o600,
    });
    bench.model.push(writesOne);
    expect((await bench.hermes("chat", "-q", "please write")).code).toBe(0);
    expect(written("a.txt")).toBe("hello\n");
  });
});

describe("the mode of a session", () => {
  test("Shift-Tab changes it, and it is shown below the input", async () => {
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press("\u001b[Z");
    await chat.printed("edits · Shift-Tab changes it · the agent writes files below its directory");
    bench.model.push(writesOne);
    chat.type("please write");
    await chat.printed("Written.");
    expect(written("a.txt")).toBe("hello\n");
    chat.press("\u001b[Z");
    await chat.printed("plan · Shift-Tab changes it · the agent only reads");
    const [session] = await bench.host.store.sessions.find("please write", { kind: "all" });
    await expect.poll(async () => (await bench.host.store.sessions.get(session?.id as SessionId))?.mode).toBe("plan");
    await leave(chat);
  });

  test("--mode begins a session in it", async () => {
    bench.model.push("Planned.");
    await bench.hermes("chat", "-q", "plan it", "--mode", "plan");
    const [session] = await bench.host.store.sessions.find("plan it", { kind: "all" });
    expect(session?.mode).toBe("plan");
  });
});
