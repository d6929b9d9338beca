import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, gate, PDF_FILE, PNG_FILE, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileRef } from "../../base/file-ref.ts";
import { withoutAttached } from "../../model/mark.ts";
import { createTestBench } from "../test-bench.ts";
import { bestMatches } from "./complete-mention.ts";
import { mentionsIn } from "./mentions.ts";

const TAB = "\t";
const CTRL_C = "\u0003";
const CTRL_U = "\u0015";

const clock = createVirtualClock();
const openBench = () => createTestBench({ clock, model: scriptedModel([], { clock }) });
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
  mkdirSync(join(bench.folder, "src"));
  writeFileSync(join(bench.folder, "src", "main.ts"), "one\ntwo\n");
  writeFileSync(join(bench.folder, "src", "my notes.md"), "three\n");
  writeFileSync(join(bench.folder, ".env"), "KEY=1\n");
});

afterEach(() => bench[Symbol.asyncDispose]());

function asked(): string {
  return bench.model.requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.text ?? "";
}

async function say(...lines: readonly string[]) {
  bench.model.push(...lines.map((_, at) => `Answer ${at}.`));
  const chat = bench.start([], { interactive: true });
  for (const [at, line] of lines.entries()) {
    chat.type(line);
    await chat.printed(`Answer ${at}.`);
  }
  chat.end();
  expect(await chat.ended).toBe(0);
  return chat;
}

describe("a file that a message names", () => {
  test.each([
    ["look at @src/main.ts, please", '⟦attached: "src/main.ts"⟧\n```\n1\tone\n2\ttwo\n```'],
    ['read @"src/my notes.md".', '⟦attached: "src/my notes.md"⟧\n```\n1\tthree\n```'],
    ["what is in @src", '⟦attached: "src", a folder⟧\n```\nsrc/main.ts\nsrc/my notes.md\n```'],
  ])("stands behind it as the tool reads it: %s", async (line, attached) => {
    await say(line);
    expect(asked()).toBe(`${line}\n${attached}`);
  });

  test.each(["write to ada@example.org", "ask @ada about it", "no @ here"])("no file is named in: %s", async (line) => {
    await say(line);
    expect(asked()).toBe(line);
  });

  test.each([
    ["look at @nothere.txt", "There is no file nothere.txt here: the message goes without it.\n"],
    [
      "look at @src/mian.ts, please",
      "There is no file src/mian.ts here: the message goes without it. Did you mean @src/main.ts?",
    ],
    ["look at @mian.ts", "Did you mean @src/main.ts?"],
    ["look at @main.ts.", "Did you mean @src/main.ts?"],
    ["look at @src/nothing", "There is no file src/nothing here"],
    ['look at @"your notes.md"', "There is no file your notes.md here"],
    ["what is @nothere.png", "There is no file nothere.png here"],
    ["see @../outside.txt", "There is no file ../outside.txt here"],
    ["see @/etc/passwd", "@/etc/passwd is only named: it is outside of the session's folder."],
  ])("a missing file is replaced by a line that says so: %s", async (line, note) => {
    const chat = await say(line);
    expect(asked()).toBe(line);
    expect(chat.stderr()).toContain(note);
    expect(chat.stderr()).not.toContain(".env");
  });

  test.each([
    ["many lines", "line of a log\n".repeat(2_000_000), "only the first 2000 of 2000000 lines are read"],
    [
      "long lines",
      `${"0123456789".repeat(60)}\n`.repeat(500),
      "characters in the middle are left out. The agent can read the rest.",
    ],
    ["one long line", "x".repeat(26_000_000), "1 long line is cut"],
    ["what is no text", "\0".repeat(100), "@big.log is only named: it is neither a text nor a picture or PDF."],
  ])("a line says what the agent does not get of a large file with %s", async (_, content, note) => {
    writeFileSync(join(bench.folder, "big.log"), content);
    const chat = await say("what is in @big.log");
    expect(chat.stderr().split(note)).toHaveLength(2);
    expect(asked().length).toBeLessThan(31_000);
  });

  test.each([
    "ask @ada, or ada@example.org, or @ada@example.org",
    "why @Injectable() and @app.get('/x.txt') and @Component?",
    "install @types/node and @nestjs/core@10.2.1",
    "no @ here",
  ])("text that only looks like a mention is sent without a word: %s", async (line) => {
    const chat = await say(line);
    expect(asked()).toBe(line);
    expect(chat.stderr()).not.toMatch(/no file|only named/);
  });

  test("a file with keys in it is only named, and the person is told why", async () => {
    const chat = await say("use @.env");
    expect(asked()).toBe("use @.env");
    expect(chat.stderr()).toContain("@.env is only named: ");
  });

  test("a file that a rule denies is only named", async () => {
    const config = '{ "permissions": { "deny": ["read(src/**)"] } }';
    writeFileSync(join(bench.home, "hermes.config.json"), config, { mode: 0o600 });
    const chat = await say("look at @src/main.ts");
    expect(asked()).toBe("look at @src/main.ts");
    expect(chat.stderr()).toContain("@src/main.ts is only named: ");
  });

  test("a file is named and not repeated where the session is shown again", async () => {
    await say("look at @src/main.ts");
    const chat = bench.start(["resume", "look"], { interactive: true });
    await chat.printed("(attached: “src/main.ts”)");
    expect(chat.stdout()).not.toContain("two");
    chat.end();
    await chat.ended;
  });
});

describe("a picture that a message names", () => {
  const filesAsked = () => bench.model.requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.files ?? [];

  test("a picture goes along by its path, dropped or behind an @", async () => {
    writeFileSync(join(bench.folder, "cat.png"), PNG_FILE);
    const dropped = join(bench.home, "my plan.pdf");
    writeFileSync(dropped, PDF_FILE);
    const chat = await say(`what is @cat.png beside '${dropped}' and @src/main.ts`);
    expect(filesAsked()).toMatchObject([
      { name: "cat.png", mediaType: "image/png", size: PNG_FILE.length },
      { name: "my plan.pdf", mediaType: "application/pdf", size: PDF_FILE.length },
    ]);
    expect(await bench.host.files.read(filesAsked()[0] as FileRef)).toEqual(PNG_FILE);
    expect(asked()).toContain(
      '\n⟦attached: "cat.png", image/png, 70 bytes⟧\n⟦attached: "my plan.pdf", application/pdf',
    );
    expect(asked()).toContain('⟦attached: "src/main.ts"⟧');
    expect(chat.stderr()).toContain("Attached cat.png (image/png, 1 KB).");
  });

  test("a picture behind an @ goes along whatever its name, by what is in it", async () => {
    writeFileSync(join(bench.folder, "download"), PNG_FILE);
    writeFileSync(join(bench.folder, "cat.txt"), PNG_FILE);
    await say("see @download and @cat.txt.");
    expect(filesAsked()).toMatchObject([
      { name: "download", mediaType: "image/png" },
      { name: "cat.txt", mediaType: "image/png" },
    ]);
  });

  test("a picture is asked about again with /retry", async () => {
    writeFileSync(join(bench.folder, "cat.png"), PNG_FILE);
    await say("what is @cat.png", "/retry");
    expect(filesAsked()).toMatchObject([{ name: "cat.png" }]);
  });

  test("a file that is no picture, or that a rule denies, is not attached", async () => {
    writeFileSync(join(bench.folder, "fake.png"), "KEY=1");
    writeFileSync(join(bench.folder, "src", "cat.png"), PNG_FILE);
    const config = '{ "permissions": { "deny": ["read(src/**)"] } }';
    writeFileSync(join(bench.home, "hermes.config.json"), config, { mode: 0o600 });
    const chat = await say(`see ${join(bench.folder, "fake.png")} and @src/cat.png`);
    expect(filesAsked()).toEqual([]);
    expect(chat.stderr()).toContain("src/cat.png is only named: ");
  });
});

describe("Tab behind an @", () => {
  test("completes a path by some of its letters, in quotes where it has spaces", async () => {
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press(`look at @smaints${TAB}`);
    await chat.printed("› look at @src/main.ts ");
    chat.press(`${CTRL_U}@notes${TAB}`);
    await chat.printed('› @"src/my notes.md" ');
    chat.press(CTRL_U);
    chat.end();
    await chat.ended;
  });

  test("offers neither what git ignores nor files with keys", async () => {
    execFileSync("git", ["init", "-q"], { cwd: bench.folder });
    writeFileSync(join(bench.folder, ".gitignore"), "home\n*.log\n");
    writeFileSync(join(bench.folder, "src", "main.log"), "");
    writeFileSync(join(bench.folder, "src", "server.pem"), "");
    const chat = bench.start([], { interactive: true });
    await chat.printed("› ");
    chat.press(`@${TAB}`);
    await chat.printed("@src/main.ts");
    for (const path of ["main.log", "server.pem", ".env", "home"]) expect(chat.stdout()).not.toContain(`@${path}`);
    expect(chat.stdout()).not.toMatch(/main\.log|server\.pem|@\.env/);
    chat.press(`${CTRL_C}${CTRL_C}`);
    chat.end();
    await chat.ended;
  });
});

test("the best match has the letters in its name, the worst scattered over its path", () => {
  const paths = ["docs/many-types.md", "src/lib/main.ts", "src/main.ts", "manual.ts"];
  expect(bestMatches(paths, "ma")).toEqual(["manual.ts", "src/main.ts", "src/lib/main.ts", "docs/many-types.md"]);
  expect(bestMatches(paths, "mnts")).toEqual(["manual.ts", "src/main.ts", "src/lib/main.ts", "docs/many-types.md"]);
  expect(bestMatches(paths, "xyz")).toEqual([]);
});

test("mentions are words that begin with an @, each once", () => {
  expect(mentionsIn('@a.ts and @a.ts, @"b c.ts" x@y @')).toEqual(["a.ts", "a.ts,", "b c.ts"]);
});

test("a shortened message leaves out its attached text, however many backticks it has", () => {
  const text = 'look\n⟦attached: "a.md"⟧\n````\n```\ncode\n```\n````\n⟦attached: "b"⟧\n```\nb\n```';
  expect(withoutAttached(text)).toBe('look\n⟦attached: "a.md"⟧\n⟦attached: "b"⟧');
});

describe("a command of the person's own", () => {
  test("the agent reads what a command put out with the next message", async () => {
    bench.model.push("Seen.", "Again.");
    const chat = bench.start([], { interactive: true });
    chat.type("!cat src/main.ts; echo $HERMES_HOME >&2; exit 3");
    await chat.printed("[exit code 3]");
    expect(chat.stdout()).toContain("one\ntwo\n");
    expect(chat.stdout()).toContain(`${bench.home}\n`);
    chat.type("what is it?");
    await chat.printed("Seen.");
    expect(asked()).toBe(
      "what is it?\n⟦the user ran this here, and gives you what it put out as data: " +
        `"cat src/main.ts; echo $HERMES_HOME >&2; exit 3", exit code 3⟧\n\`\`\`\none\ntwo\n${bench.home}\n\`\`\``,
    );
    chat.type("and now?");
    await chat.printed("Again.");
    expect(asked()).toBe("and now?");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("Ctrl-C stops a command, and what it has put out is kept", async () => {
    bench.model.push("Seen.");
    const chat = bench.start([], { interactive: true });
    chat.type("!echo begun; sleep 1000");
    await chat.printed("begun\n");
    chat.press(CTRL_C);
    // It may take until the next look, or until it is killed, before the command is gone.
    let isStopped = false;
    const stopped = chat.printed("[it was stopped]").then(() => {
      isStopped = true;
    });
    while (!isStopped) {
      await clock.advance(20);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await stopped;
    chat.type("what is it?");
    await chat.printed("Seen.");
    expect(asked()).toContain("it was stopped⟧\n```\nbegun\n```");
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("puts no known secret on the screen or before the agent, and cuts what is long", async () => {
    const secret = "Tr0ub4dor-and-more";
    writeFileSync(
      join(bench.home, "hermes.config.json"),
      '{ "providers": { "x": { "apiKey": "Tr0ub4dor-and-more", "baseUrl": "http://127.0.0.1:9" } } }',
      { mode: 0o600 },
    );
    bench.model.push("Seen.");
    const chat = bench.start([], { interactive: true });
    chat.type(`!printf 'it is Tr0ub4dor'; echo -and-more; head -c 100000 /dev/zero | tr '\\0' x`);
    await chat.printed("The agent gets this with your next message.");
    chat.type("what is it?");
    await chat.printed("Seen.");
    expect(asked()).toContain("it is [redacted]");
    expect(asked().length).toBeLessThan(31_000);
    expect(asked()).toMatch(/characters \(1 line\) were cut here/);
    expect(chat.stdout() + asked()).not.toContain(secret);
    chat.end();
    expect(await chat.ended).toBe(0);
  });

  test("a session's next message takes along what a left terminal had run, once", async () => {
    bench.model.push("Begun.", "Seen.", "Again.");
    const first = bench.start([], { interactive: true });
    first.type("begin");
    await first.printed("Begun.");
    first.type("!echo from $((40 + 2)); exit 3");
    await first.printed("The agent gets this with your next message.");
    const { typedLines } = bench.host.store;
    expect(await typedLines.left()).toEqual([]);
    first.end();
    expect(await first.ended).toBe(0);
    expect((await typedLines.left()).map(({ text }) => text)).toEqual([
      expect.stringMatching(/exit code 3⟧[\s\S]*from 42/),
    ]);

    const next = bench.start(["--continue"], { interactive: true });
    await next.printed("What you ran here before (1 command) goes along with your next message.");
    expect(next.stdout()).not.toContain("Send it now?");
    next.type("what is it?");
    await next.printed("Seen.");
    expect(asked()).toMatch(/^what is it\?\n⟦the user ran this here[\s\S]*from 42/);
    expect(await typedLines.left()).toEqual([]);
    next.type("and now?");
    await next.printed("Again.");
    expect(asked()).toBe("and now?");
    next.end();
    expect(await next.ended).toBe(0);
    expect(await typedLines.left()).toEqual([]);
  });

  test("a line with ! in piped input is a message like any other", async () => {
    bench.model.push("Seen.");
    const chat = bench.start([]);
    chat.type("!ls");
    chat.end();
    expect(await chat.ended).toBe(0);
    expect(asked()).toBe("!ls");
  });
});

test("hermes chat -q brings along files that the question names, and none piped in", async () => {
  bench.model.push("Read.", "Piped.");
  const asking = await bench.hermes("chat", "-q", "read @src/main.ts and @.env");
  expect(asking.code).toBe(0);
  expect(asked()).toMatch(/^read @src\/main\.ts and @\.env\n⟦attached: "src\/main\.ts"⟧\n[\s\S]*two/);
  expect(asked()).not.toContain("KEY=1");
  expect(asking.stderr).toContain("@.env is only named");
  const piping = bench.start(["chat", "-q", "-"], { interactive: false });
  piping.type("see @src/main.ts");
  piping.end();
  expect(await piping.ended).toBe(0);
  expect(asked()).toBe("see @src/main.ts");
});

test("a message sent with /now brings its files along", async () => {
  const held = gate();
  bench.model.push([{ say: "Looking. " }, { hold: held }, { call: [{ name: "list", input: {} }] }, { say: "Seen." }]);
  const chat = bench.start([], { interactive: true });
  chat.type("look around");
  await held.reached;
  chat.type("/now read @src/main.ts");
  await chat.printed("goes to the answer: read @src/main.ts");
  held.open();
  await chat.printed("Seen.");
  chat.end();
  expect(await chat.ended).toBe(0);
  const { messages } = (await bench.hermes("sessions", "show", "look around", "--json")).json();
  const said = messages.filter(({ role }: { role: string }) => role === "user");
  expect(said.map(({ text }: { text: string }) => text)).toEqual([
    "look around",
    expect.stringMatching(/^read @src\/main\.ts\n⟦attached: "src\/main\.ts"⟧\n[\s\S]*two/),
  ]);
});
