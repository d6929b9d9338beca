import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { CLOCK_FILE } from "./fixtures/moved-clock.ts";
import { HERMES_BIN, type HermesMachine } from "./support/hermes-process.ts";
import { machineWith, startModel } from "./support/model.ts";
import type { Screen, ScreenOptions } from "./support/screen.ts";

const [CTRL_D, LOOKS_ELSEWHERE, LOOKS_HERE] = ["\x04", "\x1b[O", "\x1b[I"] as const;
const [BELL, NOTIFICATION] = ["\x07", "\x1b]9;Hermes: asks: "] as const;
const [RED, GREEN] = [1, 2] as const;

let model: ModelServer;
let machine: HermesMachine;
let folder: string;

beforeAll(async () => {
  model = await startModel();
  const models = { known: { "openai/journey": { window: 1_000 } } };
  machine = machineWith(model, { models }, { TERM: "xterm-256color", NO_COLOR: undefined });
  folder = join(machine.folder, "work");
  mkdirSync(folder);
  writeFileSync(join(folder, "tide.txt"), "High water at noon.\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "-m", "Tide");
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

const opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened.splice(0)) screen.window.kill("SIGKILL");
});

async function openChat(...args: string[]): Promise<Screen> {
  return openScreen(args);
}

async function openScreen(args: readonly string[], options: ScreenOptions = {}): Promise<Screen> {
  const screen = await machine.startOnScreen(args, { cols: 120, rows: 30, folder, ...options });
  opened.push(screen);
  await screen.shows(/^›\n.*openai\/journey/m);
  return screen;
}

it("an edit is seen in colours; /diff, /copy, /export and /fork do what they say", async () => {
  const edit = { path: "tide.txt", old: "noon", new: "one", all: false };
  model.push({ call: [{ name: "edit", input: edit }] }, { say: "It is `one` now.", usage: { input: 300, output: 40 } });
  const screen = await openChat("--mode", "edits");
  screen.press("Move the tide\r");
  await screen.shows(/● edit {2}[\s\S]*-High water at noon\.\n[\s\S]*\+High water at one\.[\s\S]*It is one now\./);
  const colours = () =>
    ["-High water at noon.", "+High water at one."].map((line) => {
      const row = screen.everything().findLast((one) => one.trimStart().startsWith(line));
      return screen.colourOf(row ?? "");
    });
  expect(colours()).toEqual([RED, GREEN]);
  await screen.shows(/^edits · openai\/journey · 34 % of 1k · ~\/work$/m);

  const other = await openChat("attach", "Move the tide");
  await screen.shows(/^edits · openai\/journey · 34 % of 1k · also open in another terminal · ~\/work$/m);
  other.press(CTRL_D);
  await other.window.exited();

  screen.press("/diff\r");
  await screen.shows(/diff --git a\/tide\.txt [\s\S]*All changes since the last commit, whoever made them\./);
  expect(colours()).toEqual([RED, GREEN]);

  screen.press("/copy\r");
  await screen.shows("by the terminal (OSC 52");
  expect(screen.window.stdout).toContain(`\x1b]52;c;${Buffer.from("It is `one` now.").toString("base64")}\x07`);

  screen.press("/export\r");
  await screen.shows(/Wrote .*\/work\/Move-the-tide\.md \(\d+ messages\)\./);
  expect(readFileSync(join(folder, "Move-the-tide.md"), "utf8")).toMatch(/^# Move the tide\n[\s\S]*It is `one` now\./);

  screen.press("/fork\r");
  await screen.shows("You go on in Move the tide (fork)");
  screen.press("And then?\r");
  await screen.shows("Answer to: And then?");
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("It is `one` now.");
  screen.press(CTRL_D);
  expect(await screen.window.exited()).toBe(0);
  const { sessions } = await machine.json<{ readonly sessions: { readonly title: string }[] }>("sessions");
  expect(sessions.map(({ title }) => title).sort()).toEqual(["Move the tide", "Move the tide (fork)"]);
});

it("a question rings only while the window is in the background", async () => {
  const screen = await openChat();
  const asked = async (command: string) => {
    const before = screen.window.stdout.length;
    model.push({ call: [{ name: "shell", input: { command } }] }, `Without ${command}.`);
    screen.press(`Run ${command}\r`);
    await screen.shows((rows) => rows.some((row) => row.includes(command)) && /\by\b.*\bn\b/.test(rows.join("\n")));
    screen.press("n\r");
    await screen.shows(`Without ${command}.`);
    return screen.window.stdout.slice(before);
  };
  expect(await asked("touch here")).not.toContain(BELL);
  screen.press(LOOKS_ELSEWHERE);
  const rung = await asked("touch there");
  expect(rung).toContain(NOTIFICATION);
  expect(rung.slice(rung.indexOf(NOTIFICATION))).toContain(`${BELL}${BELL}`);
  screen.press(LOOKS_HERE);
  expect(await asked("touch again")).not.toContain(BELL);
});

it("a turn of over ten seconds rings when it ends with the window in the background", async () => {
  let aheadMs = 0;
  const clock = join(machine.folder, "clock");
  const later = (ms: number) => {
    aheadMs += ms;
    // In one step: it is read at any time.
    writeFileSync(`${clock}.new`, JSON.stringify({ wallMs: aheadMs, steadyMs: 0 }));
    renameSync(`${clock}.new`, clock);
  };
  later(0);
  const screen = await openScreen([], {
    script: join(import.meta.dirname, "fixtures/moved-cli.ts"),
    environment: { [CLOCK_FILE]: clock },
  });
  const ended = async (line: string, ms: number) => {
    const before = screen.window.stdout.length;
    const held = gate();
    model.push({ say: `${line} is over.`, hold: held });
    screen.press(`${line}\r`);
    await held.reached;
    later(ms);
    held.open();
    await screen.shows(`${line} is over.`);
    await screen.shows((rows) => rows.at(-2) === "›");
    return () => screen.window.stdout.slice(before);
  };
  const longHere = await ended("Long here", 10_500);
  expect(longHere()).not.toContain(BELL);
  screen.press(LOOKS_ELSEWHERE);
  const short = await ended("Short", 0);
  expect(short()).not.toContain(BELL);
  const longThere = await ended("Long there", 10_500);
  // The bell comes behind what is drawn.
  await expect.poll(longThere).toContain(`\x1b]9;Hermes: Long here is done${BELL}${BELL}`);
  screen.press(CTRL_D);
  expect(await screen.window.exited()).toBe(0);
});

it("AGENTS.md of a folder reaches the model once the folder is trusted", async () => {
  writeFileSync(join(folder, "AGENTS.md"), "Speak of tides as a harbour master does.\n");
  const ask = async (line: string) => {
    const screen = await openChat();
    screen.press(`${line}\r`);
    await screen.shows(`Answer to: ${line}`);
    screen.press(CTRL_D);
    await screen.window.exited();
    return { screen: screen.everything().join("\n"), request: JSON.stringify(model.requests.at(-1)?.body) };
  };
  const before = await ask("Before");
  expect(before.screen).toContain("AGENTS.md is left out: its folder is not trusted with it.");
  expect(before.request).not.toContain("harbour master");
  expect(await machine.startIn(folder, HERMES_BIN, "trust").exited()).toBe(0);
  const after = await ask("After");
  expect(after.screen).toContain("The agent works by AGENTS.md (41 characters).");
  expect(after.request).toContain("harbour master");
});
