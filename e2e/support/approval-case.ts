import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@hermes/core/embed";
import type { EmulatedChat, EmulatedMessage, Emulator, EmulatorFailure } from "@hermes/emulator";
import { startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { startEmulator as startWhatsAppEmulator } from "@hermes/plugin-whatsapp/emulator";
import { createModelServer, type ModelServer, type ReplyTo } from "@hermes/testing";
import type { HermesMachine } from "./hermes-process.ts";
import { machineWith, startModel } from "./model.ts";
import { openPage, type Page } from "./page.ts";

/** A platform on which a question is answered, as a person there sees it. */
export interface AnsweringPlace extends AsyncDisposable {
  readonly name: string;
  /** The plugin as the config has it. */
  readonly plugin: readonly unknown[];
  /** What Hermes says there, in every chat and thread, oldest first. */
  said(): Promise<readonly string[]>;
  /** Answers the open question: by its button where there is one, else by a word. */
  answer(decision: "yes" | "no"): Promise<void>;
  /** Scripts a failure of the platform. Throws where it has no emulator. */
  fail(failure: EmulatorFailure): void;
}

const EMULATORS: Readonly<Record<string, () => Promise<Emulator>>> = {
  telegram: startTelegramEmulator,
  discord: startDiscordEmulator,
  slack: startSlackEmulator,
  signal: startSignalEmulator,
  matrix: startMatrixEmulator,
  whatsapp: startWhatsAppEmulator,
};

export const PLACES: readonly string[] = ["web", ...Object.keys(EMULATORS)];

export async function openPlace(name: string): Promise<AnsweringPlace & { attach(machine: HermesMachine): void }> {
  const start = EMULATORS[name];
  return start === undefined ? new PagePlace() : new EmulatedPlace(name, await start());
}

const LABELS = { yes: "Allow once", no: "No" } as const;

class EmulatedPlace implements AnsweringPlace {
  readonly name: string;
  readonly emulator: Emulator;
  readonly #home: EmulatedChat;

  constructor(name: string, emulator: Emulator) {
    this.name = name;
    this.emulator = emulator;
    const home = emulator.chats.find(({ kind }) => kind === "dm");
    if (home === undefined) throw new Error(`${name} has no private chat`);
    this.#home = home;
  }

  attach(): void {}

  fail(failure: EmulatorFailure): void {
    this.emulator.fail(failure);
  }

  get plugin() {
    const operators = [this.emulator.people[0]?.id];
    return [
      `@hermes/plugin-${this.name}`,
      { ...this.emulator.options, homeChannel: { chatId: this.#home.id }, operators },
    ];
  }

  #messages(): readonly (EmulatedMessage & { readonly threadId: string | undefined })[] {
    const threads = [undefined, ...this.emulator.threads(this.#home.id).map(({ id }) => id)];
    return threads.flatMap((threadId) =>
      this.emulator.messages(this.#home.id, threadId).map((message) => ({ ...message, threadId })),
    );
  }

  async said(): Promise<readonly string[]> {
    return this.#messages()
      .filter(({ author }) => author === "bot")
      .map(({ text }) => text);
  }

  async answer(decision: "yes" | "no"): Promise<void> {
    const question = this.#messages().findLast(({ author, text }) => author === "bot" && /Answer yes or no/.test(text));
    if (question === undefined) throw new Error(`${this.name} shows no question`);
    const { id: messageId, threadId, choices = [] } = question;
    const at = { chatId: this.#home.id, ...(threadId === undefined ? {} : { threadId }) };
    const label = LABELS[decision];
    if (this.emulator.press && choices.includes(label)) await this.emulator.press({ ...at, messageId, label });
    else await this.emulator.receive({ ...at, text: decision });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
  }
}

class PagePlace implements AnsweringPlace {
  readonly name = "web";
  readonly plugin = ["@hermes/plugin-web", { port: 0 }];
  #machine: HermesMachine | null = null;
  #page: Page | null = null;

  attach(machine: HermesMachine): void {
    this.#machine = machine;
  }

  async #opened(): Promise<Page> {
    if (this.#machine === null) throw new Error("the page has no machine");
    // A gateway that was started again has another port.
    if (this.#page === null || !(await this.#page.chats().then(Boolean, () => false))) {
      this.#page = await openPage(this.#machine);
    }
    return this.#page;
  }

  async #threads() {
    const page = await this.#opened();
    const { threads } = await page.chats();
    return Promise.all(threads.map(async ({ id }) => ({ id, messages: (await page.messages(id)).messages })));
  }

  async said(): Promise<readonly string[]> {
    return (await this.#threads()).flatMap(({ messages }) => messages.map(({ text }) => text));
  }

  async answer(decision: "yes" | "no"): Promise<void> {
    for (const { id, messages } of await this.#threads()) {
      const question = messages.findLast(({ choices = [] }) => choices.length > 0);
      const choice = question?.choices?.find(({ label }) => label === LABELS[decision]);
      if (question && choice) return void (await (await this.#opened()).press(id, question.id, choice.id));
    }
    throw new Error("the page shows no question");
  }

  fail(): void {
    throw new Error("the page has no emulator");
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The command that the agent wants to run: what it leaves behind shows how often it ran. */
export const COMMAND = "echo ran >> ran.txt; echo the-result-of-it";

/** A machine with one platform, a model that wants to run a command, and a session's folder. */
export class ApprovalCase implements AsyncDisposable {
  readonly folder: string;

  readonly place: Awaited<ReturnType<typeof openPlace>>;
  readonly model: ModelServer;
  readonly machine: HermesMachine;

  private constructor(place: Awaited<ReturnType<typeof openPlace>>, model: ModelServer, machine: HermesMachine) {
    this.place = place;
    this.model = model;
    this.machine = machine;
    this.folder = join(realpathSync(machine.folder), "work");
    mkdirSync(this.folder);
  }

  /** `otherwise`: what the model says when it has asked for the command; by default it repeats the request. */
  static async begin(platform: string, otherwise?: ReplyTo): Promise<ApprovalCase> {
    const place = await openPlace(platform);
    const wanted = { call: [{ name: "shell", input: { command: COMMAND } }] };
    const model = otherwise === undefined ? await startModel(wanted) : await createModelServer([], { otherwise });
    const machine = machineWith(model, { plugins: [place.plugin] });
    place.attach(machine);
    return new ApprovalCase(place, model, machine);
  }

  /** The session that waits for its answer. */
  async waitingSession(): Promise<SessionId> {
    const store = await this.machine.store();
    let found: SessionId | undefined;
    await this.machine.until(async () => {
      found = (await store.approvals.open())[0]?.sessionId;
      return found !== undefined;
    }, "a question");
    if (found === undefined) throw new Error("unreachable");
    return found;
  }

  /** How often the command ran. */
  get ran(): number {
    const file = join(this.folder, "ran.txt");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  }

  /** Waits until the account is served, and what was kept there has been dealt with. */
  async settled(): Promise<void> {
    const { inbox, gateways } = await this.machine.store();
    await this.machine.until(async () => {
      const isServed = (await gateways.alive()).some(({ platforms }) =>
        platforms.every(({ health }) => health.state === "up"),
      );
      return isServed && (await inbox.openLanes(this.place.name, undefined)).length === 0;
    }, "the end of what was kept");
  }

  async asksThere(): Promise<void> {
    await this.machine.until(async () => {
      const said = await this.place.said().catch(() => []);
      return said.some((text) => /Answer yes or no/.test(text));
    }, `the question on ${this.place.name}`);
  }

  async saysThere(pattern: RegExp): Promise<void> {
    await this.machine.until(async () => {
      const said = await this.place.said().catch(() => []);
      return said.some((text) => pattern.test(text));
    }, `${pattern} on ${this.place.name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine[Symbol.asyncDispose]();
    await this.place[Symbol.asyncDispose]();
    await this.model.close();
  }
}
