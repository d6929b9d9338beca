import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmulatedMessage, EmulatedPlace, Emulator } from "@hermes/emulator";
import { createModelServer, type ModelRequest, type ModelServer } from "@hermes/testing";
import { COMMAND } from "./approval-case.ts";
import type { HermesMachine, HermesProcess } from "./hermes-process.ts";
import { machineWith } from "./model.ts";

export interface AskingChatOptions {
  /** The plugin's config beside the emulator's own. */
  readonly plugin: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A chat on an emulated platform whose agent wants to run a command for each message, and the machine that serves it. */
export class AskingChat implements AsyncDisposable {
  readonly emulator: Emulator;
  readonly model: ModelServer;
  readonly machine: HermesMachine;
  readonly folder: string;
  readonly at: EmulatedPlace;
  /** What the agent wants to run next. */
  command = COMMAND;

  private constructor(emulator: Emulator, at: EmulatedPlace, model: ModelServer, machine: HermesMachine) {
    this.emulator = emulator;
    this.at = at;
    this.model = model;
    this.machine = machine;
    this.folder = join(realpathSync(machine.folder), "work");
    mkdirSync(this.folder);
  }

  static async begin(emulator: Emulator, at: EmulatedPlace, options: AskingChatOptions): Promise<AskingChat> {
    const { plugin, config = {} } = options;
    let chat: AskingChat | null = null;
    const otherwise = ({ messages }: ModelRequest) => {
      const isDone = messages.at(-1)?.role === "tool";
      return isDone ? "All is counted." : { call: [{ name: "shell", input: { command: chat?.command } }] };
    };
    const model = await createModelServer([], { otherwise });
    const machine = machineWith(model, {
      plugins: [[`@hermes/plugin-${emulator.platform}`, { ...emulator.options, ...plugin }]],
      tools: { directory: "work" },
      ...config,
    });
    chat = new AskingChat(emulator, at, model, machine);
    return chat;
  }

  /** Writes another config of the plugin; a gateway that starts next has it. */
  configure(plugin: AskingChatOptions["plugin"]): void {
    const config = JSON.parse(readFileSync(this.machine.configPath, "utf8"));
    const plugins = [[`@hermes/plugin-${this.emulator.platform}`, { ...this.emulator.options, ...plugin }]];
    writeFileSync(this.machine.configPath, JSON.stringify({ ...config, plugins }));
  }

  startGateway(): Promise<HermesProcess> {
    return this.machine.startGateway();
  }

  /** What Hermes says in the chat and its threads, oldest first. */
  messages(): (EmulatedMessage & EmulatedPlace)[] {
    const { chatId } = this.at;
    const threads = [undefined, ...this.emulator.threads(chatId).map(({ id }) => id)];
    return threads.flatMap((threadId) =>
      this.emulator
        .messages(chatId, threadId)
        .filter(({ author }) => author === "bot")
        .map((message) => ({ ...message, chatId, ...(threadId === undefined ? {} : { threadId }) })),
    );
  }

  said(): string[] {
    return this.messages().map(({ text }) => text);
  }

  /** What the chat shows, for an error. */
  #shown(since = 0): string {
    return `in the chat, which has ${JSON.stringify(this.said().slice(since))},`;
  }

  async says(pattern: RegExp, since = 0): Promise<void> {
    const isSaid = () =>
      this.said()
        .slice(since)
        .some((text) => pattern.test(text));
    await this.machine.until(isSaid, () => `${pattern} ${this.#shown(since)}`);
  }

  async write(text: string, userId?: string): Promise<void> {
    await this.emulator.receive({ ...this.at, text, mentions: true, ...(userId === undefined ? {} : { userId }) });
  }

  /** Writes where a question stands. */
  async writeBelow({ chatId, threadId }: EmulatedPlace, text: string, userId: string): Promise<void> {
    const at = { chatId, ...(threadId === undefined ? {} : { threadId }) };
    await this.emulator.receive({ ...at, text, mentions: true, userId });
  }

  /** Asks for the command, and waits for the question about it; returns that, as the chat shows it. */
  async ask(userId?: string): Promise<EmulatedMessage & EmulatedPlace> {
    const before = this.messages().map(({ id }) => id);
    await this.write("Count it", userId);
    let question: (EmulatedMessage & EmulatedPlace) | undefined;
    const { approvals } = await this.machine.store();
    await this.machine.until(
      async () => {
        question = this.messages().find(({ id, text }) => !before.includes(id) && /means no\./.test(text));
        const [open] = await approvals.open();
        return question !== undefined && open !== undefined && (await this.#isShown(open.id));
      },
      () => `a question ${this.#shown()}`,
    );
    if (question === undefined) throw new Error("unreachable");
    return question;
  }

  /** Whether it is recorded that the platform has a question: what is typed before does not answer it. */
  async #isShown(id: string): Promise<boolean> {
    const { approvals, bindings, turns } = await this.machine.store();
    const [open] = (await approvals.open()).filter((one) => one.id === id);
    const turn = open && (await turns.get(open.turnId));
    if (!turn || turn.surface === "terminal") return false;
    const binding = await bindings.get(turn.surface);
    return binding !== null && (await approvals.shownAt(turn.surface)).some(({ shownAt }) => shownAt !== null);
  }

  async press(question: EmulatedMessage & EmulatedPlace, label: string, userId?: string): Promise<void> {
    const { chatId, threadId, id: messageId } = question;
    const at = { chatId, ...(threadId === undefined ? {} : { threadId }) };
    await this.emulator.press?.({ ...at, messageId, label, ...(userId === undefined ? {} : { userId }) });
  }

  /** The text that a question has by now. */
  textOf({ id }: EmulatedMessage): string {
    return this.messages().find((message) => message.id === id)?.text ?? "";
  }

  /** How often the command ran. */
  get ran(): number {
    const file = join(this.folder, "ran.txt");
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.machine[Symbol.asyncDispose]();
    await this.emulator.close();
    await this.model.close();
  }
}
