import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { HandoffThread, InboundMessage, Piece, SendOptions } from "@hermes/core";
import type { Handoff, Host, SessionId } from "@hermes/core/embed";
import { renderedMessage, secretsIn } from "@hermes/core/internal";
import type { EmulatedInbound, Emulator } from "@hermes/emulator";
import { type ScriptedModel, scriptedModel } from "../scripted-model.ts";
import { terminalSession } from "../terminal-session.ts";
import { check, checkEqual, Disproved, shown } from "./check.ts";
import { HomeChats } from "./home-chats.ts";
import { expectNoSecrets } from "./leaks.ts";
import { type LiveGateway, Machine } from "./machine.ts";
import type { AdapterUnderTest, KitAccount, KitHome, KitOptions, KitPlace } from "./subject.ts";
import type { Tap } from "./tap.ts";
import { noteEvidence } from "./trail.ts";

/** On which home channel, and with which options, a stage is set. */
export interface StageOptions {
  /** The index of the home channel; by default, the first that can hold messages. */
  readonly home?: number;
  readonly options?: KitOptions | ((emulator: Emulator) => KitOptions);
  /** Further secrets that must not leak, besides those of the emulator's options. */
  readonly secrets?: readonly string[];
}

/** The model's answer once a proof's own answers are used up. */
export const UNASKED_ANSWER = "An answer that no proof asked for.";

/** The most attempts at a message that is flawed, and a few more. */
const MOST_ATTEMPTS = 7;

/** The environment of a proof: a platform with people, and a machine with a terminal and gateways. */
export class Stage extends HomeChats {
  readonly subject: AdapterUnderTest;
  readonly model: ScriptedModel;
  readonly #machine: Machine;
  readonly #secrets: readonly string[];
  readonly #folder: string;
  readonly #options: StageOptions;
  #running: LiveGateway | null = null;
  #asked = 0;

  private constructor(subject: AdapterUnderTest, emulator: Emulator, folder: string, options: StageOptions) {
    super(emulator, subject.homes(emulator), options.home);
    const { home } = this;
    this.subject = subject;
    this.#folder = folder;
    this.#options = options;
    this.model = scriptedModel([], { otherwise: () => UNASKED_ANSWER });
    this.#secrets = [...secretsIn(emulator.options), ...(options.secrets ?? [])];
    this.#machine = new Machine(
      { folder, subject, emulator, agent: this.model, trail: this.trail },
      {
        homeChannel: home.kind === "group" ? { shared: true, ...home.home } : home.home,
        allowedUsers: subject.allowedUsers?.(emulator) ?? ["*"],
        ...optionsFor(emulator, options),
      },
    );
  }

  static async play(
    subject: AdapterUnderTest,
    work: (stage: Stage) => Promise<void>,
    options: StageOptions,
  ): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), "hermes-kit-"));
    const undo: (() => void | Promise<void>)[] = [() => rmSync(folder, { recursive: true, force: true })];
    try {
      const emulator = await subject.createEmulator(accountOf(folder, options));
      undo.push(() => emulator.close());
      const stage = new Stage(subject, emulator, folder, options);
      undo.push(() => stage.#machine[Symbol.asyncDispose]());
      try {
        await work(stage);
      } catch (error) {
        noteEvidence(error, stage.home, stage.homePlace, stage.trail);
        // A failed proof may leave a turn running, for which an orderly end would wait.
        await stage.#machine.crash();
        throw error;
      }
      expectNoSecrets(folder, emulator, stage.#secrets);
    } finally {
      for (const step of undo.reverse()) await step();
    }
  }

  /** Starts a gateway. An earlier one must have ended or died. */
  async gateway(prepare?: (tap: Tap) => void): Promise<LiveGateway> {
    this.#running = await this.#machine.gateway(prepare);
    return this.#running;
  }

  /** The gateway that was started last. */
  get running(): LiveGateway {
    if (this.#running === null) throw new Disproved("no gateway was started");
    return this.#running;
  }

  /** Ends the gateway in an orderly way, and starts another one. */
  async restarted(): Promise<LiveGateway> {
    await this.running.end();
    return this.gateway();
  }

  /** From now on, all that the running adapter asks of Hermes fails more often than a flawed message is tried. */
  loseStore(): void {
    this.running.tap.failingEach = MOST_ATTEMPTS + 1;
  }

  /** Waits until `isSo` returns true: soon, without the adapter's pauses, or else after a restart. */
  async untilSoonOrRestarted(what: string, isSo: () => boolean): Promise<void> {
    const isSoon = () => {
      if (isSo()) return true;
      this.running.tap.hasten(1_000);
      return false;
    };
    await this.until(what, isSoon, 5_000).catch(async () => {
      await this.restarted();
      await this.until(what, isSo);
    });
  }

  /** Runs `work` on another stage like this one. */
  again(work: (stage: Stage) => Promise<void>): Promise<void> {
    return Stage.play(this.subject, work, this.#options);
  }

  /** The account, for the subject's own functions. */
  get account(): KitAccount {
    return accountOf(this.#folder, this.#options);
  }

  /** A command as people type it on the platform. */
  typed(command: string): string {
    const { kind, home } = this.home;
    return this.running.adapter.typedCommand(command, { platform: this.subject.name, chatId: home.chatId, kind });
  }

  terminal(): Promise<Host> {
    return this.#machine.terminal();
  }

  /** A session of the terminal with one question and its answer. */
  async terminalSession(title = "The plan"): Promise<SessionId> {
    const host = await this.terminal();
    this.model.push("The plan is to go on.");
    return terminalSession(host, title);
  }

  /** Requests a handoff as `/handoff` does. */
  async requestHandoff(sessionId: SessionId): Promise<void> {
    const { homeOf, requestHandoff } = await import("@hermes/core/embed");
    const { store, clock } = await this.terminal();
    await requestHandoff({ store, clock }, { sessionId, to: homeOf(this.subject.name), from: "terminal" });
  }

  /** Waits until a handoff has ended, and returns where it went: to a new thread, or the home itself. */
  async untilHandedOff(
    sessionId: SessionId,
    before: readonly string[],
  ): Promise<{ handoff: Handoff; place: KitPlace }> {
    const { store } = await this.terminal();
    let handoff: Handoff | null = null;
    await this.until("the handoff ends", async () => {
      handoff = await store.handoffs.latestOf(sessionId);
      return handoff?.state === "completed" || handoff?.state === "failed";
    });
    const ended = handoff as Handoff | null;
    check(ended?.state === "completed", () => `the handoff failed: ${ended?.error?.text}`);
    const fresh = this.threadIds().filter((id) => !before.includes(id));
    this.#checkPlaceName(ended);
    check(fresh.length <= 1, () => `the handoff opened ${fresh.length} threads`);
    const [threadId] = fresh;
    return { handoff: ended, place: threadId === undefined ? this.homePlace : { ...this.chat, threadId } };
  }

  /** Checks that the terminal shows a name for where it went. */
  #checkPlaceName({ place, conversation }: Handoff): void {
    const { home } = this.home;
    const chat = this.emulator.chats.find(({ id }) => id === this.chat.chatId);
    if (chat === undefined) return;
    const names = [home.name, chat.name.replace(/^#/, ""), ...(chat.kind === "dm" ? ["your private chat"] : [])];
    check(
      names.some((name) => name !== undefined && place?.includes(name)),
      () => `it is said to be at ${shown(place)}, which is ${shown(names)}: ${shown(conversation)}`,
    );
  }

  /** Hands off a session; the agent says `opening` there. Returns where it went. */
  async handOff(sessionId: SessionId, opening = "We stand at the plan."): Promise<KitPlace> {
    const before = this.threadIds();
    this.model.push(opening);
    await this.requestHandoff(sessionId);
    const { place, handoff } = await this.untilHandedOff(sessionId, before);
    const { threads, name } = this.home;
    const went = place.threadId === undefined ? "the home channel itself" : `the thread ${place.threadId}`;
    if (threads) {
      check(place.threadId !== undefined, () => `no thread was opened in ${name}: ${handoff.flatBecause}`);
    } else {
      checkEqual(place, this.homePlace, `where a handoff into ${name} went`);
    }
    check(
      this.said(place).some((text) => text.includes(opening)),
      () => {
        return `the agent's opening is not in ${went} of ${name}, which holds ${shown(this.said(place))}`;
      },
    );
    return place;
  }

  /** Asks as a person, and waits for the answer. Returns the session that answered. */
  async ask(
    gateway: Pick<LiveGateway, "tap">,
    at: KitPlace = this.homePlace,
    more: Partial<EmulatedInbound> = {},
  ): Promise<{ session: SessionId; inbound: InboundMessage }> {
    const number = ++this.#asked;
    const [question, answer] = [`Question number ${number}?`, `Answer number ${number}.`];
    this.model.push(answer);
    const turns = this.model.requests.length;
    await this.write(question, at, more);
    await this.until(`the question in ${shown(at)} is answered`, () => this.countSaid(answer, at) > 0);
    const request = this.model.requests[turns];
    const inbound = gateway.tap.received.findLast(({ text }) => text.includes(question));
    check(request !== undefined && inbound !== undefined, "the answer was given to another question");
    checkLastQuestion(request.messages.at(-1)?.text, question);
    return { session: request.session.id, inbound };
  }

  /** Renders a short answer as its one piece. */
  piece(markdown: string): Piece {
    const [first] = renderedMessage(this.running.adapter, { kind: "answer", markdown });
    check(first !== undefined, "a short message has no piece");
    return first;
  }

  /** Opens a thread in the home channel. */
  async openThread(name: string, mark?: string): Promise<HandoffThread | null> {
    const { adapter } = this.running;
    const { chatId } = await adapter.homeConversation(this.home.home);
    const before = this.threadIds();
    const thread = await adapter.createHandoffThread(chatId, name, this.threadOptions(mark));
    if (thread === null || !this.beginsThreads) return thread;
    checkEqual(this.threadIds(), before, "the threads that are there before the first message");
    await adapter.send(thread.conversation, this.piece("It begins."), this.sendOptions(`begin-${mark ?? name}`));
    return thread;
  }

  /** Whether a thread is there with its first message only. */
  get beginsThreads(): boolean {
    return this.running.adapter.capabilities.threads === "begun-by-message";
  }

  /** The number of refused messages of strangers. */
  refusals(): Promise<number> {
    return this.running.host.store.users.refused(this.subject.name, undefined);
  }

  /** The fields that make a message come from a stranger, and mention the bot. */
  get asStranger(): Partial<EmulatedInbound> {
    const userId = this.subject.stranger;
    return { mentions: true, ...(userId === undefined ? {} : { userId }) };
  }

  /** Waits until `isSo` returns true. */
  async until(what: string, isSo: () => boolean | Promise<boolean>, withinMs = this.patienceMs): Promise<void> {
    const end = Date.now() + withinMs;
    while (!(await isSo())) {
      if (Date.now() > end) throw new Disproved(`it never came about that ${what}`);
      await delay(5);
    }
  }

  /** Waits until the platform, the adapter and the model have been idle for a while. */
  async quiet(forMs = 300): Promise<void> {
    const state = () =>
      shown([
        this.model.requests.length,
        this.#machine.events,
        this.homes.map(({ home, place }) => this.emulator.messages(place?.chatId ?? home.chatId).length),
      ]);
    let last = state();
    let since = Date.now();
    let looks = 0;
    const end = since + this.patienceMs;
    // A busy machine gets as many turns of the event loop for what is under way as an idle one.
    while ((Date.now() - since < forMs || looks * 15 < forMs) && Date.now() < end) {
      await delay(10);
      looks++;
      const now = state();
      if (now === last) continue;
      last = now;
      since = Date.now();
      looks = 0;
    }
  }

  get patienceMs(): number {
    return this.subject.patienceMs ?? 30_000;
  }

  /** The options for `createHandoffThread`. */
  threadOptions(mark = "mark-of-the-kit"): { home: KitHome["home"]; mark: string; signal: AbortSignal } {
    return { home: this.home.home, mark, signal: AbortSignal.timeout(this.patienceMs) };
  }

  /** The options for `send`: with the content of a piece that sends a text file. */
  sendOptions(key: string, { file }: Partial<Piece> = {}): SendOptions {
    const content = file?.text === undefined ? {} : { content: Buffer.from(file.text) };
    return { key, ...content, signal: AbortSignal.timeout(this.patienceMs) };
  }
}

function optionsFor(emulator: Emulator, { options }: StageOptions): KitOptions | undefined {
  return typeof options === "function" ? options(emulator) : options;
}

function accountOf(home: string, { options }: StageOptions): KitAccount {
  return { home, account: typeof options === "function" ? undefined : options?.account };
}

function checkLastQuestion(found: string | undefined, wanted: string): void {
  check(found?.includes(wanted) === true, () => `the model was asked ${shown(found)} rather than ${shown(wanted)}`);
}
