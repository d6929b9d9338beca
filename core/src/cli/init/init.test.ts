import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createVirtualClock, scriptedModel } from "@hermes/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountLease } from "../../store/work-stores.ts";
import { createTestBench } from "../test-bench.ts";
import { installPager, isPagerConnected, PAGER_TOKEN, writeToPager } from "./test-pager.ts";

const CTRL_C = "\x03";

const openBench = () => {
  const clock = createVirtualClock();
  return createTestBench({ clock, model: scriptedModel([], { clock }) });
};
let bench: Awaited<ReturnType<typeof openBench>>;

beforeEach(async () => {
  bench = await openBench();
  installPager(bench.folder);
});
afterEach(() => bench[Symbol.asyncDispose]());

type Terminal = ReturnType<typeof bench.start>;

const inFolder = (name: string) => join(bench.folder, name);
const read = (name: string) => readFileSync(inFolder(name), "utf8");
const begin = (...more: string[]) =>
  bench.start(["init", "--no-gateway", "--format", "json", ...more], { interactive: true });

/** What was shown since the last answer is waited for, so that the same question can be asked twice. */
function person(terminal: Terminal) {
  let seen = 0;
  return {
    async reads(text: string): Promise<string> {
      for (;;) {
        const shown = terminal.stdout().slice(seen);
        const at = shown.indexOf(text);
        if (at >= 0) {
          seen += at + text.length;
          return shown.slice(at);
        }
        await terminal.printed(`${terminal.stdout().slice(0, seen)}`);
        await new Promise(setImmediate);
      }
    },
    async answers(question: string, text: string): Promise<void> {
      await this.reads(question);
      terminal.type(text);
    },
    /** The word that is shown, once the pager listens. */
    async word(): Promise<string> {
      await this.reads("in a private chat: ");
      await this.reads("Waiting for it");
      return /.*private chat: (\w+)/s.exec(terminal.stdout())?.[1] ?? "";
    },
  };
}

async function upToTheWord(terminal: Terminal) {
  const ada = person(terminal);
  await ada.answers("Which model should answer?", "none");
  await ada.answers("Where do you want to use it?", "pager");
  await ada.answers("The bot's token", PAGER_TOKEN);
  return ada;
}

test("hermes init breaks its lines between words in a narrow terminal", async () => {
  const terminal = bench.start(["init", "--no-gateway", "--format", "json"], { interactive: true, columns: 44 });
  await upToTheWord(terminal);
  await terminal.printed("Waiting for it");
  const said = terminal
    .stdout()
    .split("\n")
    .filter((row) => !/\[.*\]|[?:›⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(row));
  expect(said.filter((row) => row.length > 44 && row.trim().includes(" "))).toEqual([]);
  expect(said.length).toBeGreaterThan(5);
  terminal.press(CTRL_C);
  expect(await terminal.ended).toBe(1);
});

test("nothing is written before the last question is answered", async () => {
  const terminal = begin();
  const ada = await upToTheWord(terminal);
  const word = await ada.word();
  expect(terminal.stdout()).toContain("Meanwhile nobody gets an answer; messages from allowed people wait");
  await writeToPager("hello?", { id: "stranger" });
  await writeToPager(word, { id: "crowd", kind: "group" });
  await writeToPager(` ${word.toUpperCase()} `, { name: "Ada \u202eadA" });
  await ada.reads("It came from Ada adA, whose id is u1");
  await ada.answers("Is that you?", "y");
  await ada.answers("Who may talk to it", "");
  await ada.reads("Do all that?");
  expect(readdirSync(bench.folder).sort()).toEqual(["home", "node_modules", "package.json"]);
  terminal.type("");
  expect(await terminal.ended).toBe(0);
  const options = { token: "${PAGER_TOKEN}", homeChannel: { chatId: "chat-u1", name: "Ada adA" } };
  expect(JSON.parse(read("hermes.config.json"))).toEqual({ plugins: [["hermes-plugin-pager", options]] });
  expect(read(".env")).toBe(`PAGER_TOKEN=${PAGER_TOKEN}\n`);
  expect(statSync(inFolder(".env")).mode & 0o777).toBe(0o600);
  expect(read(".gitignore")).toBe(".env\n");
  expect(terminal.stdout() + terminal.stderr()).not.toContain(PAGER_TOKEN);
  expect(isPagerConnected()).toBe(false);
  // What it wrote itself is trusted.
  expect((await bench.hermes("plugins", "--json")).json().plugins).toMatchObject([{ isConfigured: true }]);
});

test("a stranger who read the word off the screen gets nothing but another word", async () => {
  const terminal = begin();
  const ada = await upToTheWord(terminal);
  const first = await ada.word();
  await writeToPager(first, { id: "u2", name: "Mallory" });
  await ada.answers("Is that you?", "");
  const second = await ada.word();
  expect(second).not.toBe(first);
  await writeToPager(first, { id: "u2" });
  await writeToPager(second, { id: "u1" });
  await ada.reads("whose id is u1");
  terminal.press(CTRL_C);
  expect(await terminal.ended).toBe(1);
});

test("an expired word is replaced, and counts no more", async () => {
  const terminal = begin();
  const ada = await upToTheWord(terminal);
  const first = await ada.word();
  await bench.clock.advance(10 * 60_000);
  await ada.reads("The word has expired");
  const second = await ada.word();
  await writeToPager(first);
  await writeToPager(second, { id: "u3" });
  await ada.reads("whose id is u3");
  terminal.press(CTRL_C);
  expect(await terminal.ended).toBe(1);
});

test.each([
  ["the model", 0],
  ["the platforms", 1],
  ["a token", 2],
  ["the word", 3],
])("Ctrl-C at the question for %s leaves nothing behind", async (_, answers) => {
  const terminal = begin();
  const ada = person(terminal);
  const questions = ["Which model", "Where do you want", "The bot's token", "Waiting for it"];
  const said = ["none", "pager", PAGER_TOKEN];
  for (const [at, text] of said.slice(0, answers).entries()) await ada.answers(questions[at] ?? "", text);
  await ada.reads(questions[answers] ?? "");
  terminal.press(CTRL_C);
  expect(await terminal.ended).toBe(1);
  expect(terminal.stderr()).toContain("The set-up was cancelled; nothing was written.");
  expect(readdirSync(bench.folder).sort()).toEqual(["home", "node_modules", "package.json"]);
});

test("a token that is wrong is asked for again, and is never shown", async () => {
  const terminal = begin();
  const ada = person(terminal);
  await ada.answers("Which model", "none");
  await ada.answers("Where do you want", "pager");
  await ada.answers("The bot's token", "wrong-token-0123");
  await ada.reads("token is a string: has to begin with pager-");
  await ada.answers("The bot's token", "pager-but-unknown");
  await ada.reads("Pager does not know [redacted].");
  await ada.answers("What now?", "leave");
  await ada.answers("Do all that?", "y");
  expect(await terminal.ended).toBe(0);
  expect(existsSync(inFolder(".env"))).toBe(false);
  expect(terminal.stdout()).not.toContain("pager-but-unknown");
});

test("a .env that was there before is used only once a person says that it is theirs", async () => {
  writeFileSync(inFolder(".env"), "ANTHROPIC_BASE_URL=http://evil.example\n", { mode: 0o600 });
  const terminal = begin();
  const ada = person(terminal);
  await ada.reads("sets ANTHROPIC_BASE_URL.");
  await ada.answers("Is it yours, and do you trust it?", "");
  expect(await terminal.ended).toBe(1);
  expect(existsSync(inFolder("hermes.config.json"))).toBe(false);
  expect(terminal.stdout()).not.toContain("Which model");
});

test("no code of a folder that nobody trusts runs before its plugin is chosen", async () => {
  const setup = inFolder("node_modules/hermes-plugin-evil");
  mkdirSync(setup);
  const exports = { ".": "./ran.js", "./setup": "./ran.js" };
  const hermes = { apiVersion: 2, kind: "platform", platform: "evil", setup: "./setup" };
  const manifest = { name: "hermes-plugin-evil", type: "module", keywords: ["hermes-plugin"], exports, hermes };
  writeFileSync(join(setup, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(setup, "ran.js"), "globalThis.evilRan = true; export const setup = {};");
  const { code, stderr } = await bench.hermes("init", "--yes", "--no-gateway", "--platform", "nosuch");
  expect(code).toBe(2);
  expect(stderr).toContain("evil");
  expect(globalThis).not.toHaveProperty("evilRan");
});

test("flags and the .env give the answers, and other lines stay as they are", async () => {
  const before = `# mine\r\nOTHER='a b'\nPAGER_TOKEN=${PAGER_TOKEN}\n`;
  writeFileSync(inFolder(".env"), before, { mode: 0o600 });
  const flags = ["--platform", "pager", "--home", "pager=chat-u1", "--allow", "u7", "--format", "json"];
  const { code, json } = await bench.hermes("init", "--yes", "--json", "--no-gateway", ...flags);
  expect(code).toBe(0);
  expect(json()).toMatchObject({
    config: inFolder("hermes.config.json"),
    installed: [],
    platforms: [{ platform: "pager", account: "@beeper", homeChannel: "chat-u1" }],
    gateway: null,
    handoff: null,
  });
  expect(read(".env")).toBe(before);
  expect(JSON.parse(read("hermes.config.json"))).toEqual({
    plugins: [["hermes-plugin-pager", { token: "${PAGER_TOKEN}", homeChannel: "chat-u1", allowedUsers: ["u7"] }]],
  });
});

test("a home channel that a flag names is checked before anything is written", async () => {
  writeFileSync(inFolder(".env"), `PAGER_TOKEN=${PAGER_TOKEN}\n`, { mode: 0o600 });
  const flags = ["--platform", "pager", "--home", "pager=chat-nowhere", "--format", "json"];
  const { code, stderr } = await bench.hermes("init", "--yes", "--no-gateway", ...flags);
  expect([code, stderr]).toEqual([1, expect.stringContaining("The bot is not in chat-nowhere")]);
  expect(existsSync(inFolder("hermes.config.json"))).toBe(false);
});

test("a home channel that others read is taken only by a flag or a yes", async () => {
  writeFileSync(inFolder(".env"), `PAGER_TOKEN=${PAGER_TOKEN}\n`, { mode: 0o600 });
  const flags = ["--platform", "pager", "--home", "pager=chat-crowd", "--format", "json"];
  const run = (...more: string[]) => bench.hermes("init", "--yes", "--no-gateway", ...flags, ...more);
  expect((await run()).stderr).toContain("Nine people read chat-crowd");
  const written = () => JSON.parse(read("hermes.config.json")).plugins[0][1].homeChannel;
  const shared = { chatId: "chat-crowd", shared: true };
  expect((await run("--shared-home", "pager")).code).toBe(0);
  expect(written()).toEqual(shared);
  rmSync(inFolder("hermes.config.json"));

  const terminal = begin("--home", "pager=chat-crowd");
  const ada = person(terminal);
  await ada.answers("Which model", "none");
  await ada.answers("Where do you want", "pager");
  await ada.answers("Is that intended? (y/N)", "y");
  await ada.answers("Who may talk to it", "");
  await ada.answers("Do all that?", "");
  expect(await terminal.ended).toBe(0);
  expect(written()).toEqual(shared);
});

test("init asks which of several accounts is meant, or adds another", async () => {
  writeFileSync(inFolder(".env"), `PAGER_TOKEN=${PAGER_TOKEN}\n`, { mode: 0o600 });
  const of = (options: object) => ["hermes-plugin-pager", options];
  const token = "$" + "{PAGER_TOKEN}";
  const [first, work] = [
    { token, homeChannel: "c" },
    { account: "work", token, homeChannel: "w" },
  ];
  writeFileSync(inFolder("hermes.config.json"), JSON.stringify({ plugins: [of(first), of(work)] }));
  await bench.hermes("trust");
  const flags = ["init", "--yes", "--no-gateway", "--platform", "pager", "--allow", "u9"];
  expect(await bench.hermes(...flags)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("several accounts (one without a name, work): say which"),
  });

  const terminal = begin();
  const ada = person(terminal);
  await ada.answers("What do you want to change?", "pager");
  await ada.answers("Which account of Pager?", "work");
  await ada.answers("What do you want to change about Pager?", "people");
  await ada.answers("Who may talk to it", "some people");
  await ada.answers("Their ids", "u7");
  await ada.answers("What do you want to change?", "pager");
  await ada.answers("Which account of Pager?", "another");
  await ada.answers("A short name for it", "work");
  await ada.reads("none of the names that are there");
  await ada.answers("A short name for it", "new-one");
  await ada.answers("The bot's token", PAGER_TOKEN);
  await ada.answers("Waiting for it", "");
  await ada.answers("Who may talk to it", "");
  await ada.answers("What do you want to change?", "");
  await ada.answers("Do all that?", "");
  expect(await terminal.ended).toBe(0);
  expect(JSON.parse(read("hermes.config.json")).plugins).toEqual([
    of(first),
    of({ ...work, allowedUsers: ["u7"] }),
    of({ account: "new-one", token: "$" + "{PAGER_TOKEN_NEW_ONE}" }),
  ]);
  expect(read(".env")).toContain(`PAGER_TOKEN_NEW_ONE=${PAGER_TOKEN}\n`);
});

test("a second run changes what is asked for and keeps every other line", async () => {
  writeFileSync(inFolder(".env"), `PAGER_TOKEN=${PAGER_TOKEN}\n`, { mode: 0o600 });
  const config =
    "# my bot\nplugins:\n  - - hermes-plugin-pager\n    - token: ${PAGER_TOKEN} # secret\n      homeChannel: c\n";
  writeFileSync(inFolder("hermes.config.yaml"), config);
  await bench.hermes("trust");
  const terminal = begin();
  const ada = person(terminal);
  await ada.answers("What do you want to change?", "pager");
  await ada.answers("What do you want to change about Pager?", "people");
  await ada.answers("Who may talk to it", "some people");
  await ada.answers("Their ids", "u7 u8");
  await ada.answers("What do you want to change?", "");
  await ada.answers("Do all that?", "");
  expect(await terminal.ended).toBe(0);
  const after = read("hermes.config.yaml");
  expect(after.startsWith(config)).toBe(true);
  expect(after.slice(config.length)).toMatch(/^ {6}allowedUsers:\s+(- u7\s+- u8|\[ ?u7, u8 ?\])\s*$/);
  expect((await bench.hermes("config", "check", "--json")).code).toBe(0);
});

test("the gateway gets what an allowed person writes during the home search", async () => {
  writeFileSync(inFolder(".env"), `PAGER_TOKEN=${PAGER_TOKEN}\n`, { mode: 0o600 });
  const plugin = ["hermes-plugin-pager", { token: PAGER_TOKEN, allowedUsers: ["u7"] }];
  writeFileSync(inFolder("hermes.config.json"), JSON.stringify({ plugins: [plugin] }));
  await bench.hermes("trust");
  const terminal = begin();
  const ada = person(terminal);
  await ada.answers("What do you want to change?", "pager");
  await ada.answers("What do you want to change about Pager?", "home channel");
  await ada.reads("Waiting for it");
  await writeToPager("Let me in", { id: "u9" });
  await writeToPager("Plan the week", { id: "u7" });
  terminal.press(CTRL_C);
  await terminal.ended;
  const { inbox } = bench.host.store;
  const lanes = await inbox.openLanes("pager", undefined);
  expect(lanes).toEqual(["agent:main:pager:dm:chat-u7"]);
  expect((await inbox.head(lanes[0] as (typeof lanes)[number]))?.message.text).toBe("Plan the week");
});

test("reports an account that a gateway serves, and sets it up without a home", async () => {
  const { store, holder } = bench.host;
  await store.leases.acquire(accountLease("pager", undefined), { ...holder, id: "other" }, 15_000);
  const terminal = begin();
  const ada = await upToTheWord(terminal);
  await ada.reads("A gateway serves this pager account");
  await ada.answers("Stop the gateway meanwhile?", "n");
  await ada.answers("Who may talk to it", "");
  await ada.answers("Do all that?", "y");
  expect(await terminal.ended).toBe(0);
  expect(read("hermes.config.json")).not.toContain("homeChannel");
});

test("a config that is not trusted is refused, as are questions to nobody", async () => {
  const { stderr, code } = await bench.hermes("init");
  expect([code, stderr]).toEqual([2, expect.stringContaining("pass --yes")]);
  writeFileSync(inFolder("hermes.config.json"), "{}");
  expect((await bench.hermes("init", "--yes")).stderr).toContain("hermes.config.json was not loaded");
  expect(read("hermes.config.json")).toBe("{}");
});

test("a config that cannot be edited is left alone, and its lines are shown", async () => {
  writeFileSync(inFolder(".env"), `PAGER_TOKEN=${PAGER_TOKEN}\n`, { mode: 0o600 });
  const made = (options: string) =>
    `const make = (options) => ({ plugins: [["hermes-plugin-pager", options]] });\nexport default make({ ${options} });\n`;
  const before = made("token: process.env.PAGER_TOKEN");
  writeFileSync(inFolder("hermes.config.mjs"), before);
  await bench.hermes("trust");
  const flags = ["init", "--yes", "--no-gateway", "--allow", "pager=u7"];
  expect((await bench.hermes(...flags)).stderr).toContain("is written in a way that Hermes cannot edit");
  expect(read("hermes.config.mjs")).toBe(before);

  const terminal = begin();
  const ada = person(terminal);
  await ada.answers("What do you want to change?", "pager");
  await ada.answers("What do you want to change about Pager?", "people");
  await ada.answers("Who may talk to it", "some people");
  await ada.answers("Their ids", "u7");
  await ada.answers("What do you want to change?", "");
  await ada.answers("Do all that?", "");
  await ada.reads("u7");
  await ada.reads("Press Enter when it is there");
  terminal.press(CTRL_C);
  await terminal.ended;
  expect(read("hermes.config.mjs")).toBe(before);
});

test("a secret on the command line is refused, and the variable named", async () => {
  const { stderr } = await bench.hermes("init", "--yes", "--set", `pager.token=${PAGER_TOKEN}`);
  expect(stderr).toContain("set PAGER_TOKEN rather than --set");
});
