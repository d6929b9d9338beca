import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { runCommand } from "../../command/run-command.ts";
import type { SessionId } from "../../model/session.ts";
import { createTestBench } from "../test-bench.ts";
import { terminalPlace } from "./chat-place.ts";
import { ChatSession } from "./chat-session.ts";

const UP = "\u001b[A";
const DOWN = "\u001b[B";
const CHAT = { platform: "pager", chatId: "7", kind: "dm" } as const;
const KEY = buildSessionKey(CHAT);

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;
let id: SessionId;

beforeEach(async () => {
  bench = await openBench();
  ({ id } = await bench.begin("plan"));
  for (const question of ["one", "two", "three"]) await bench.exchange(id, question, `on ${question}`);
});

afterEach(() => bench[Symbol.asyncDispose]());

async function texts(sessionId: SessionId = id): Promise<string[]> {
  const rows = await bench.host.store.transcripts.read(sessionId);
  return rows.filter(({ text, role }) => role !== "tool" && text !== "").map(({ text }) => text);
}

function opened() {
  return bench.start(["resume", "plan"], { interactive: true });
}

/** A chat on a platform that has the session open. */
function onPager() {
  const place = terminalPlace(bench.host, new ChatSession(bench.host, { sessionId: id }, bench.folder));
  return { ...place, surface: KEY, session: place.session };
}

describe("/fork", () => {
  test("goes on in a copy, and the other stays as it is", async () => {
    bench.model.push("4.");
    const chat = opened();
    chat.type("/fork 2");
    await chat.printed("You go on in **plan (fork)**: a copy of **plan** up to “two” and its");
    chat.type("four");
    await chat.printed("4.");
    chat.end();
    expect(await chat.ended).toBe(0);
    const [fork] = await bench.host.store.sessions.find("plan (fork)", { kind: "all" });
    expect(await texts(fork?.id)).toEqual(["one", "on one", "two", "on two", "four", "4."]);
    expect(await texts()).toHaveLength(6);
    expect(bench.model.requests[0]?.messages.map(({ text }) => text)).toContain("on two");
  });

  test("names how many messages there are where the number is none of them", async () => {
    const chat = opened();
    chat.type("/fork 7");
    await chat.printed("This session has no message 7 of yours: it has 3.");
    chat.end();
    await chat.ended;
  });
});

describe("/rewind", () => {
  test("lets the person choose with the arrows, and asks before anything is taken back", async () => {
    const chat = opened();
    chat.type("/rewind");
    await chat.printed("Back to before which message?");
    chat.press(`${DOWN}${DOWN}${UP}\r`);
    await chat.printed("This takes back 8 messages, from “two” on.");
    await chat.printed("Take the session back? (y/n)");
    chat.type("y");
    await chat.printed("The session is back to before “two”");
    expect(await texts()).toEqual(["one", "on one"]);
    // The input line is there again.
    bench.model.push("2.");
    chat.type("two, differently");
    await chat.printed("2.");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("a message has the number in the list by which it is named behind the command", async () => {
    const chat = opened();
    chat.type("/rewind");
    await chat.printed("Back to before which message?");
    chat.press("1\r");
    await chat.printed("from “one” on.");
    chat.type("n");
    await chat.printed("The session stays as it is.");
    chat.type("/rewind 1");
    await chat.printed("from “one” on.");
    chat.type("n");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test.each([
    ["\u0003", ""],
    ["\r", "n"],
  ])("nothing is taken back where the person chooses none or says no", async (key, answer) => {
    const chat = opened();
    chat.type("/rewind");
    await chat.printed("Back to before which message?");
    chat.press(key);
    if (answer !== "") {
      await chat.printed("Take the session back?");
      chat.type(answer);
    }
    await chat.printed("The session stays as it is.");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(await texts()).toHaveLength(6);
  });

  test("puts back the files that were changed since, where the person says so", async () => {
    const write = (content: string) => ({ name: "write", input: { path: "a.txt", content } });
    bench.model.push([{ call: [write("1")] }, { say: "First." }], [{ call: [write("2")] }, { say: "Second." }]);
    const chat = bench.start(["--mode", "edits"], { interactive: true });
    for (const [line, answer] of [
      ["write 1", "First."],
      ["write 2", "Second."],
    ] as const) {
      chat.type(line);
      await chat.printed(answer);
    }
    chat.type("/rewind 1 yes");
    await chat.printed("Put that back as it was before? (y/n)");
    chat.type("y");
    await chat.printed("(taken away again)");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(() => readFileSync(join(bench.folder, "a.txt"))).toThrow();
  });

  test("/rewind on a platform lists the messages, and wants the word yes", async () => {
    const place = onPager();
    expect((await runCommand("rewind", place, "")).reply).toMatch(/- \*\*3\*\* three .*\n\n`\/rewind <number>`/);
    const asked = await runCommand("rewind", place, "3");
    expect(asked.reply).toContain("If you are sure, write `/rewind 3 yes`.");
    expect(await texts()).toHaveLength(6);
    const { store } = bench.host;
    const other = { platform: "pager", chatId: "8", kind: "dm" } as const;
    const key = buildSessionKey(other);
    await store.bindings.bind({ key, conversation: other, sessionId: id, mirrors: false });
    await runCommand("rewind", place, "3 yes");
    expect(await texts()).toEqual(["one", "on one", "two", "on two"]);
    expect((await store.outbox.head(key))?.message.markdown).toBe(
      "**plan** was taken back to before “three”, at another place.",
    );
  });

  test("/rewind is refused while a turn runs, before anything is asked", async () => {
    const { store, holder } = bench.host;
    const message = { role: "user", text: "four", surface: "terminal" } as const;
    const begin = { sessionId: id, holder, cause: { kind: "terminal" }, surface: "terminal", leaseMs: 15_000 } as const;
    await store.turns.startTurn({ ...begin, message });
    await expect(runCommand("rewind", onPager(), "1 yes")).rejects.toMatchObject({ code: "SESSION_BUSY" });
  });
});

describe("/copy", () => {
  async function copied(...lines: readonly string[]) {
    await bench.exchange(id, "code", "Look:\n\n```sh\nls\n```\n\n```ts\nconst a = 1;\n```\n");
    const chat = opened();
    for (const line of lines) chat.type(line);
    await chat.printed("characters) by the terminal (OSC 52");
    chat.end();
    await chat.ended;
    const encoded = chat.sequences().flatMap((sequence) => sequence.slice(0, -1).split("]52;c;").slice(1));
    return encoded.map((text) => Buffer.from(text, "base64").toString());
  }

  test("copies the last answer by the terminal", async () => {
    expect(await copied("/copy")).toEqual(["Look:\n\n```sh\nls\n```\n\n```ts\nconst a = 1;\n```\n"]);
  });

  test("copies a code block of it by its number", async () => {
    expect(await copied("/copy 2")).toEqual(["const a = 1;"]);
  });

  test("/copy says how many code blocks there are", async () => {
    const chat = opened();
    chat.type("/copy 2");
    await chat.printed("There is nothing to copy: the last answer has no code block.");
    chat.end();
    await chat.ended;
  });
});

describe("/diff", () => {
  const write = { name: "write", input: { path: "a.txt", content: "new\n" } };

  test("shows what the tools of the session changed where the folder is in no repository", async () => {
    writeFileSync(join(bench.folder, "b.txt"), "by somebody else\n");
    bench.model.push([{ call: [write] }, { say: "Written." }]);
    const chat = bench.start(["--mode", "edits"], { interactive: true });
    chat.type("write it");
    await chat.printed("Written.");
    chat.type("/diff");
    await chat.printed("What the tools of this session changed.");
    expect(chat.stdout()).toMatch(/── .*a\.txt\n@@ -1,0 \+1,1 @@\n\+new\n/);
    expect(chat.stdout()).not.toContain("somebody");
    chat.end();
    await chat.ended;
  });

  test("/diff shows what differs from git's last commit, and runs nothing named there", async () => {
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: bench.folder });
    git("init", "-q");
    writeFileSync(join(bench.folder, ".gitignore"), "home\nran\n");
    writeFileSync(join(bench.folder, "a.txt"), "old\n");
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "begin");
    git("config", "diff.external", "touch ran");
    git("config", "core.fsmonitor", "touch ran");
    // An `=` would end the name on a command line.
    git("config", "filter.a=b.clean", "touch ran; cat");
    git("config", "filter.a=b.required", "true");
    writeFileSync(join(bench.folder, ".git/info/attributes"), "*.txt filter=a=b\n");
    bench.model.push("Ok.");
    const chat = bench.start([], { interactive: true });
    chat.type("hello");
    await chat.printed("Ok.");
    chat.type("/diff");
    await chat.printed("Nothing differs from the last commit.");
    writeFileSync(join(bench.folder, "a.txt"), "changed\n");
    writeFileSync(join(bench.folder, "b.txt"), "new\n");
    chat.type("/diff");
    await chat.printed("All changes since the last commit");
    expect(chat.stdout()).toMatch(/-old\n\+changed\n/);
    expect(chat.stdout()).toContain("── new, and not in git: b.txt");
    expect(() => readFileSync(join(bench.folder, "ran"))).toThrow();
    chat.end();
    await chat.ended;
  });

  test("/diff fetches no object that a repository says is elsewhere", async () => {
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: bench.folder, encoding: "utf8" });
    git("init", "-q");
    writeFileSync(join(bench.folder, "a.txt"), "old\n");
    git("add", "a.txt");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "begin");
    const [, folder = "", file = ""] = /^(..)(.*)/.exec(git("rev-parse", "HEAD:a.txt")) ?? [];
    rmSync(join(bench.folder, ".git/objects", folder, file));
    git("config", "core.repositoryFormatVersion", "1");
    git("config", "extensions.partialClone", "origin");
    git("config", "remote.origin.url", "ssh://nowhere/x");
    git("config", "core.sshCommand", "touch ran");
    writeFileSync(join(bench.folder, "a.txt"), "changed\n");
    bench.model.push("Ok.");
    const chat = bench.start([], { interactive: true });
    chat.type("hello");
    await chat.printed("Ok.");
    chat.type("/diff");
    await chat.printed("No file is still changed by the tools of this session.");
    expect(existsSync(join(bench.folder, "ran"))).toBe(false);
    chat.end();
    await chat.ended;
  });
});
