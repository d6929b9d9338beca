import type { HandoffThread } from "@hermes/core";
import type { EmulatedInbound, EmulatedMessage, Emulator } from "@hermes/emulator";
import { check, Disproved, shown } from "./check.ts";
import type { KitHome, KitPlace } from "./subject.ts";
import { shownPlace, Trail } from "./trail.ts";

/** The platform as people see it: a home channel with its threads, people who write, and the bot's messages. */
export class HomeChats {
  readonly emulator: Emulator;
  readonly homes: readonly KitHome[];
  readonly home: KitHome;
  /** What happened so far. */
  readonly trail = new Trail();

  /** `index` selects the home channel; by default, the first that can hold messages. */
  constructor(emulator: Emulator, homes: readonly KitHome[], index?: number) {
    const home = homes[index ?? homes.findIndex(({ canHoldMessages = true }) => canHoldMessages)];
    if (home === undefined) throw new Disproved("the adapter's test names no home channel that holds messages");
    this.emulator = emulator;
    this.homes = homes;
    this.home = home;
  }

  /** The home channel's place on the emulator. */
  get homePlace(): KitPlace {
    const { place, home } = this.home;
    return place ?? { chatId: home.chatId, ...(home.threadId ? { threadId: home.threadId } : {}) };
  }

  /** A group other than the home channel that can hold messages; null if there is none. */
  get otherGroup(): KitPlace | null {
    const canHoldMessages = (id: string) =>
      !this.homes.some((one) => one.home.chatId === id && one.canHoldMessages === false);
    const found = this.emulator.chats.find(
      ({ kind, id }) => kind === "group" && id !== this.homePlace.chatId && canHoldMessages(id),
    );
    return found === undefined ? null : { chatId: found.id };
  }

  /** The home channel's chat without its thread. */
  get chat(): KitPlace {
    return { chatId: this.homePlace.chatId };
  }

  threadIds(): string[] {
    return this.emulator.threads(this.chat.chatId).map(({ id }) => id);
  }

  /** Writes a message as a person. */
  async write(text: string, at: KitPlace = this.homePlace, more: Partial<EmulatedInbound> = {}): Promise<string> {
    const { messageId } = await this.emulator.receive({ ...at, text, ...more });
    const writer = more.isOwn ? "the bot itself" : more.isBot ? "another bot" : (more.userId ?? "a person");
    const what = more.editOf === undefined ? "wrote" : `edited ${shown(more.editOf)} to`;
    this.trail.add(
      `${writer} ${what} ${shown(text)} in ${shownPlace({ ...at, ...more })}: message ${shown(messageId)}`,
    );
    return messageId;
  }

  /** The bot's messages, oldest first. */
  botMessages({ chatId, threadId }: KitPlace = this.homePlace): EmulatedMessage[] {
    return this.emulator.messages(chatId, threadId).filter(({ author }) => author === "bot");
  }

  /** The texts of the bot's messages, as people read them. */
  said(at: KitPlace = this.homePlace): string[] {
    return this.botMessages(at).map(({ text }) => text);
  }

  /** The number of the bot's messages with `text`. */
  countSaid(text: string, at: KitPlace = this.homePlace): number {
    return this.said(at).filter((said) => said.includes(text)).length;
  }

  /** The number of the bot's messages with `text` in the home channel and all its threads. */
  countAnywhere(text: string): number {
    const threads = this.threadIds().map((threadId) => ({ ...this.chat, threadId }));
    const places = [this.homePlace, ...threads.filter(({ threadId }) => threadId !== this.homePlace.threadId)];
    return places.reduce((sum, place) => sum + this.countSaid(text, place), 0);
  }

  /** The place on the emulator of a thread that `createHandoffThread` has just returned. */
  placeOf(thread: HandoffThread, before: readonly string[]): KitPlace {
    const fresh = this.threadIds().filter((id) => !before.includes(id));
    check(fresh.length === 1, () => `${fresh.length} threads are new rather than one, for ${shown(thread)}`);
    return { ...this.chat, ...(fresh[0] === undefined ? {} : { threadId: fresh[0] }) };
  }
}
