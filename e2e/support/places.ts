import { join } from "node:path";
import type { EmulatedChat, Emulator, EmulatorFailure } from "@hermes/emulator";
import { startDiscordEmulator } from "@hermes/plugin-discord/emulator";
import { startBlueBubblesEmulator } from "@hermes/plugin-imessage/emulator";
import { startMatrixEmulator } from "@hermes/plugin-matrix/emulator";
import { startSignalEmulator } from "@hermes/plugin-signal/emulator";
import { startSlackEmulator } from "@hermes/plugin-slack/emulator";
import { startTelegramEmulator } from "@hermes/plugin-telegram/emulator";
import { startEmulator as startWhatsAppEmulator } from "@hermes/plugin-whatsapp/emulator";
import { openWebFile } from "../../plugins/web/src/storage/web-file.ts";
import { BrowserClient } from "../../plugins/web/test/browser-client.ts";
import type { HermesMachine } from "./hermes-process.ts";
import { Page } from "./page.ts";

const EMULATORS: Readonly<Record<string, () => Promise<Emulator>>> = {
  telegram: startTelegramEmulator,
  discord: startDiscordEmulator,
  slack: startSlackEmulator,
  signal: startSignalEmulator,
  imessage: startBlueBubblesEmulator,
  matrix: startMatrixEmulator,
  whatsapp: startWhatsAppEmulator,
};

export const PLACES: readonly string[] = ["web", ...Object.keys(EMULATORS)];

/** Where a message stands: in a chat, or in a thread of it. */
export interface Spot {
  readonly chatId: string;
  readonly threadId?: string;
}

/** A message of the bot as people there see it. */
export interface SaidThere extends Spot {
  readonly id: string;
  readonly text: string;
  readonly choices: readonly string[];
}

/** A platform with its home channel, as the person there sees it. */
export interface Place extends AsyncDisposable {
  readonly name: string;
  /** Whether a handoff opens a thread there. */
  readonly hasThreads: boolean;
  /** The plugin as the config has it. */
  readonly plugin: readonly unknown[];
  /** The chats besides the home channel. */
  readonly others: readonly EmulatedChat[];
  /** What a command begins with there. */
  readonly prefix: "/" | "!";
  /** The page is served by the machine's gateway; the others are here already. */
  attach(machine: HermesMachine): void;
  /** What Hermes has said in all chats and threads, oldest first in each. */
  messages(): Promise<readonly SaidThere[]>;
  /** The threads of the home channel. */
  threads(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Writes as the operator, by default in the home channel. */
  write(text: string, at?: Spot, options?: { readonly mentions: boolean }): Promise<void>;
  /** Presses a choice of a message. False where there are no buttons. */
  press(message: SaidThere, label: string): Promise<boolean>;
  /** Scripts a failure of the platform. Throws where it has no emulator. */
  fail(failure: EmulatorFailure): void;
  heal(): void;
}

/** `home`: which chat is the home channel. `threads` takes one with threads where there is one. */
export async function openPlace(name: string, home: "private" | "threads" = "private"): Promise<Place> {
  const start = EMULATORS[name];
  if (start === undefined) return new PagePlace();
  const emulator = await start();
  const isPrivate = ({ kind }: EmulatedChat) => kind === "dm";
  const threaded = emulator.chats.filter(({ hasThreads, label }) => hasThreads && !/forum|media/i.test(label));
  const chosen = home === "threads" ? (threaded.find(isPrivate) ?? threaded[0]) : undefined;
  const chat = chosen ?? emulator.chats.find(isPrivate);
  if (chat === undefined) throw new Error(`${name} has no private chat`);
  return new EmulatedPlace(emulator, chat);
}

export class EmulatedPlace implements Place {
  readonly emulator: Emulator;
  readonly #home: EmulatedChat;

  constructor(emulator: Emulator, home: EmulatedChat) {
    this.emulator = emulator;
    this.#home = home;
  }

  get name() {
    return this.emulator.platform;
  }

  get hasThreads() {
    return this.#home.hasThreads;
  }

  get others() {
    return this.emulator.chats.filter(({ id }) => id !== this.#home.id);
  }

  get prefix() {
    return ["slack", "matrix"].includes(this.name) ? "!" : "/";
  }

  get plugin() {
    const { id: chatId, kind } = this.#home;
    const homeChannel = { chatId, ...(kind === "dm" ? {} : { shared: true }) };
    const operators = [this.emulator.people[0]?.id];
    return [`@hermes/plugin-${this.name}`, { ...this.emulator.options, homeChannel, operators }];
  }

  attach(): void {}

  fail(failure: EmulatorFailure): void {
    this.emulator.fail(failure);
  }

  heal(): void {
    this.emulator.heal();
  }

  async messages(): Promise<readonly SaidThere[]> {
    return this.emulator.chats.flatMap(({ id: chatId, hasThreads }) => {
      const threads = hasThreads ? this.emulator.threads(chatId) : [];
      return [undefined, ...threads.map(({ id }) => id)].flatMap((threadId) =>
        this.emulator
          .messages(chatId, threadId)
          .filter(({ author }) => author === "bot")
          .map(({ id, text, choices = [] }) => ({
            ...{ id, text, choices, chatId },
            ...(threadId === undefined ? {} : { threadId }),
          })),
      );
    });
  }

  async threads() {
    return this.#home.hasThreads ? this.emulator.threads(this.#home.id) : [];
  }

  async write(text: string, at: Spot = { chatId: this.#home.id }, options = { mentions: false }): Promise<void> {
    await this.emulator.receive({ ...spotOf(at), text, ...options });
  }

  async press(message: SaidThere, label: string): Promise<boolean> {
    if (!this.emulator.press || !message.choices.includes(label)) return false;
    await this.emulator.press({ ...spotOf(message), messageId: message.id, label });
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.emulator.close();
  }
}

/** A browser that gets no answer asks again; a stopped gateway gives none. */
async function rejectedLate(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 5_000).unref());
  throw new Error("the page gave no answer");
}

function spotOf({ chatId, threadId }: Spot): Spot {
  return { chatId, ...(threadId === undefined ? {} : { threadId }) };
}

const HOME = "home";

/** In how many threads an answer may grow at a time. */
const GROWING = 3;

/** The page, asked as a browser that is signed in does; whichever gateway serves it. */
class PagePlace implements Place {
  readonly name = "web";
  readonly hasThreads = true;
  readonly plugin = ["@hermes/plugin-web", { port: 0, limits: { messagesPerMinute: 10_000 } }];
  readonly others = [];
  readonly prefix = "/";
  #machine: HermesMachine | null = null;
  #client: BrowserClient | null = null;
  #written = 0;
  /** What stood in a thread when it was last changed. */
  readonly #read = new Map<string, { readonly change: number; readonly said: readonly SaidThere[] }>();

  attach(machine: HermesMachine): void {
    this.#machine = machine;
  }

  /** A gateway that was started again may have another port; the browser stays signed in. */
  async #page(): Promise<Page> {
    if (this.#machine === null) throw new Error("the page has no machine");
    using file = openWebFile(join(this.#machine.home, "plugins/web"), { now: Date.now(), busyMs: 2_000 });
    const { baseUrl } = file.meta;
    if (baseUrl === null) throw new Error("the page was never served");
    const { origin } = new URL(baseUrl);
    if (this.#client?.baseUrl !== origin) {
      const client = new BrowserClient(origin);
      if (this.#client !== null) client.cookie = this.#client.cookie;
      else await client.signIn(`${origin}/#code=${file.signIns.mintCode(Date.now())}`);
      this.#client = client;
    }
    return new Page(this.#client);
  }

  messages(): Promise<readonly SaidThere[]> {
    return this.#onceServed(() => this.#messages());
  }

  /** A page that is not served now is loaded again, until another gateway serves it. */
  async #onceServed<T>(load: () => Promise<T>): Promise<T> {
    let loaded: { readonly value: T } | undefined;
    await this.#machine?.until(async () => {
      loaded = await Promise.race([load(), rejectedLate()]).then(
        (value) => ({ value }),
        () => undefined,
      );
      return loaded !== undefined;
    }, "the page");
    if (loaded === undefined) throw new Error("the page has no machine");
    return loaded.value;
  }

  async #messages(): Promise<readonly SaidThere[]> {
    const page = await this.#page();
    // The latest activity comes first. An answer that grows changes its message alone, and not its thread.
    const { home, threads } = await page.chats();
    const all = await Promise.all([home, ...threads].map((thread, at) => this.#saidIn(page, thread, at <= GROWING)));
    return all.flat();
  }

  async #saidIn(page: Page, thread: { readonly id: string; readonly change: number }, mayGrow: boolean) {
    const { id: threadId, change } = thread;
    const known = this.#read.get(threadId);
    if (known?.change === change && !mayGrow) return known.said;
    const { messages } = await page.messages(threadId);
    const said = messages
      .filter(({ author, kind }) => author !== "user" && kind !== "echo")
      .map(({ id, text, choices }) => ({
        chatId: HOME,
        threadId,
        id,
        text,
        choices: choices.map(({ label }) => label),
      }));
    this.#read.set(threadId, { change, said });
    return said;
  }

  threads() {
    return this.#onceServed(async () => (await (await this.#page()).chats()).threads);
  }

  async write(text: string, { threadId = HOME }: Spot = { chatId: HOME }): Promise<void> {
    const id = `person-${++this.#written}`;
    await this.#onceServed(async () => (await this.#page()).write(threadId, text, id));
  }

  async press({ threadId = HOME, id }: SaidThere, label: string): Promise<boolean> {
    const page = await this.#page();
    const { messages } = await page.messages(threadId);
    const choice = messages.find((message) => message.id === id)?.choices.find((one) => one.label === label);
    if (choice === undefined) return false;
    await page.press(threadId, id, choice.id);
    return true;
  }

  fail(): void {
    throw new Error("the page has no emulator");
  }

  heal(): void {}

  async [Symbol.asyncDispose](): Promise<void> {}
}
