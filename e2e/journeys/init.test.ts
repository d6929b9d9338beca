import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "@hermes/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { afterEach, expect, it } from "vitest";
import { HermesMachine, type HermesProcess } from "../support/hermes-process.ts";
import { MODEL_KEY, startModel } from "../support/model.ts";

interface Case {
  readonly start: () => Promise<Emulator>;
  /** The variables that hold its secrets, by option. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly way?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  telegram: { start: startTelegramEmulator, secrets: { token: "TELEGRAM_BOT_TOKEN" } },
};

const machines: HermesMachine[] = [];
afterEach(async () => {
  for (const machine of machines.splice(0)) {
    await machine.run("gateway", "stop");
    await machine[Symbol.asyncDispose]();
  }
});

/** A machine with nothing on it but the packages. */
function bareMachine(environment: NodeJS.ProcessEnv = {}): {
  readonly machine: HermesMachine;
  readonly folder: string;
} {
  const machine = new HermesMachine({}, { HERMES_CONFIG: "", TERM: "xterm-256color", ...environment });
  machines.push(machine);
  rmSync(machine.configPath);
  const folder = join(machine.folder, "bot");
  mkdirSync(folder);
  return { machine, folder };
}

/** Sits at the questions: each is answered once it is asked, and counted. */
class Person {
  readonly #window: HermesProcess;
  readonly begunAt = Date.now();
  answers = 0;

  constructor(window: HermesProcess) {
    this.#window = window;
  }

  async answer(question: RegExp, text: string): Promise<void> {
    await this.#window.saysNext(question);
    this.answers++;
    this.#window.type(text);
  }

  async reads(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#window.saysNext(pattern);
  }
}

it.each(Object.entries(CASES))(
  "from nothing to a handoff on %s, with a handful of answers",
  { timeout: 120_000 },
  async (platform, { start, secrets }) => {
    await using model = await startModel();
    const emulator = await start();
    try {
      const { machine, folder } = bareMachine({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: MODEL_KEY });
      const options = Object.entries(emulator.options as Record<string, unknown>);
      const sets = options
        .filter(([option]) => !(option in secrets))
        .flatMap(([option, value]) => ["--set", `${platform}.${option}=${String(value)}`]);
      const screen = await machine.startOnScreen(["init", ...sets], { folder, cols: 120, rows: 40 });
      const person = new Person(screen.window);
      await person.answer(/Which model is to answer\? \[1\]/, "openai");
      await person.answer(/Which one\? \[1\]/, "");
      await person.answer(/Where do you want to use it\?/, platform);
      for (const option of Object.keys(secrets)) {
        await person.answer(/typed unseen/, String(options.find(([name]) => name === option)?.[1]));
      }
      const [, word = ""] = await person.reads(/Write this word to .*: (\w+)/);
      const chat = emulator.chats.find(({ kind }) => kind === "dm");
      expect(existsSync(join(folder, "hermes.config.ts"))).toBe(false);
      await person.reads(/Waiting for it/);
      await emulator.receive({ chatId: chat?.id ?? "", text: "is this on?" });
      await emulator.receive({ chatId: chat?.id ?? "", text: ` ${word.toUpperCase()} ` });
      await person.answer(/Is that you\?/, "y");
      await person.answer(/Who may talk to it/, "");
      await person.answer(/Do all that\?/, "");
      await person.reads(/It is at /);
      await person.reads(/To come back: hermes resume/);
      const seconds = ((Date.now() - person.begunAt) / 1000).toFixed(1);
      console.log(`${platform}: ${person.answers} answers and a message, ${seconds} s`);
      expect(await screen.window.exited()).toBe(0);

      expect(statSync(join(folder, ".env")).mode & 0o777).toBe(0o600);
      const env = readFileSync(join(folder, ".env"), "utf8");
      for (const variable of Object.values(secrets)) expect(env).toContain(`${variable}=`);
      expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe(".env\n");
      const config = readFileSync(join(folder, "hermes.config.ts"), "utf8");
      expect(config).toContain(`model: "openai/journey"`);
      for (const variable of Object.values(secrets)) expect(config).toContain(`process.env.${variable}`);
      const everything = screen.everything().join("\n");
      for (const option of Object.keys(secrets)) {
        expect(everything).not.toContain(String(options.find(([name]) => name === option)?.[1]));
      }
      // The word is answered by nobody, and what was written meanwhile neither.
      expect(emulator.messages(chat?.id ?? "").filter(({ author }) => author === "bot")).toEqual([]);
    } finally {
      await emulator.close();
    }
  },
);
