import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EVERY_SESSION } from "@hermes/core/embed";
import type { ModelServer } from "@hermes/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HermesMachine } from "./support/hermes-process.ts";
import { begin, transcript } from "./support/journey.ts";
import { lastRequest, machineWith, startModel } from "./support/model.ts";
import { openPage, type Page } from "./support/page.ts";

const ESCAPES = "red \u001b[31malert\u001b[0m, a bell \u0007, a title \u001b]0;owned\u0007, back \u009b2J";
const BIDI = "user\u202egnp.exe \u2066hidden\u2069";
const HALF = "half a pair \ud83d and \udc00 end";
const NUL = "before\u0000after";
const HUGE = "x".repeat(1_000_000);

let model: ModelServer;
let machine: HermesMachine;
let page: Page;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {
    plugins: [["@hermes/plugin-web", { port: 0, limits: { messagesPerMinute: 1_000 } }]],
  });
  await machine.startGateway();
  page = await openPage(machine);
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

describe("typed in the terminal", () => {
  it.each(Object.entries({ ESCAPES, BIDI, NUL, HUGE }))(
    "%s: is answered, and kept as it was written",
    async (_, text) => {
      const terminal = machine.start("chat");
      terminal.type(text);
      terminal.endInput();
      expect(await terminal.exited(), terminal.stderr).toBe(0);
      const [session] = await latestSessions();
      expect(session?.messageCount).toBe(2);
      const [asked] = session ? await transcript(machine, session.id) : [];
      expect(asked?.text === kept(text)).toBe(true);
      const last = model.requests.at(-1);
      const asking = last === undefined ? "" : lastRequest(last);
      // What fills the model's window alone reaches it with its middle left out.
      if (text === HUGE) expect(asking.replaceAll(/x{1000,}/g, "x")).toMatch(/^x\n*⟦[^⟧]+⟧\n*x$/);
      else expect(asking === kept(text)).toBe(true);
      expectHarmless(session?.title ?? "");
    },
  );

  it("nothing at all: begins no session", async () => {
    const before = await count();
    const terminal = machine.start("chat");
    for (const line of ["", "   ", "\t"]) terminal.type(line);
    terminal.endInput();
    expect(await terminal.exited()).toBe(0);
    expect(await count()).toBe(before);
    const nothing = await machine.run("chat", "-q", "");
    expect([nothing.code, nothing.stdout]).toEqual([2, ""]);
    expect(nothing.stderr).toMatch(/message/);
    expect(await count()).toBe(before);
  });

  it("what others wrote cannot steer the terminal", async () => {
    await page.command(machine, "home", "/new");
    await page.ask(machine, "home", `Beware ${ESCAPES} ${BIDI}`, /^Answer to: Beware/);
    const [session] = await latestSessions();
    const shown = await machine.run("sessions", "show", session?.id ?? "");
    expect(shown.stdout).toContain("Beware red ␛[31malert");
    expectHarmless(shown.stdout);
    const listed = await machine.run("sessions");
    expectHarmless(listed.stdout);
    const found = await machine.run("sessions", "search", "Beware");
    expectHarmless(found.stdout);
    const resumed = machine.start("resume", session?.id ?? "");
    await resumed.says(/Answer to: Beware/);
    expectHarmless(resumed.stdout);
    resumed.endInput();
    await resumed.exited();
  });

  it("what the model says cannot steer the terminal that a person sits at", async () => {
    model.push(`Beware: ${ESCAPES} ${BIDI}`);
    const window = machine.startInWindow("chat");
    await window.says(/›/);
    window.type("Say something");
    await window.says(/Beware: red ␛\[31malert/);
    window.type("/quit");
    await window.exited();
    for (const steering of ["\u001b[31malert", "\u001b]0;owned", "\u009b2J", "\u202e"]) {
      expect(window.stdout).not.toContain(steering);
    }
  });

  it("what the model says steers no terminal behind a pipe either", async () => {
    model.push(`Beware: ${ESCAPES} ${BIDI} z\u200bw \u{e0041}tag`);
    const { stdout } = await machine.run("chat", "-q", "Say something");
    expect(stdout).toContain("Beware: red ␛[31malert");
    expect(stdout).toContain("usergnp.exe hidden zw tag");
    expectHarmless(stdout);
  });

  it("puts a title with control characters on one line, and refuses one of only those", async () => {
    const id = await begin(machine, "A title to come");
    const { title } = await machine.json<{ title: string }>(
      "sessions",
      "title",
      id,
      "Two\nlines \u001b[31mred\u001b[0m",
      BIDI,
    );
    expect(title).toMatch(/^Two lines .*red.*user/);
    expectHarmless(title);
    const refused = await machine.run("sessions", "title", id, "\u0007\u200b\n");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/A title has 1 to \d+ characters on one line/);
    expect(await machine.json("sessions", "show", id)).toMatchObject({ title });
  });
});

describe("posted on the page", () => {
  it.each(Object.entries({ ESCAPES, BIDI, NUL, HALF }))(
    "%s: is answered, and the model gets well-formed text",
    async (_, text) => {
      await page.command(machine, "home", "/new");
      const { seq } = await page.write("home", text);
      await page.messageAfter(machine, "home", seq, "answer", /^Answer to: .*$/s);
      const [session] = await latestSessions();
      const [asked] = session ? await transcript(machine, session.id) : [];
      expect(asked?.text).toBe(kept(text));
      expect(session?.messageCount).toBe(2);
    },
  );

  it("too much, or nothing: is refused in words, and the next message is taken", async () => {
    const before = (await page.messages("home")).messages.length;
    for (const [text, status] of [
      [HUGE, 413],
      ["", 422],
      [" \n ", 422],
    ] as const) {
      const response = await page.post("home", text);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({
        error: { code: expect.any(String), text: expect.stringMatching(/\.$/) },
      });
    }
    expect((await page.messages("home")).messages.length).toBe(before);
    await page.ask(machine, "home", "Still there?", /^Answer to: Still there\?$/);
  });
});

describe("a home or a store that cannot be used is told in a sentence", () => {
  it("HERMES_HOME is a file", async () => {
    await using broken = new HermesMachine();
    writeFileSync(broken.home, "a file");
    await fails(broken, 1, "HOME_NOT_PRIVATE", /cannot be used as Hermes' home: it is a file/);
    expect(readFileSync(broken.home, "utf8")).toBe("a file");
  });

  it("HERMES_HOME lies where nothing can be made", async () => {
    await using broken = new HermesMachine({}, { HERMES_HOME: "/proc/hermes" });
    await fails(broken, 1, "HOME_NOT_PRIVATE", /\/proc\/hermes cannot be used as Hermes' home/);
    broken.environment.HERMES_HOME = join(broken.configPath, "home");
    await fails(broken, 1, "HOME_NOT_PRIVATE", /hermes\.config\.json\/home cannot be used as Hermes' home/);
  });

  it("HERMES_HOME is not there yet: is made, for its owner alone", async () => {
    await using fresh = new HermesMachine();
    const inDepth = join(fresh.folder, "a", "b", "home");
    fresh.environment.HERMES_HOME = inDepth;
    expect((await fresh.run("sessions")).code).toBe(0);
    expect(existsSync(join(inDepth, "store", "hermes.db"))).toBe(true);
  });

  it("HERMES_HOME could be written to by others: nothing that they put there is run", async () => {
    await using open = new HermesMachine();
    delete open.environment.HERMES_CONFIG;
    rmSync(open.configPath);
    const planted = 'console.log("it was run"); export default {};';
    mkdirSync(open.home, { recursive: true });
    for (const folder of [open.home, open.folder]) writeFileSync(join(folder, "hermes.config.mjs"), planted);
    writeFileSync(join(open.home, "trusted-folders.json"), JSON.stringify([open.folder]));
    chmodSync(open.home, 0o777);
    await fails(open, 1, "HOME_OPEN_TO_OTHERS", /could be written to by others/);
    expect((await open.run("trust", "--home")).code).toBe(0);
    expect((await open.run("sessions")).stderr).toContain("hermes.config.mjs was not loaded");
  });

  it("the store is no database: it is left as it is", async () => {
    await using broken = new HermesMachine();
    const file = join(broken.home, "store", "hermes.db");
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    chmodSync(broken.home, 0o700);
    writeFileSync(file, "garbage, and more of it; ".repeat(100));
    await fails(broken, 1, "STORE_UNREADABLE", /hermes\.db cannot be used: file is not a database/);
    expect(readFileSync(file, "utf8")).toBe("garbage, and more of it; ".repeat(100));
  });

  it("the store was cut off", async () => {
    await using broken = new HermesMachine();
    await broken.json("chat", "-q", "Hello");
    const file = join(broken.home, "store", "hermes.db");
    const cut = readFileSync(file).subarray(0, 6_000);
    writeFileSync(file, cut);
    await fails(broken, 1, "STORE_UNREADABLE", /cannot be used/);
  });
});

describe("a config that cannot be used is told in a sentence, with the place", () => {
  it.each([
    ["no JSON", "{ plugins: ", "CONFIG_UNREADABLE", /hermes\.config\.json:1:3 could not be read/],
    ["another kind of value", "[1]", "CONFIG_INVALID", /expected an object/],
    ["a key that there is not", '{"modle": "openai/x"}', "CONFIG_INVALID", /modle/],
    [
      "a variable that is not set",
      `{"model": "\${NOWHERE_SET}"}`,
      "CONFIG_VARIABLE_UNSET",
      /NOWHERE_SET, which is not set/,
    ],
  ])("%s", async (_, config, code, text) => {
    await using broken = new HermesMachine();
    writeFileSync(broken.configPath, config);
    await fails(broken, 1, code, text);
  });

  it("a plugin that there is not is told by file and key, and all else works", async () => {
    await using broken = new HermesMachine({
      plugins: ["@hermes/plugin-nowhere", ["@hermes/plugin-web", { port: 0 }]],
    });
    const gateway = await broken.startGateway();
    expect(gateway.stdout).toMatch(/web up.*nowhere down, .*plugins\[0\]/);
    const commands = [["status"], ["sessions"], ["chat", "-q", "Hello"], ["plugins"]];
    for (const { code, stderr } of await Promise.all(commands.map((command) => broken.run(...command)))) {
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/hermes\.config\.json: plugins\[0\]: The plugin @hermes\/plugin-nowhere was not found/);
    }
    expect(await broken.json("plugins")).toMatchObject({
      plugins: expect.arrayContaining([
        expect.objectContaining({
          ...{ package: "@hermes/plugin-nowhere", health: "down", detail: expect.stringContaining("not found") },
          problem: expect.objectContaining({ code: "PLUGIN_NOT_FOUND" }),
        }),
      ]),
    });
    const check = await broken.run("config", "check", "--json");
    expect(check.code).toBe(1);
    expect(JSON.parse(check.stdout)).toMatchObject({ ok: false, problems: [{ code: "PLUGIN_NOT_FOUND" }] });
  });

  it("a cloned folder's config does not run, even with a link to hermes beside it", async () => {
    await using machine = new HermesMachine();
    delete machine.environment.HERMES_CONFIG;
    rmSync(machine.configPath);
    writeFileSync(join(machine.folder, "hermes.config.mjs"), 'console.log("it was run"); export default {};');
    expect(existsSync(join(machine.folder, "node_modules/@hermes/core/bin/hermes.js"))).toBe(true);
    const { code, stdout, stderr } = await machine.run("sessions");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "There is no session yet. `hermes` begins one.\n" });
    expect(stderr).toMatch(/hermes\.config\.mjs was not loaded/);
  });

  it("a pipe called package.json in a folder above holds up no command", async () => {
    await using machine = new HermesMachine();
    delete machine.environment.HERMES_CONFIG;
    rmSync(machine.configPath);
    execFileSync("mkfifo", [join(machine.folder, "package.json")]);
    for (const command of [["sessions"], ["plugins"], ["chat", "-q", "Hello"]]) {
      expect((await machine.run(...command)).code).toBe(0);
    }
  });

  it.each([
    ["pipe", (file: string) => execFileSync("mkfifo", [file])],
    ["link to itself", (file: string) => symlinkSync("package.json", file)],
  ])("a %s called package.json holds up no set-up and no config that is code", async (_, make) => {
    await using machine = new HermesMachine();
    delete machine.environment.HERMES_CONFIG;
    rmSync(machine.configPath);
    mkdirSync(join(machine.folder, "below"));
    make(join(machine.folder, "below", "package.json"));
    const setUp = await machine.run("init", "--yes", "--format", "json", "--no-gateway", "--folder", "below");
    expect(setUp.code, setUp.stderr).toBe(0);
    const config = join(machine.folder, "below", "hermes.config.ts");
    writeFileSync(config, 'import { defineConfig } from "@hermes/core"; export default defineConfig({});');
    const { stderr } = await machine.run("--config", config, "sessions");
    expect(stderr).toContain(
      `hermes.config.ts could not be read: ${join(dirname(config), "package.json")} is no ordinary file.`,
    );
  });

  it.each(["js", "ts"])(
    "a pipe called package.json beside what a config imports holds up no command (%s)",
    async (end) => {
      await using machine = new HermesMachine();
      const config = join(machine.folder, `other.config.${end}`);
      writeFileSync(config, 'export { default } from "./parts/own.js";');
      mkdirSync(join(machine.folder, "parts"));
      writeFileSync(join(machine.folder, "parts", "own.js"), "export default {};");
      const pipe = join(machine.folder, "parts", "package.json");
      execFileSync("mkfifo", [pipe]);
      const { stderr } = await machine.run("--config", config, "sessions");
      expect(stderr).toContain(`other.config.${end} could not be read: ${pipe} is no ordinary file.`);
    },
  );

  it("a model that names none fails the turn, and the message is kept", async () => {
    await using broken = new HermesMachine({ model: "nonsense" });
    const { code, stderr } = await broken.run("chat", "-q", "Hello");
    expect(code).toBe(1);
    expect(stderr).toMatch(/nonsense/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

/** As the store gives it back: a NUL would end the text for many a program, and half a pair is no character. */
function kept(text: string): string {
  return text.toWellFormed().replaceAll("\0", "␀");
}

/** The same sentence for people and for scripts, without a stack. */
async function fails(broken: HermesMachine, exitCode: number, code: string, text: RegExp): Promise<void> {
  const forScripts = broken.run("sessions", "--json");
  const forPeople = [["sessions"], ["chat", "-q", "Hello"], ["gateway"]].map((command) => broken.run(...command));
  for (const { code: ended, stdout, stderr } of await Promise.all(forPeople)) {
    expect({ ended, stdout }, stderr).toEqual({ ended: exitCode, stdout: "" });
    expect(stderr).toMatch(text);
    expect(stderr).not.toMatch(/^\s+at |node:internal/m);
    expect(stderr.trim().split("\n").length).toBeLessThan(4);
  }
  expect(JSON.parse((await forScripts).stdout)).toMatchObject({ error: { code } });
}

/** Nothing that steers a terminal or turns the order of letters. */
function expectHarmless(text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
}

async function latestSessions() {
  return (await (await machine.store()).sessions.list({ visible: EVERY_SESSION, limit: 1 })).sessions;
}

async function count(): Promise<number> {
  return (await machine.store()).sessions.count();
}
