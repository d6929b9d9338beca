import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gate, type ModelServer } from "@hermes/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { HermesMachine } from "./support/hermes-process.ts";
import { lastRequest, machineWith, startModel } from "./support/model.ts";
import type { Screen, ScreenOptions } from "./support/screen.ts";

const KEYS = {
  ...{ left: "\x1b[D", up: "\x1b[A", home: "\x1b[H", backspace: "\x7f", altEnter: "\x1b\r", enter: "\r" },
  ...{ ctrlC: "\x03", ctrlD: "\x04", ctrlJ: "\n", ctrlR: "\x12", undo: "\x1f", compose: "\x18\x05", tab: "\t" },
  ...{ pasteBegins: "\x1b[200~", pasteEnds: "\x1b[201~" },
} as const;

let model: ModelServer;
let machine: HermesMachine;

beforeAll(async () => {
  model = await startModel();
  machine = machineWith(model, {}, { TERM: "xterm-256color" });
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await model.close();
});

const opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened.splice(0)) screen.window.kill("SIGKILL");
});

async function openChat(options: ScreenOptions = {}, ...args: string[]): Promise<Screen> {
  const screen = await machine.startOnScreen(args, options);
  opened.push(screen);
  await screen.shows(/^›$/m);
  return screen;
}

async function leave(screen: Screen): Promise<void> {
  screen.press(`${KEYS.ctrlC}${KEYS.ctrlD}`);
  await screen.window.exited();
}

/** The rows from the prompt on, without the one below it that says where one is. */
function input(rows: readonly string[]): string[] {
  return rows.slice(
    rows.findLastIndex((row) => row.startsWith("›")),
    -1,
  );
}

/** The message that the model was asked last. */
function asked(): string {
  const request = model.requests.at(-1);
  return request === undefined ? "" : lastRequest(request);
}

describe("the input line", () => {
  it("draws a line that is longer than the screen once, wherever one writes in it", async () => {
    const screen = await openChat({ cols: 30 });
    screen.press("0123456789 123456789 123456789 123456789 end");
    await screen.shows("end");
    for (let count = 0; count < 20; count++) screen.press(`${KEYS.left}`);
    screen.press("X");
    await screen.shows((rows) => rows.join("").includes("X"));
    expect(input(screen.rows())).toEqual(["› 0123456789 123456789 123X45", "  6789 123456789 end"]);
    screen.press(`${KEYS.home}Y`);
    await screen.shows("› Y0123");
    expect(screen.rows().filter((row) => row.startsWith("›"))).toHaveLength(1);
    await leave(screen);
  });

  it.each([
    ["breaks the cursor's row anew", true, {}],
    ["leaves the cursor's row as it is", false, { TERM_PROGRAM: "vscode" }],
  ] as const)(
    "leaves no stale row behind when the window is resized, in one that %s",
    async (_, reflow, environment) => {
      const screen = await openChat({ cols: 60, rows: 16, reflowCursorLine: reflow, environment });
      screen.press("a message that is long enough to need several rows in a window that is narrow");
      await screen.shows("narrow");
      for (const cols of [31, 24, 50, 33, 70, 28]) {
        screen.resize(cols);
        const width = cols - 3;
        await screen.shows((rows) => {
          const shown = input(rows);
          const isWhole = shown
            .map((row) => row.slice(2).padEnd(width))
            .join("")
            .trimEnd()
            .endsWith("is narrow");
          return isWhole && shown.every((row) => row.length < cols) && shown.length === Math.ceil(77 / width);
        });
        expect(screen.everything().filter((row) => row.startsWith("›"))).toHaveLength(1);
        expect(screen.everything().join(" ")).toContain("Hermes");
        expect(screen.everything().join("").split("a message")).toHaveLength(2);
      }
      await leave(screen);
    },
  );

  it("a paste whose end got lost keeps no key away: Ctrl-C works, and what follows", async () => {
    const screen = await openChat();
    screen.press(`${KEYS.pasteBegins}begun`);
    await screen.shows("› begun");
    screen.press(KEYS.ctrlC);
    await screen.shows("Nothing is running");
    screen.press("Hello");
    await screen.shows("› Hello");
    screen.press(KEYS.enter);
    await screen.shows("Answer to: Hello");
    await leave(screen);
  });

  it("shows nothing of what would steer the terminal in a paste, and sends none of it", async () => {
    const screen = await openChat();
    screen.press(`${KEYS.pasteBegins}one\x1b[31m red\x1b]0;title\x07\x1b[2J\r\n\ttwo\x03\x9b1A${KEYS.pasteEnds}`);
    await screen.shows((rows) => input(rows).join("|") === "› one red|      two");
    screen.press(KEYS.enter);
    await screen.shows("Answer to");
    expect(asked()).toBe("one red\n    two");
    await leave(screen);
  });

  it("one Backspace takes away what a person sees as one character", async () => {
    const screen = await openChat();
    screen.press("family 👩‍👩‍👧");
    await screen.shows("👩‍👩‍👧");
    screen.press(KEYS.backspace);
    await screen.shows((rows) => input(rows)[0] === "› family");
    screen.press("e\u0301漢字");
    await screen.shows("漢字");
    expect(screen.cursor().column).toBe("› family e".length + 4);
    screen.press(`${KEYS.backspace}${KEYS.backspace}${KEYS.backspace}.`);
    await screen.shows((rows) => input(rows)[0] === "› family .");
    await leave(screen);
  });

  it("Alt-Enter and Ctrl-J begin a new line, and the message is found again as it was", async () => {
    const screen = await openChat();
    screen.press(`one${KEYS.altEnter}two`);
    await screen.shows((rows) => input(rows).join("|") === "› one|  two");
    screen.press(KEYS.ctrlJ);
    screen.press(`three${KEYS.enter}`);
    await screen.shows("Answer to");
    expect(asked()).toBe("one\ntwo\nthree");
    await screen.shows(/^›$/m);
    screen.press(KEYS.up);
    await screen.shows((rows) => input(rows).join("|") === "› one|  two|  three");
    await leave(screen);
    const again = await openChat();
    again.press(KEYS.up);
    await again.shows((rows) => input(rows).join("|") === "› one|  two|  three");
    await leave(again);
  });

  it("shows what is typed during an answer below it; Enter puts it in the queue", async () => {
    const held = gate();
    model.push({ say: "An answer that takes a while to be written.", hold: held });
    const screen = await openChat();
    screen.press(`First${KEYS.enter}`);
    await held.reached;
    screen.press("Second");
    await screen.shows((rows) => /^An/.test(rows.at(-3) ?? "") && rows.at(-2) === "› Second");
    screen.press(KEYS.enter);
    await screen.shows(/^An.*\n· waits its turn: Second\n›$/m);
    screen.press("third, not sent");
    await screen.shows(/^· waits its turn: Second\n› third, not sent$/m);
    held.open();
    await screen.shows("Answer to: Second");
    await screen.shows((rows) => rows.at(-2) === "› third, not sent");
    const text = screen.everything().join("\n");
    expect(text).toMatch(
      /› First\n[\s\S]*to be written\.\n[\s\S]*› Second\n[\s\S]*Answer to: Second\n[\s\S]*› third, not sent\n.*$/,
    );
    expect(text.split("to be written")).toHaveLength(2);
    expect(text).not.toContain("waits its turn");
    await leave(screen);
  });

  it("undoes what was typed, and what Ctrl-C threw away", async () => {
    const screen = await openChat();
    screen.press("one two");
    await screen.shows("› one two");
    screen.press(KEYS.undo);
    await screen.shows((rows) => input(rows)[0] === "› one");
    screen.press(KEYS.ctrlC);
    await screen.shows((rows) => input(rows)[0] === "›");
    screen.press(KEYS.undo);
    await screen.shows((rows) => input(rows)[0] === "› one");
    await leave(screen);
  });

  it("Ctrl-R finds what was typed before by a part of it", async () => {
    const screen = await openChat();
    screen.press(`Plan the harbour${KEYS.enter}`);
    await screen.shows("Answer to: Plan the harbour");
    screen.press(`Something else${KEYS.enter}`);
    await screen.shows("Answer to: Something else");
    screen.press(`${KEYS.ctrlR}harb`);
    await screen.shows(/› Plan the harbour\n {2}searched: harb/);
    screen.press(`${KEYS.tab} again${KEYS.enter}`);
    await screen.shows("Answer to: Plan the harbour again");
    await leave(screen);
  });

  it("Ctrl-X Ctrl-E lets the person write in an editor of theirs", async () => {
    const editor = join(machine.folder, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf \'%s\\nfrom the editor\\033[31m\\n\' "$(cat "$2")" > "$2"\n', {
      mode: 0o755,
    });
    const screen = await openChat({ environment: { VISUAL: `'${editor}' --wait` } });
    screen.press("begun");
    await screen.shows("› begun");
    screen.press(KEYS.compose);
    await screen.shows((rows) => input(rows).join("|") === "› begun|  from the editor");
    screen.press(KEYS.enter);
    await screen.shows("Answer to");
    expect(asked()).toBe("begun\nfrom the editor");
    await leave(screen);
  });

  it("keeps no secret in the file of what was typed", async () => {
    const secret = "hunter2-hunter2-hunter2";
    const screen = await openChat({ environment: { MY_API_KEY: secret } });
    screen.press(`The key is ${secret}${KEYS.altEnter}, is it not?${KEYS.enter}`);
    await screen.shows("Answer to");
    await leave(screen);
    const typed = readFileSync(join(machine.home, "chat-history"), "utf8");
    expect(typed).toContain("is it not?");
    expect(typed).not.toContain(secret);
  });

  it.each([{ TERM: "dumb" }, { HERMES_PLAIN: "1" }])(
    "writes text alone, each line once, with %o",
    async (environment) => {
      const screen = await machine.startOnScreen([], { environment });
      await screen.shows(/^›$/m);
      screen.press(`Hello${KEYS.enter}`);
      await screen.shows("Answer to: Hello");
      screen.press(`one\\${KEYS.enter}`);
      screen.press(`two${KEYS.enter}`);
      await screen.shows("Answer to: one");
      expect(asked()).toBe("one\ntwo");
      screen.press(KEYS.ctrlC);
      await screen.shows("Nothing is running");
      screen.press(KEYS.ctrlD);
      expect(await screen.window.exited()).toBe(0);
      for (const steering of ["\x1b", "\x9b"]) expect(screen.window.stdout).not.toContain(steering);
      expect(screen.window.stdout.split("Answer to: Hello")).toHaveLength(2);
    },
  );
});
