import { inject, Lifecycle, scoped } from "tsyringe";
import type { PeopleAt, PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf, type HomeChannel, onAccount } from "../../adapter/conversation.ts";
import type { Sender } from "../../adapter/message.ts";
import { isReadByOthers } from "../../adapter/read-by-others.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { backOff } from "../../base/back-off.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError, PlatformError, reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { NewGrants } from "../../model/grants.ts";
import { homeNotice, isChanged } from "../../model/home-notice.ts";
import type { HomePerson, SeenHome } from "../../model/home-person.ts";
import { STORE, type Store } from "../../store/store.ts";
import { keyOf } from "./access.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";

/** The home channel, as the config or /sethome has it and as a place. */
export interface Home {
  readonly channel: HomeChannel;
  /** Null while the platform cannot be asked for it. */
  readonly conversation: Conversation | null;
}

/** Back-off for looking up the home channel: 5 s, 10 s … up to five minutes. */
const ASK_AGAIN = { firstMs: 5_000, lastMs: 300_000 };

/** A home channel is waited for while it could not be asked for more often than this in a row: for the first 15 s. */
const MOST_QUICK_ASKS = 2;

/** Milliseconds between two looks at who is in the home channel; it is also checked whenever it matters. */
const LOOK_EVERY_MS = 300_000;

/** Tracks the home channel of a platform account: its conversation and its operator. */
@scoped(Lifecycle.ContainerScoped)
export class HomeWatch implements Disposable {
  /** Called when the home channel, or what the platform says it is, has changed. */
  onHome: () => Promise<void> = async () => {};
  /** The chat id that the config or /sethome has: the platform may know the chat by another one. */
  #named: string | null = null;
  #home: Home | null = null;
  #problem: string | null = null;
  #isRecovering = false;
  /** Whether nobody can enter or leave it, by the platform's word. */
  #isFixed = false;
  /** The home as last seen; the operator is read again each time. */
  #record: HomePerson | null = null;
  #timer: Disposable | null = null;
  #listening: Disposable | null = null;
  #isOver = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
  ) {}

  get home(): Home | null {
    return this.#home;
  }

  /** Why the home channel cannot be used; null when it can, or there is none. */
  get problem(): string | null {
    return this.#problem;
  }

  /** True for the first seconds of a transient failure, while a retry is scheduled. */
  get isRecovering(): boolean {
    return this.#problem !== null && this.#isRecovering;
  }

  /** What people should know of who is there, and what to do about it; null where all is well. */
  get notice(): string | null {
    return this.#record === null ? null : homeNotice(this.#record, this.account.options.operators);
  }

  /** To be called when the adapter is up, before any message is taken in. */
  async open(): Promise<void> {
    const { store, adapter } = this;
    const { options } = this.account;
    // The terminal may say who is the operator.
    this.#listening = store.watch(() => void this.#readAgain());
    this.#use(options.homeChannel ?? (await store.bindings.home(adapter.platform, options.account)));
    await this.#resolve();
  }

  /**
   * Who is the operator in a conversation because it is the private home channel: what {@link keyOf} gives for them.
   * Throws where the platform has to say it first and cannot be asked: the message is to come again then.
   */
  async personAt(conversation: Conversation): Promise<string | null> {
    if (!this.isPrivateHome(conversation)) return null;
    const known = (await this.#recorded()) ?? (await this.#recordNow());
    return known?.chat === buildSessionKey(chatOf(conversation)) ? known.person : null;
  }

  /** Whether a conversation is the private home channel, or a thread of it. */
  isPrivateHome(conversation: Conversation): boolean {
    const { channel, conversation: home } = this.#home ?? {};
    if (channel === undefined || conversation.kind !== "dm") return false;
    // While the platform cannot be asked, it is the chat of that very id.
    if (!home) return conversation.chatId === channel.chatId;
    return home.kind === "dm" && buildSessionKey(chatOf(home)) === buildSessionKey(chatOf(conversation));
  }

  /** The private chat that the home channel is; null where it is none, or that is not known. */
  async privateChat(): Promise<NewGrants["home"]> {
    const chatId = this.#named;
    const { channel, conversation } = this.#home ?? {};
    if (chatId === null || channel === undefined) return null;
    if (conversation) {
      return conversation.kind === "dm" ? { chatId, chat: buildSessionKey(chatOf(conversation)) } : null;
    }
    // While the platform cannot be asked, the record holds for the chat of that very id.
    const { chat } = (await this.#recorded()) ?? {};
    const at = { platform: this.adapter.platform, chatId: channel.chatId, kind: "dm" } as const;
    const key = buildSessionKey(onAccount(at, this.account.options.account));
    return chat !== undefined && (chat === key || chat.startsWith(`${key}:`)) ? { chatId, chat } : null;
  }

  /** Somebody who is not the operator wrote in the private home channel. */
  async noticeStranger(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.logger.warn({ error }, "who is in the home channel could not be asked");
    }
  }

  /**
   * Throws where others than the operator would read what is handed off, and a PlatformError where the platform has to be
   * asked for that, and cannot be.
   */
  async check(): Promise<void> {
    await this.#askFirst();
    if (this.#home?.conversation?.kind !== "dm") return;
    const reason = this.#reasonAgainst(await this.#look());
    if (reason !== null) throw reason;
  }

  /**
   * Why nothing of sessions is said in the private home channel at this moment: others than its operator would read it.
   * Null where they would not. Throws a PlatformError while the platform has to be asked for that, and cannot be.
   */
  async withheldBecause(): Promise<HermesError | null> {
    try {
      await this.#askFirst();
      return this.#reasonAgainst(this.#isFixed ? await this.#recorded() : await this.#look());
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryable) throw error;
      return this.#reasonAgainst(await this.#recorded());
    }
  }

  #reasonAgainst(record: HomePerson | null): HermesError | null {
    const { channel } = this.#home ?? {};
    if (channel === undefined || channel.shared || record === null) return null;
    const { platform } = this.adapter;
    const home = channel.name ?? channel.chatId;
    const people = record.present.join(", ") || "nobody";
    if (isChanged(record)) return new HermesError("HOME_PEOPLE_CHANGED", { platform, home, people });
    return record.present.length > 1 ? new HermesError("CONFIG_HOME_CHANNEL_NOT_SHARED", { platform, home }) : null;
  }

  /** The platform gave a chat or a thread another id; what names the home channel may go on naming the former one. */
  async moved(from: Conversation, { chatId, kind, scope, threadId, isPrivate }: Conversation): Promise<void> {
    const home = this.#home;
    if (home === null || home.channel.chatId !== from.chatId) return;
    if (from.threadId !== undefined && home.channel.threadId !== from.threadId) return;
    const { channel, conversation } = home;
    const isThread = from.threadId !== undefined;
    const now = { chatId, ...(isThread ? { threadId } : {}) };
    const moved = conversation && { ...conversation, ...now, kind, scope, ...(isThread ? { isPrivate } : {}) };
    // Who reads it by now, and whether it may be the home as it is, only the platform knows.
    const isParted = conversation !== null && moved !== null && isReadByOthers(conversation, moved);
    this.#home = { channel: { ...channel, ...now }, conversation: isParted ? null : moved };
    if (isParted) void this.#resolve();
    await this.onHome();
    await this.account.onChange();
  }

  /** Somebody chose it where they are: they are the operator there, where that is a private chat. */
  async set(channel: HomeChannel, conversation: Conversation, sender: Sender): Promise<void> {
    const { store, adapter } = this;
    const { options } = this.account;
    await store.bindings.setHome(adapter.platform, options.account, channel);
    this.#use(channel, conversation);
    const { isFixed: _, ...seen } = await this.#seen(channel, conversation, [keyOf(sender)]);
    this.#record = seen.isPrivate
      ? await store.homePeople.set(seen, keyOf(sender), "sethome")
      : await store.homePeople.see({ ...seen, isFixed: false });
    this.#problem = null;
    this.#lookLater();
    await this.onHome();
    // Whoever reads that it is home now may hand off at once.
    await this.account.onChange();
  }

  #use(channel: HomeChannel | null, conversation: Conversation | null = null): void {
    this.#timer?.[Symbol.dispose]();
    this.#named = channel?.chatId ?? null;
    this.#home = channel && { channel, conversation };
  }

  /** Asks the platform what the home channel is, so that a wrong one shows at once; and again while it does not say. */
  async #resolve(failures = 1): Promise<void> {
    const { logger, adapter, clock } = this;
    const { onChange } = this.account;
    if (this.#home?.conversation !== null) return;
    try {
      await this.#askFirst();
    } catch (error) {
      logger.warn({ platform: adapter.platform, error }, "the home channel cannot be reached");
      // Whoever else asked may have been told meanwhile.
      if (this.#home?.conversation !== null) return;
      this.#problem = `The home channel cannot be reached: ${reasonOf(error)}.`;
      this.#isRecovering = error instanceof PlatformError && error.retryable && failures <= MOST_QUICK_ASKS;
      if (this.#isOver) return;
      this.#timer?.[Symbol.dispose]();
      this.#timer = clock.setTimer(backOff(failures, ASK_AGAIN), () => void this.#resolve(failures + 1));
    }
    await onChange();
  }

  /** Asks what the home channel is while that is not known. */
  async #askFirst(): Promise<void> {
    while (this.#home?.conversation === null) await this.#ask();
  }

  async #ask(): Promise<void> {
    const { adapter, store } = this;
    const { options } = this.account;
    const home = this.#home;
    if (home === null) return;
    const conversation = onAccount(await adapter.homeConversation(home.channel), options.account);
    const seen = await this.#seen(home.channel, conversation);
    // /sethome may have chosen another one meanwhile.
    if (this.#home !== home) return;
    this.#record = await store.homePeople.see(seen);
    // The config may name the chat by an alias; messages carry its id. It may name a thread by the thread's id alone,
    // which is no chat to open others in.
    const { chatId, threadId } = conversation;
    this.#home = { channel: { ...home.channel, chatId, threadId }, conversation };
    this.#problem = null;
    this.#lookLater();
    await this.onHome();
  }

  /**
   * A message came before the platform could be asked. Whom the config names counts in any case, so most need no
   * answer.
   */
  async #recordNow(): Promise<HomePerson | null> {
    try {
      await this.#ask();
    } catch (error) {
      if (error instanceof PlatformError && error.retryable) throw error;
      return null;
    }
    return this.#recorded();
  }

  async #recorded(): Promise<HomePerson | null> {
    const { store, adapter } = this;
    const { options } = this.account;
    if (this.#named === null) return null;
    return store.homePeople.get({ platform: adapter.platform, account: options.account, home: this.#named });
  }

  async #readAgain(): Promise<void> {
    if (this.notice === null) return;
    const before = this.notice;
    try {
      this.#record = await this.#recorded();
    } catch {
      // Read again with the next change: the store may be busy, or closing.
    }
    if (this.notice !== before) await this.account.onChange();
  }

  /** Asks who is there now, and says so where that changed. Null while the platform does not say what the home is. */
  async #look(): Promise<HomePerson | null> {
    const { store, logger, adapter } = this;
    const { onChange } = this.account;
    const { channel, conversation } = this.#home ?? { channel: null, conversation: null };
    if (channel === null || conversation === null) return null;
    const seen = await this.#seen(channel, conversation);
    const before = this.notice;
    const record = await store.homePeople.see(seen);
    this.#record = record;
    if (this.notice !== before) await onChange();
    if (isChanged(record) && this.notice !== before) {
      const { platform } = adapter;
      logger.warn({ platform, home: record.home, people: record.present }, "others are in the home channel");
    }
    return record;
  }

  #lookLater(): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#isOver) return;
    this.#timer = this.clock.setTimer(LOOK_EVERY_MS, async () => {
      await this.noticeStranger();
      this.#lookLater();
    });
  }

  async #seen(channel: HomeChannel, conversation: Conversation, present?: readonly string[]): Promise<SeenHome> {
    const { adapter } = this;
    const { options } = this.account;
    const people: PeopleAt = present ? { ids: present, isFixed: false } : await adapter.peopleAt(conversation);
    this.#isFixed = people.isFixed;
    const ids = people.isUnknown ? presentIn(await this.#recorded()) : people.ids;
    return {
      platform: adapter.platform,
      account: options.account,
      home: this.#named ?? channel.chatId,
      chat: buildSessionKey(chatOf(conversation)),
      name: channel.name ?? null,
      isPrivate: conversation.kind === "dm",
      present: ids,
      isFixed: people.isFixed,
    };
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#listening?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }
}

/** Falls back to who was last seen there, else the operator, when the platform does not list members. */
function presentIn(record: HomePerson | null): readonly string[] {
  const { present = [], person = null } = record ?? {};
  return present.length === 0 && person !== null ? [person] : present;
}
