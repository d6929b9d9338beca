/**
 * Makes the pictures of the README from the running product: a set-up and a chat in a real terminal, its handoff, and the
 * page as a wide and as a phone's browser shows it. The answers are scripted, since a picture has to come out the same
 * each time. `npm run screenshots` writes docs/images/*.png.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { createModelServer } from "@hermes/testing";
import { type Browser, chromium } from "playwright-core";
import { HERMES_BIN, HermesMachine } from "../e2e/support/hermes-process.ts";
import { readOptions } from "./options.ts";

readOptions(
  "npm run screenshots\n\nMakes the pictures of the README from the running product: docs/images/*.png.",
  (args) => parseArgs({ args: [...args] }),
);

const IMAGES = join(import.meta.dirname, "../docs/images");
const COLUMNS = 100;

const PLAN = `Three days, two people, mostly on foot:

| day | morning | afternoon |
| --- | --- | --- |
| **1** | Colosseum and Forum | Monti, then the Capitoline terrace |
| **2** | Vatican Museums (book *8:30*) | Castel Sant'Angelo, Trastevere |
| **3** | Villa Borghese | Pantheon, Piazza Navona |

Shall I look for places to stay near **Monti**?`;

const WHERE_IT_STANDS = `You asked for **three days in Rome for two**. The plan is drafted:

1. Colosseum and Forum, then Monti
2. Vatican Museums, then Trastevere
3. Villa Borghese, then the old centre

Open: where to stay. I would look near *Monti* next.`;

const MUSEUMS = `**Day 2**, at 8:30. The Vatican Museums are calmest when they open, and on *Wednesdays* the morning audience
keeps many people in the square.

\`\`\`text
08:30  entrance, straight to the Sistine Chapel
10:00  Raphael's rooms
11:30  out through the spiral staircase
\`\`\``;

await using models = await createModelServer([PLAN, WHERE_IT_STANDS, MUSEUMS]);
await using machine = new HermesMachine(
  { model: "openai/gpt-5", plugins: [["@hermes/plugin-web", { port: 8765 }]] },
  modelAt(models.url),
);

interface RecordedWindow {
  /** Waits until the terminal says that, behind what was waited for before. Resolves with the pattern's group. */
  says(pattern: RegExp): Promise<string>;
  type(line: string): void;
}

mkdirSync(IMAGES, { recursive: true });
await machine.startGateway();

const setup = await recordSetup();
const recording = await recordChat();
const browser = await chromium.launch({
  executablePath: process.env.HERMES_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
});
try {
  await pictureOfTerminal(browser, setup, "init.png");
  await pictureOfTerminal(browser, recording.output, "terminal.png");
  await picturesOfPage(browser, recording.link);
} finally {
  await browser.close();
}

function modelAt(url: string): NodeJS.ProcessEnv {
  return { OPENAI_API_KEY: "none-is-needed-here", OPENAI_BASE_URL: url, NO_COLOR: "" };
}

/** Runs `hermes` in a pseudo-terminal for a person who acts by `steps`. Resolves with what it wrote. */
async function record(
  at: HermesMachine,
  { args = [], folder = at.folder }: { readonly args?: readonly string[]; readonly folder?: string },
  steps: (window: RecordedWindow) => Promise<void>,
): Promise<string> {
  const words = [process.execPath, HERMES_BIN, ...args].map((word) => `"${word}"`).join(" ");
  const child = spawn("script", ["-qefc", `stty cols ${COLUMNS} rows 60; exec ${words}`, "/dev/null"], {
    cwd: folder,
    env: { ...at.environment, NO_COLOR: undefined, TERM: "xterm-256color", FORCE_COLOR: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let read = 0;
  await steps({
    async says(pattern) {
      const said = () => stripVTControlCharacters(output).slice(read);
      await at.until(() => pattern.test(said()), `${pattern} in the terminal`);
      const found = pattern.exec(said());
      read += (found?.index ?? 0) + (found?.[0].length ?? 0);
      return found?.[1] ?? "";
    },
    type: (line) => void child.stdin.write(`${line}\r`),
  });
  await ended;
  return output;
}

/** A chat: a question, its answer, and the handoff. */
async function recordChat(): Promise<{ readonly output: string; readonly link: string }> {
  const output = await record(machine, {}, async ({ says, type }) => {
    await says(/›|>/);
    type("Plan three days in Rome for two people.");
    await says(/places to stay[\s\S]*›/);
    type("/title Trip to Rome");
    await says(/Trip to Rome[\s\S]*›/);
    type("/handoff web");
  });
  const link = /http:\/\/\S+#code=[\w-]+/.exec(output)?.[0];
  if (link === undefined) throw new Error(`the terminal printed no link:\n${output}`);
  return { output, link };
}

/** A set-up, from nothing to a handoff to Telegram, whose part an emulator plays. */
async function recordSetup(): Promise<string> {
  await using model = await createModelServer([
    "I am here. What shall we do first?",
    "You have just set me up; nothing is begun yet. Write here, or go on in the terminal.",
  ]);
  const telegram = await startTelegramEmulator();
  await using bare = new HermesMachine({}, { ...modelAt(model.url), HERMES_CONFIG: "" });
  try {
    rmSync(bare.configPath);
    const folder = join(bare.folder, "bot");
    mkdirSync(folder);
    const chatId = telegram.chats.find(({ kind }) => kind === "dm")?.id ?? "";
    const args = ["init", "--set", `telegram.apiRoot=${telegram.options.apiRoot}`];
    const output = await record(bare, { args, folder }, async ({ says, type }) => {
      await says(/Which model should answer\?/);
      type("openai");
      await says(/Which one\?/);
      type("");
      await says(/Where do you want to use it\?/);
      type("telegram");
      await says(/typed unseen/);
      type(String(telegram.options.token));
      const word = await says(/Write this word to .*: (\w+)/);
      await says(/Waiting for it/);
      await telegram.receive({ chatId, text: word });
      await says(/Is that you\?/);
      type("y");
      await says(/Who may talk to it/);
      type("");
      await says(/Do all that\?/);
      type("");
      await says(/To come back/);
    });
    await bare.run("gateway", "stop");
    return output.replaceAll(bare.folder, "~");
  } finally {
    await telegram.close();
  }
}

/**
 * What the terminal showed, drawn by a terminal in the browser. The code of the link is a secret for two minutes, so it
 * is cut.
 */
async function pictureOfTerminal(within: Browser, output: string, name: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const page = await within.newPage({ deviceScaleFactor: 2 });
  await page.setContent(`<style>${readFileSync(require.resolve("@xterm/xterm/css/xterm.css"), "utf8")}
    body { margin: 0; display: inline-block; padding: 18px; background: #14161b; }</style><div id="terminal"></div>`);
  await page.addScriptTag({ path: require.resolve("@xterm/xterm") });
  const shown = output.replaceAll(/#code=[\w-]+/g, "#code=…");
  await page.evaluate(
    ({ text, columns }) =>
      new Promise<void>((resolve) => {
        const Terminal = Reflect.get(globalThis, "Terminal");
        const theme = { background: "#14161b", foreground: "#e4e6eb", cursor: "#14161b" };
        const look = { fontSize: 14, lineHeight: 1.2, theme, convertEol: true };
        const terminal = new Terminal({ cols: columns, rows: 120, ...look });
        terminal.open(document.getElementById("terminal"));
        terminal.write(text, () => {
          // As high as what stays: rows that were drawn meanwhile and are gone again leave no room below.
          let rows = 120;
          while (rows > 1 && terminal.buffer.active.getLine(rows - 1).translateToString(true) === "") rows--;
          terminal.resize(columns, rows + 1);
          resolve();
        });
      }),
    { text: shown, columns: COLUMNS },
  );
  await page.waitForTimeout(300);
  await page.locator("body").screenshot({ path: join(IMAGES, name) });
  await page.close();
}

/** The thread right after the handoff, gone on with by a person, wide and on a phone. */
async function picturesOfPage(within: Browser, link: string): Promise<void> {
  const context = await within.newContext({ viewport: { width: 1200, height: 800 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByText("Open: where to stay").waitFor();
  const composer = page.getByRole("textbox");
  await composer.fill("Which day is best for the museums?");
  await composer.press("Enter");
  await page.getByText("spiral staircase").waitFor();
  await page.screenshot({ path: join(IMAGES, "page-wide.png") });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(IMAGES, "page-phone.png") });
  await context.close();
}
