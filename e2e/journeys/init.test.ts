import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "@hermes/emulator";
import { startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { startWhatsAppCloudEmulator } from "@hermes/plugin-whatsapp/emulator";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { HermesMachine, type HermesProcess } from "../support/hermes-process.ts";
import { MODEL_KEY, machineWith, startModel } from "../support/model.ts";

interface Case {
  readonly start: () => Promise<Emulator>;
  /** The variables that hold its secrets, by option. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The way to use it, where there are several. */
  readonly way?: string;
  /** Answers to what is asked beside that. */
  readonly more?: readonly (readonly [question: RegExp, answer: string])[];
  /** The same before its secrets. */
  readonly answers?: readonly (readonly [question: RegExp, answer: string])[];
}

const CASES: Readonly<Record<string, Case>> = {
  telegram: { start: startTelegramEmulator, secrets: { token: "TELEGRAM_BOT_TOKEN" } },
  discord: { start: startDiscordEmulator, secrets: { token: "DISCORD_BOT_TOKEN" } },
  slack: { start: startSlackEmulator, secrets: { botToken: "SLACK_BOT_TOKEN", appToken: "SLACK_APP_TOKEN" } },
  signal: {
    start: startSignalEmulator,
    secrets: {},
    way: "number",
    answers: [[/The number that Hermes writes as/, ""]],
  },
  imessage: { start: startBlueBubblesEmulator, secrets: { password: "BLUEBUBBLES_PASSWORD" }, way: "own" },
  whatsapp: {
    start: startWhatsAppCloudEmulator,
    secrets: {
      accessToken: "WHATSAPP_ACCESS_TOKEN",
      appSecret: "WHATSAPP_APP_SECRET",
      verifyToken: "WHATSAPP_VERIFY_TOKEN",
    },
    way: "cloud",
  },
  matrix: {
    start: startMatrixEmulator,
    secrets: { accessToken: "MATRIX_ACCESS_TOKEN" },
    way: "token",
    // Its bot is in the rooms of the emulator already.
    more: [[/The id of a room/, ""]],
  },
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

/** What the config has, beside the secrets, to reach the emulator instead of the platform. */
function setsOf(platform: string, { options }: Emulator, secrets: Case["secrets"]): string[] {
  const others = Object.entries(options as Record<string, unknown>).filter(([option]) => !(option in secrets));
  const written = others.map(
    ([option, value]) => `${option}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return written.flatMap((set) => ["--set", `${platform}.${set}`]);
}

it.each(Object.entries(CASES))(
  "from nothing to a handoff on %s, with a handful of answers",
  async (platform, { start, secrets, way, answers = [], more = [] }) => {
    await using model = await startModel();
    const emulator = await start();
    try {
      const { machine, folder } = bareMachine({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: MODEL_KEY });
      const chatId = emulator.chats.find(({ kind }) => kind === "dm")?.id ?? "";
      const secretsTyped = Object.keys(secrets).map((option) => String(Object(emulator.options)[option]));
      const args = ["init", ...setsOf(platform, emulator, secrets)];
      const screen = await machine.startOnScreen(args, { folder, cols: 120, rows: 40 });
      const person = new Person(screen.window);
      await person.answer(/Which model should answer\? \[1\]/, "openai");
      await person.answer(/Which one\? \[1\]/, "");
      await person.answer(/Where do you want to use it\?/, platform);
      if (way !== undefined) await person.answer(/How do you want to use/, way);
      for (const [question, answer] of answers) await person.answer(question, answer);
      for (const secret of secretsTyped) {
        await person.answer(/typed unseen/, secret);
        await person.reads(/: •{8}\r?\n/);
      }
      for (const [question, answer] of more) await person.answer(question, answer);

      const [, word = ""] = await person.reads(/Write this word to .*: (\w+)/);
      await person.reads(/Waiting for it/);
      await emulator.receive({ chatId, text: "is this on?" });
      await emulator.receive({ chatId, text: ` ${word.toUpperCase()} ` });
      await person.answer(/Is that you\?/, "y");
      await person.answer(/Who may talk to it/, "");
      await person.reads(/Do all that\?/);
      // Up to here nothing is written, and nobody was answered.
      expect(readdirSync(folder)).toEqual([]);
      expect(emulator.messages(chatId).filter(({ author }) => author === "bot")).toEqual([]);
      await person.answer(/\(Y\/n\)/, "");
      await person.reads(/It is at /);
      await person.reads(/To come back: hermes resume/);
      const seconds = ((Date.now() - person.begunAt) / 1000).toFixed(1);
      console.log(`${platform}: ${person.answers} answers and a message, ${seconds} s`);
      expect(await screen.window.exited()).toBe(0);

      const read = (name: string) => readFileSync(join(folder, name), "utf8");
      expect(statSync(join(folder, ".env")).mode & 0o777).toBe(0o600);
      expect(read(".gitignore")).toBe(".env\n");
      expect(read("hermes.config.ts")).toContain(`model: "openai/journey"`);
      const everything = screen.everything().join("\n");
      for (const [at, variable] of Object.values(secrets).entries()) {
        expect(read(".env")).toContain(`${variable}=`);
        expect(read("hermes.config.ts")).toContain(`process.env.${variable}`);
        expect(read("hermes.config.ts") + everything).not.toContain(secretsTyped[at]);
      }
      // Who confirmed is the operator, by the platform's own word.
      const homes = await (await machine.store()).homePeople.list();
      expect(homes).toMatchObject([{ platform, isPrivate: true, person: expect.any(String) }]);
    } finally {
      await emulator.close();
    }
  },
);

it("three answers lead from nothing to a handoff to the page", async () => {
  const { machine, folder } = bareMachine();
  const screen = await machine.startOnScreen(["init", "--set", "web.port=0"], { folder, cols: 120, rows: 40 });
  const person = new Person(screen.window);
  await person.answer(/Which model should answer\? \[1\]/, "none");
  await person.answer(/Where do you want to use it\?/, "");
  await person.answer(/Do all that\?/, "");
  const [link] = await person.reads(/http:\/\/127\.0\.0\.1:\d+\/t\/\S+/);
  await person.reads(/To come back: hermes resume/);
  const seconds = ((Date.now() - person.begunAt) / 1000).toFixed(1);
  console.log(`web: ${person.answers} answers, ${seconds} s`);
  expect(await screen.window.exited()).toBe(0);
  expect((await fetch(link)).status).toBe(200);
});

const PROVIDERS = {
  google: { address: "GOOGLE_GEMINI_BASE_URL", key: "GEMINI_API_KEY" },
  openai: { address: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
  anthropic: { address: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
};

it.each(Object.entries(PROVIDERS))(
  "with a typed key, %s answers from the page's first handoff on",
  async (provider, { address, key }) => {
    await using model = await startModel();
    const at = provider === "openai" ? model.url : model.url.replace("/v1", "");
    const { machine, folder } = bareMachine({ [address]: at });
    const screen = await machine.startOnScreen(["init", "--set", "web.port=0"], { folder, cols: 120, rows: 40 });
    const person = new Person(screen.window);
    await person.answer(/Which model should answer\? \[1\]/, provider);
    await person.answer(/typed unseen/, MODEL_KEY);
    await person.answer(/takes the key[\s\S]*Which one\? \[1\]/, "");
    await person.answer(/Where do you want to use it\?/, "");
    await person.answer(/Do all that\?/, "");
    await person.reads(/To come back: hermes resume/);
    expect(await screen.window.exited()).toBe(0);
    expect(readFileSync(join(folder, "hermes.config.ts"), "utf8")).toContain(`model: "${provider}/journey"`);
    expect(readFileSync(join(folder, ".env"), "utf8")).toContain(`${key}=${MODEL_KEY}`);
    expect(screen.everything().join("\n")).not.toContain(MODEL_KEY);
    // The handoff was answered already, by the provider's own protocol.
    expect(new Set(model.requests.map(({ protocol }) => protocol))).toEqual(new Set([provider]));
    const { stdout } = await machine.run("--config", join(folder, "hermes.config.ts"), "chat", "-q", "Who are you?");
    expect(stdout).toContain("Answer to: Who are you?");
  },
);

describe("a server of one's own that speaks OpenAI's chat completions", () => {
  it.each([
    ["with a key", MODEL_KEY, "list"],
    ["without a key", "", "list"],
    ["without a list of models", "", "typed"],
  ] as const)("%s it answers from the page's first handoff on", async (_, key, models) => {
    await using model = await startModel();
    await using proxy = await withoutModels(model.url);
    const address = models === "list" ? model.url : proxy.url;
    const { machine, folder } = bareMachine();
    const screen = await machine.startOnScreen(["init", "--set", "web.port=0"], { folder, cols: 120, rows: 40 });
    const person = new Person(screen.window);
    await person.answer(/Which model should answer\? \[1\]/, "other");
    await person.answer(/Its address/, "my server");
    await person.answer(/begins with http[\s\S]*Its address/, `http://127.0.0.1:${await freePort()}`);
    await person.answer(/Its key/, "");
    // Where nothing listens: said, and asked again.
    await person.answer(/did not list its models[\s\S]*Its address/, address.replace("/v1", ""));
    await person.answer(/Its key/, key);
    await person.reads(/answers; it is called own/);
    if (models === "list") await person.answer(/Which one\? \[1\]/, "");
    else await person.answer(/does not list its models[\s\S]*The model's name:/, "journey");
    await person.answer(/Where do you want to use it\?/, "");
    await person.answer(/Do all that\?/, "");
    await person.reads(/To come back: hermes resume/);
    expect(await screen.window.exited()).toBe(0);
    const config = readFileSync(join(folder, "hermes.config.ts"), "utf8");
    expect(config).toContain('model: "own/journey"');
    expect(config).toContain(`baseUrl: "${address}"`);
    expect(config.includes("process.env.OWN_API_KEY")).toBe(key !== "");
    if (key !== "") expect(readFileSync(join(folder, ".env"), "utf8")).toContain(`OWN_API_KEY=${key}`);
    expect(config + screen.everything().join("\n")).not.toContain(MODEL_KEY);
    const { stdout } = await machine.run("--config", join(folder, "hermes.config.ts"), "chat", "-q", "Who are you?");
    expect(stdout).toContain("Answer to: Who are you?");
  });

  /** The server at `target`, but for its list of models. */
  async function withoutModels(target: string): Promise<AsyncDisposable & { readonly url: string }> {
    const server = createServer(async (request, response) => {
      if (request.url?.endsWith("/models")) {
        response.writeHead(404).end();
        return;
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = { "content-type": "application/json", authorization: request.headers.authorization ?? "" };
      const path = (request.url ?? "").replace(/^\/v1/, "");
      const answer = await fetch(target + path, { method: "POST", headers, body: Buffer.concat(chunks) });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}/v1`,
      [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
    };
  }
});

it("a gateway that was stopped for the home search runs again after Ctrl-C", async () => {
  await using model = await startModel();
  const telegram = await startTelegramEmulator();
  try {
    const chatId = telegram.chats.find(({ kind }) => kind === "dm")?.id ?? "";
    const options = { ...telegram.options, allowedUsers: ["*"] };
    const environment = { TERM: "xterm-256color", HOME: tmpdir() };
    const machine = machineWith(model, { plugins: [["@hermes/plugin-telegram", options]] }, environment);
    machines.push(machine);
    await machine.run("gateway", "--detach");
    const screen = await machine.startOnScreen(["init"], { cols: 120, rows: 40 });
    const person = new Person(screen.window);
    await person.answer(/What do you want to change\?/, "telegram");
    await person.answer(/What do you want to change about Telegram\?/, "home channel");
    await person.answer(/Stop the gateway meanwhile\?/, "y");
    await person.reads(/Waiting for it/);
    await telegram.receive({ chatId, text: "Meanwhile" });
    screen.press("\x03");
    await person.reads(/The gateway runs again/);
    await screen.window.exited();
    const answered = () => telegram.messages(chatId).some(({ text }) => /^Answer to: .*Meanwhile/s.test(text));
    await machine.until(answered, "the answer");
  } finally {
    await telegram.close();
  }
});

it("Ctrl-C on a plain terminal leaves nothing behind", async () => {
  const { machine, folder } = bareMachine({ HERMES_PLAIN: "1" });
  const screen = await machine.startOnScreen(["init"], { folder, cols: 120, rows: 40 });
  const person = new Person(screen.window);
  await person.answer(/Which model should answer\? \[1\]/, "none");
  await person.answer(/Where do you want to use it\?/, "telegram");
  await person.reads(/typed unseen.*:/);
  screen.press("123456789:secret-of-nobody\x03");
  await person.reads(/nothing was written/);
  await screen.window.exited();
  expect(readdirSync(folder)).toEqual([]);
  expect(screen.everything().join("\n")).not.toContain("secret-of-nobody");
});
