import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVirtualClock, type VirtualClock } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PLAIN_TEXT_ONLY } from "../adapter/capabilities.ts";
import type { Conversation } from "../adapter/conversation.ts";
import { buildSessionKey } from "../adapter/session-key.ts";
import { randomIds } from "../base/ids.ts";
import { systemProcessProbe, thisProcess } from "../base/process-identity.ts";
import { NO_MODEL } from "../model/model-choice.ts";
import { homeOf } from "../model/place.ts";
import { EVERY_SESSION, OPERATOR, type Session, type SessionId, type UserId } from "../model/session.ts";
import type { WrittenFile, WrittenFiles } from "../model/written-file.ts";
import { openSqliteStore } from "../store/sqlite/index.ts";
import type { Store } from "../store/store.ts";
import type { CommandContext } from "./command.ts";
import { COMMANDS, findCommand } from "./registry.ts";
import { runCommand } from "./run-command.ts";

const CHAT: Conversation = { platform: "pager", chatId: "7", kind: "dm" };
const KEY = buildSessionKey(CHAT);
const GUEST = "pager:9" as UserId;
const HOLDER = thisProcess("prc_test", "gateway");

let folder: string;
let clock: VirtualClock;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hermes-command-"));
  clock = createVirtualClock();
  const file = join(folder, "store", "hermes.db");
  store = await openSqliteStore({ file, clock, ids: randomIds, probe: systemProcessProbe });
});

afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

type TestPlace = CommandContext & { current: SessionId | null };

/** A private chat on a platform, with a session that a command may change. */
function chat(changes: Partial<TestPlace> = {}): TestPlace {
  const place: TestPlace = {
    store,
    clock,
    surface: KEY,
    user: OPERATOR,
    isOperator: true,
    isGuest: false,
    visible: EVERY_SESSION,
    decider: { name: "Ada", author: "terminal" },
    typed: (command) => `/${command}`,
    current: null,
    session: async () => (place.current === null ? null : store.sessions.get(place.current)),
    async switchTo(session: Session) {
      place.current = session.id;
    },
    async startSession() {
      const session = await begin(null);
      place.current = session.id;
      return session;
    },
    whoami: async () => "You are the operator.",
    setHome: async () => "This is the home channel now.",
    ...changes,
  };
  return place;
}

function begin(title: string | null, user: UserId = OPERATOR): Promise<Session> {
  return store.sessions.create({ title, user, origin: "terminal", originChat: null });
}

async function exchange(sessionId: SessionId, question: string, answer: string): Promise<void> {
  const cause = { kind: "terminal" } as const;
  const message = { role: "user", text: question, surface: "terminal" } as const;
  const request = { sessionId, holder: HOLDER, cause, surface: "terminal", leaseMs: 15_000, message } as const;
  const started = await store.turns.startTurn(request);
  if (!started.ok) throw new Error(started.reason);
  const messages = [{ role: "assistant", text: answer }] as const;
  await store.turns.finishTurn({ turnId: started.turn.id, fence: started.fence, state: "done", messages, outbox: [] });
}

async function occupy(sessionId: SessionId): Promise<void> {
  const cause = { kind: "terminal" } as const;
  const message = { role: "user", text: "work", surface: "terminal" } as const;
  await store.turns.startTurn({ sessionId, holder: HOLDER, cause, surface: "terminal", leaseMs: 15_000, message });
}

test("a command of another agent's terminal is answered with what takes its place", async () => {
  const vim = runCommand("vim", chat(), "");
  await expect(vim).rejects.toMatchObject({ code: "COMMAND_ELSEWHERE", message: "Hermes has no /vim." });
  await expect(vim).rejects.toMatchObject({ hint: expect.stringContaining("Ctrl-X Ctrl-E") });
  expect((await runCommand("clear", chat(), "")).reply).toContain("This is a new session.");
});

describe("an argument that a command does not take", () => {
  const takesNone = COMMANDS.filter(({ argumentHint, runsAnyway }) => argumentHint === "" && !runsAnyway);

  test.each(takesNone.map(({ name }) => name))("/%s says that it takes nothing, and does nothing", async (name) => {
    const session = await begin("Trip");
    await exchange(session.id, "Which train?", "The 9:40.");
    const place = chat({ current: session.id, ...(findCommand(name)?.gatewayOnly ? {} : { surface: "terminal" }) });
    await expect(runCommand(name, place, "foo")).rejects.toMatchObject({
      code: "COMMAND_TAKES",
      message: `/${name} takes no argument.`,
    });
    expect(await store.sessions.get(session.id)).toMatchObject({ messageCount: 2 });
  });

  test.each([
    ["undo", "foo", "`files`"],
    ["rewind", "1 now", "`yes`"],
    ["rewind", "1 yes please", "`yes`"],
    ["history", "all", "a number of messages"],
    ["history", "99999", "at most 9999"],
    ["jobs", "foo", "`stop`"],
    ["jobs", "stop job_1 job_2", "`stop`"],
    ["continue", "foo", "`no`"],
    ["sethome", "foo", "`chat`"],
    ["help", "foo", "the name of a command"],
  ])("/%s %s is refused with what it takes, and changes nothing", async (name, argument, takes) => {
    const session = await begin("Trip");
    await exchange(session.id, "Which train?", "The 9:40.");
    const surface = name === "sethome" ? KEY : "terminal";
    await expect(runCommand(name, chat({ current: session.id, surface }), argument)).rejects.toThrow(takes);
    expect(await store.sessions.get(session.id)).toMatchObject({ messageCount: 2 });
  });

  test("/stop stops, whatever stands behind it", async () => {
    expect((await runCommand("stop", chat(), "at once!")).reply).toContain("Nothing is running");
  });
});

test("/help with the name of a command shows what that one does, by its alias too", async () => {
  const { reply } = await runCommand("help", chat(), "/compress");
  expect(reply).toContain("/compact [what matters]");
  expect(reply).not.toContain("/new");
});

describe("/new", () => {
  test("/new binds the chat to a new session and keeps the one before", async () => {
    const old = await begin("plan");
    await exchange(old.id, "What is the plan?", "This.");
    const place = chat();
    place.current = old.id;
    const { reply, submit } = await runCommand("new", place, "");
    expect(reply).toContain("new session");
    expect(submit).toBeUndefined();
    expect(place.current).not.toBe(old.id);
    expect(await store.sessions.get(old.id)).not.toBeNull();
  });

  test("/new in an empty session keeps that session", async () => {
    const place = chat();
    await runCommand("new", place, "");
    const { current } = place;
    await runCommand("new", place, "");
    expect(place.current).toBe(current);
    expect(await store.sessions.count()).toBe(1);
  });

  test("/new sends its argument as the first message of the new session", async () => {
    const result = await runCommand("new", chat(), "look at this");
    expect(result.submit).toBe("look at this");
  });
});

describe("/export", () => {
  test("/export sends the whole session as a file named after its title", async () => {
    const { id } = await begin("Trip: Rome / 2026");
    await exchange(id, "Where to?", "Rome.");
    const place = chat();
    place.current = id;
    const { files } = await runCommand("export", place, "");
    expect(files?.map(({ name, mediaType }) => [name, mediaType])).toEqual([["Trip-Rome-2026.md", "text/markdown"]]);
    expect(files?.[0]?.text).toMatch(/# Trip: Rome[\s\S]*Where to\?[\s\S]*Rome\./);
  });

  test.each(["export", "history", "resume", "undo", "retry"])(
    "/%s shows people none of Hermes' marks",
    async (name) => {
      const { id } = await begin("Trip");
      await exchange(id, '⟦from "Ada" #a1b2c3⟧\nplan the trip\n⟦attached: "a.txt", text/plain, 3 bytes⟧', "Gladly.");
      const place = chat(name === "history" ? { surface: "terminal" } : {});
      if (name !== "resume") place.current = id;
      const { reply, files } = await runCommand(name, place, name === "resume" ? "Trip" : "");
      const shown = reply + (files?.[0]?.text ?? "");
      expect(shown).toContain("Ada: plan the trip");
      expect(shown).not.toMatch(/[⟦⟧]/);
    },
  );

  test("/export takes the file's name in a chat, and never a path", async () => {
    const { id: current } = await begin("Trip: Rome");
    const names = ["plan.md", "../../etc/plan"].map(async (argument) => {
      return (await runCommand("export", chat({ current }), argument)).files?.map(({ name }) => name);
    });
    expect(await Promise.all(names)).toEqual([["plan.md"], ["etc-plan.md"]]);
  });

  test("/export says that there is no session yet", async () => {
    await expect(runCommand("export", chat(), "")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  });
});

describe("/resume", () => {
  test("/resume without an argument numbers the sessions, and accepts such a number", async () => {
    await begin("first");
    await clock.advance(1_000);
    await begin("second");
    await clock.advance(60_000);
    const place = chat();
    const { reply } = await runCommand("resume", place, "");
    expect(reply).toMatch(/1\. \*\*second\*\*.*\n2\. \*\*first\*\*/);
    await runCommand("resume", place, "2");
    expect((await place.session())?.title).toBe("first");
  });

  test("/resume is ambiguous when a session's title is the number of another", async () => {
    const one = await begin("1");
    await clock.advance(1_000);
    const second = await begin("second");
    await expect(runCommand("resume", chat(), "1")).rejects.toMatchObject({
      code: "SESSION_AMBIGUOUS",
      message: expect.stringContaining(`second (${second.id}), 1 (${one.id})`),
      hint: "Name one by its id.",
    });
  });

  test("/resume shows the last request and answer of the session", async () => {
    const session = await begin("plan");
    await exchange(session.id, "What is *next*?", "Two things.");
    const { reply } = await runCommand("resume", chat(), "plan");
    expect(reply).toContain("Resumed **plan** (2 messages");
    expect(reply).toContain("Last request: What is \\*next\\*?");
    expect(reply).toContain("Last answer: Two things.");
  });

  test("/resume says that a turn is running in the session", async () => {
    const session = await begin("plan");
    await occupy(session.id);
    expect((await runCommand("resume", chat(), "plan")).reply).toContain("A turn is running in it in the terminal");
  });

  test("/resume lists the matches of an ambiguous title, and changes nothing", async () => {
    await begin("plan for May");
    await begin("plan for June");
    const place = chat();
    await expect(runCommand("resume", place, "plan")).rejects.toMatchObject({
      code: "SESSION_AMBIGUOUS",
      message: expect.stringContaining("plan for May"),
    });
    expect(place.current).toBeNull();
  });

  test("/resume is refused while the session is being handed off", async () => {
    const session = await begin("plan");
    await store.handoffs.requestHandoff(session.id, homeOf("pager"));
    await expect(runCommand("resume", chat(), "plan")).rejects.toMatchObject({ code: "HANDOFF_IN_FLIGHT" });
  });

  test("/resume does not find sessions that the sender may not see", async () => {
    await begin("secret plan");
    const place = chat({ isOperator: false, user: GUEST, visible: { kind: "begun-by", user: GUEST } });
    await expect(runCommand("resume", place, "secret plan")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
    await expect(runCommand("resume", place, "1")).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  });
});

describe("/sessions", () => {
  test("/sessions lists only the sessions that the place may see", async () => {
    await begin("mine", GUEST);
    await begin("the operator's");
    const place = chat({ isOperator: false, user: GUEST, visible: { kind: "begun-by", user: GUEST } });
    const { reply } = await runCommand("sessions", place, "");
    expect(reply).toContain("mine");
    expect(reply).not.toContain("operator");
  });

  test("/sessions says that there is no session yet", async () => {
    expect((await runCommand("sessions", chat(), "")).reply).toContain("no session yet");
  });
});

describe("/title", () => {
  test("/title sets the session's title, and shows it without an argument", async () => {
    const place = chat();
    await runCommand("title", place, "Plan for May");
    expect((await place.session())?.title).toBe("Plan for May");
    expect((await runCommand("title", place, "")).reply).toContain("**Plan for May**");
  });

  test("/title says when the title was taken", async () => {
    await begin("plan");
    const { reply } = await runCommand("title", chat(), "plan");
    expect(reply).toContain("plan 2");
    expect(reply).toContain("taken");
  });
});

describe("/stop", () => {
  test("/stop stops the running turn, whichever process runs it", async () => {
    const session = await begin("plan");
    await occupy(session.id);
    const place = chat();
    place.current = session.id;
    expect((await runCommand("stop", place, "")).reply).toContain("Stopping");
    expect((await store.turns.running(session.id))?.stopRequested).toBe(true);
  });

  test("/stop says that nothing is running", async () => {
    expect((await runCommand("stop", chat(), "")).reply).toContain("Nothing is running");
  });
});

describe("/undo and /retry", () => {
  test("/undo takes back the last message and its answer; /retry asks it again", async () => {
    const session = await begin("plan");
    await exchange(session.id, "one", "1");
    await exchange(session.id, "two", "2");
    const place = chat();
    place.current = session.id;
    expect((await runCommand("undo", place, "")).reply).toBe("Took back 2 messages, from “two” on.");
    expect((await runCommand("retry", place, "")).submit).toBe("one");
    expect(await store.transcripts.read(session.id)).toEqual([]);
    await expect(runCommand("undo", place, "")).rejects.toMatchObject({ code: "SESSION_NOTHING_TO_UNDO" });
    const again = runCommand("retry", place, "");
    await expect(again).rejects.toThrow("There is nothing to retry in this session.");
  });

  /** An exchange that wrote two files, of which one was changed since and one may be put back. */
  async function withFiles(changes: Partial<CommandContext> = {}) {
    const backs: string[] = [];
    const state = () => (backs.length === 0 ? "as written" : "as before") as WrittenFile["state"];
    const files: WrittenFiles = {
      of: (_, turns) => [
        ...[{ path: "/work/src/a`.ts", isNew: turns.length !== 1, state: state() }],
        ...[{ path: "/elsewhere/b.ts", isNew: false, state: "changed since" as const }],
      ],
      putBack: (_, __, path) => void backs.push(path),
    };
    const place = chat({ files, requestId: "inb_1", ...changes });
    const created = { user: OPERATOR, origin: "terminal", originChat: null, workingDirectory: "/work" } as const;
    place.current = (await store.sessions.create(created)).id;
    await exchange(place.current, "two", "2");
    return { place, backs };
  }

  test("/undo names the files that it leaves as they are, and /undo files puts them back", async () => {
    const { place, backs } = await withFiles();
    await expect(runCommand("undo", place, "files")).rejects.toMatchObject({ code: "SESSION_NO_FILES_TO_UNDO" });
    expect((await runCommand("undo", place, "")).reply).toContain(
      "The files stay as they are: ``src/a`.ts``. /undo files puts them back as they were.",
    );
    expect(backs).toEqual([]);
    expect((await runCommand("undo", place, "files")).reply).toBe(
      "Put back: ``src/a`.ts``.\n\nChanged by somebody else since, and left as it is: `/elsewhere/b.ts`.",
    );
    expect(backs).toEqual(["/work/src/a`.ts"]);
  });

  test.each([
    [true, "Put back: ``src/a`.ts``."],
    [false, "The files stay as they are; /undo files puts them back."],
  ])("/undo asks about the files where it can, and heeds the answer %s", async (answer, said) => {
    const asked: string[] = [];
    const confirm = async (lines: readonly string[], question: string) => {
      asked.push(...lines, question);
      return answer;
    };
    const { place, backs } = await withFiles({ confirm });
    expect((await runCommand("undo", place, "")).reply).toContain(said);
    expect(asked).toEqual(["It changed:", "src/a`.ts", "Put that back as it was before?"]);
    expect(backs).toHaveLength(answer ? 1 : 0);
  });

  test("only an operator hears of files and puts them back", async () => {
    const { place } = await withFiles({ isOperator: false });
    expect((await runCommand("undo", place, "")).reply).toBe("Took back 2 messages, from “two” on.");
    await expect(runCommand("undo", place, "files")).rejects.toMatchObject({ code: "NOT_ALLOWED" });
  });

  test("/undo and /retry are refused while a turn runs", async () => {
    const session = await begin("plan");
    await occupy(session.id);
    const place = chat();
    place.current = session.id;
    await expect(runCommand("retry", place, "")).rejects.toMatchObject({ code: "SESSION_BUSY" });
  });
});

describe("/status", () => {
  const gateway = {
    id: "gw_1",
    holder: HOLDER,
    startedAt: 0,
    configPath: null,
    platforms: [
      {
        platform: "pager",
        health: { state: "degraded", detail: "not receiving" },
        standby: false,
        takesHandoffs: true,
        home: null,
        capabilities: PLAIN_TEXT_ONLY,
      },
    ],
  } as const;

  test("/status shows the session, its model, the running turn and its handoff", async () => {
    const session = await begin("plan");
    await exchange(session.id, "one", "1");
    await store.handoffs.requestHandoff(session.id, homeOf("pager", "work"));
    const place = chat({ modelOf: () => "scripted/model" });
    place.current = session.id;
    const { reply } = await runCommand("status", place, "");
    expect(reply).toContain("**plan** (2 messages, 0 tool calls");
    expect(reply).toContain("model: scripted/model");
    expect(reply).toContain("no turn is running");
    expect(reply).toContain("being handed off to pager:work: pending");
  });

  test("/status says that no model is set where a stand-in answers", async () => {
    const { id } = await begin("plan");
    const { reply } = await runCommand("status", chat({ modelOf: () => NO_MODEL, current: id }), "");
    expect(reply).toContain("- no model is set");
  });

  test("/status shows the platforms' health only to the operator", async () => {
    await store.gateways.heartbeat({ ...gateway, startedAt: clock.now() });
    expect((await runCommand("status", chat(), "")).reply).toContain("pager: degraded, not receiving");
    const guest = chat({ isOperator: false, user: GUEST });
    expect((await runCommand("status", guest, "")).reply).not.toContain("pager");
  });
});

describe("a place offers only some commands", () => {
  test("/help lists the commands that work at the place for the person who asks", async () => {
    const { reply } = await runCommand("help", chat(), "");
    expect(reply).toContain("`/resume [title|number]`");
    expect(reply).toContain("/sethome");
    expect(reply).not.toContain("/handoff");
    expect(reply).not.toContain("/quit");
    const guest = await runCommand("help", chat({ isOperator: false }), "");
    expect(guest.reply).not.toContain("/sethome");
    const terminal = await runCommand("help", chat({ surface: "terminal" }), "");
    expect(terminal.reply).toContain("/handoff <place>");
    expect(terminal.reply).not.toContain("/sethome");
  });

  test("/help names /link and /pass only where nobody else reads the code that they give", async () => {
    const sender = { platform: "pager", account: undefined, key: "9", id: "9", name: "Ada", conversation: CHAT };
    const inPrivate = chat({ sender: { ...sender, surface: KEY } });
    const help = async (place: TestPlace) => (await runCommand("help", place, "")).reply;
    expect(await help(inPrivate)).toMatch(/`\/pass .*[\s\S]*`\/link \[code\]` Link this account to you/);
    expect(await help(chat())).not.toMatch(/`\/(?:link|pass)/);
    await expect(runCommand("link", chat(), "")).rejects.toThrow("/link works only in a private chat.");
  });

  test("/help in the terminal says of /link what it does there", async () => {
    const { reply } = await runCommand("help", chat({ surface: "terminal" }), "link");
    expect(reply).toContain("`/link [code]` Link an account of yours: get a code here and send it to the bot");
  });

  test("/sethome is only for the operator", async () => {
    expect((await runCommand("sethome", chat(), "")).reply).toContain("home channel");
    await expect(runCommand("sethome", chat({ isOperator: false }), "")).rejects.toMatchObject({ code: "NOT_ALLOWED" });
  });

  test("/quit works only in the terminal, and /handoff where the place can hand off", async () => {
    await expect(runCommand("handoff", chat(), "pager")).rejects.toMatchObject({ code: "COMMAND_NOT_HERE" });
    await expect(runCommand("q", chat(), "")).rejects.toMatchObject({ code: "COMMAND_NOT_HERE" });
    const open = chat({ handOff: async (platform) => ({ reply: `on its way to ${platform}` }) });
    expect((await runCommand("handoff", open, "Pager")).reply).toBe("on its way to Pager");
    expect((await runCommand("help", open, "")).reply).toContain("/handoff");
  });

  test("the error for a mistyped command suggests a similar one", async () => {
    await expect(runCommand("resum", chat(), "")).rejects.toMatchObject({
      code: "COMMAND_MISTYPED",
      hint: expect.stringContaining("/resume"),
    });
    await expect(runCommand("deploy", chat(), "")).rejects.toMatchObject({ code: "COMMAND_UNKNOWN" });
  });

  test("/whoami describes the writer", async () => {
    expect((await runCommand("whoami", chat(), "")).reply).toBe("You are the operator.");
  });
});

test("/jobs lists the background commands that may be seen at the place, and stops one", async () => {
  const [own, other] = [await begin("mine"), await begin("theirs", GUEST)];
  const stopped: string[] = [];
  const job = (id: string, sessionId: SessionId) => ({
    ...{ id, sessionId, command: `npm run \`dev\` ${id}`, startedAt: clock.now() - 65_000 },
    lastLines: "one ghp_0123456789abcdefghijABCDEFGHIJ012345\n\u001b[31mtwo",
  });
  const running = [job("1", own.id), job("2", other.id)];
  const jobs = { running: () => running, stop: async (id: string) => stopped.push(id) > 0 };
  const place = chat({ jobs, visible: { kind: "begun-by", user: OPERATOR } });
  expect((await runCommand("jobs", place, "")).reply).toBe(
    "**1** ``npm run `dev` 1``, for 1 min\n\n```\none [redacted]\n\\u001b[31mtwo\n```",
  );
  expect(await runCommand("jobs", place, "stop 1")).toEqual({ reply: "Stopped ``npm run `dev` 1``." });
  await expect(runCommand("jobs", place, "stop 2")).rejects.toMatchObject({ code: "JOB_UNKNOWN" });
  expect(stopped).toEqual(["1"]);
  await expect(runCommand("jobs", chat({ jobs, isOperator: false }), "")).rejects.toMatchObject({
    code: "NOT_ALLOWED",
  });
  expect(await runCommand("jobs", chat(), "")).toEqual({ reply: "No command runs in the background here." });
});
