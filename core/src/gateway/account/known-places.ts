import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf, onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { backOff } from "../../base/back-off.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { shortName } from "../../base/one-line.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { UnreachablePlace } from "../../model/gateway-row.ts";
import type { ConfigPlace, NotedPlace, PlacePerson } from "../../model/known-place.ts";
import { authorOf } from "../../model/turn.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";
import type { Home } from "./home-watch.ts";

/** Back-off for looking up the places of the config: 5 s, 10 s … up to five minutes. */
const ASK_AGAIN = { firstMs: 5_000, lastMs: 300_000 };

/** Milliseconds after which a place that is otherwise the same is noted again. */
const NOTED_AGAIN_MS = 60 * 60 * 1000;

/** Keeps the places of an account by name: those that the config names, its home, and where allowed people talk. */
@scoped(Lifecycle.ContainerScoped)
export class KnownPlaces implements Disposable {
  /** What was noted of a place last, and when: most messages tell nothing new. */
  readonly #noted = new RecentMap<SessionKey, { readonly of: string; readonly at: number }>(1_000);
  /** The names of chats that no message tells. */
  readonly #asked = new RecentMap<SessionKey, string | null>(1_000);
  #unreachable: readonly UnreachablePlace[] = [];
  #timer: Disposable | null = null;
  #isOver = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
  ) {}

  /** The places of the config that could not be reached when they were looked up last. */
  get unreachable(): readonly UnreachablePlace[] {
    return this.#unreachable;
  }

  /** To be called when the adapter is up. What cannot be looked up yet is asked for again. */
  open(failures = 1): Promise<void> {
    return this.#quietly(async () => {
      const found: ConfigPlace[] = [];
      const unreachable: UnreachablePlace[] = [];
      for (const [called, place] of Object.entries(this.account.options.places ?? {})) {
        const looked = await this.#lookUp(called, place);
        if ("reason" in looked) unreachable.push({ called, reason: looked.reason });
        else {
          const person = await this.#personIn(looked);
          found.push({ key: this.#keyOf(looked), conversation: looked, called, shared: place.shared === true, person });
        }
      }
      const { platform, account } = this.account;
      await this.store.places.configured({ platform, account }, found);
      const isNews = JSON.stringify(unreachable) !== JSON.stringify(this.#unreachable);
      this.#unreachable = unreachable;
      if (isNews) await this.account.onChange();
      if (unreachable.length > 0 && !this.#isOver) {
        this.#timer = this.clock.setTimer(backOff(failures, ASK_AGAIN), () => void this.open(failures + 1));
      }
    });
  }

  async #lookUp(
    called: string,
    place: { readonly chatId: string; readonly threadId?: string | undefined },
  ): Promise<Conversation | Pick<UnreachablePlace, "reason">> {
    const { adapter, account, logger } = this;
    const { chatId, threadId } = place;
    try {
      const channel = { chatId, ...(threadId === undefined ? {} : { threadId }), name: called };
      return onAccount(await adapter.homeConversation(channel), account.account);
    } catch (error) {
      const reason = reasonOf(error);
      logger.warn({ place: called, reason }, "a place of the config cannot be reached");
      return { reason };
    }
  }

  /** Whose private chat it is, where the platform says who reads there for good: nobody has to write there first. */
  async #personIn(conversation: Conversation): Promise<PlacePerson | null> {
    if (conversation.kind !== "dm") return null;
    const at = chatOf(conversation);
    try {
      const { ids, isFixed } = await this.adapter.peopleAt(at);
      const [id, ...others] = ids;
      if (!isFixed || id === undefined || others.length > 0) return null;
      return { author: authorOf({ conversation: at, sender: { id } }), name: (await this.#nameOf(at)) || null };
    } catch (error) {
      this.logger.warn({ error }, "who reads a private chat of the config could not be asked");
      return null;
    }
  }

  /** What the platform calls a chat; empty where it does not say. */
  async #nameOf(at: Conversation): Promise<string> {
    try {
      return shortName((await this.adapter.chatName?.(at)) ?? "");
    } catch (error) {
      this.logger.warn({ error }, "the name of a chat could not be asked for");
      return "";
    }
  }

  /** The home channel is a place, too. */
  noteHome(home: Home | null): Promise<void> {
    return this.#quietly(async () => {
      if (!home?.conversation) return;
      const { conversation, channel } = home;
      const key = this.#keyOf(conversation);
      const name = shortName(channel.name ?? "") || null;
      await this.store.places.note({ key, conversation, name, word: "home", person: null });
      if (name === null && conversation.kind !== "dm" && !this.#asked.has(key)) {
        void this.#askForName(key, conversation, "home");
      }
    });
  }

  /** Notes where somebody who is allowed has written. */
  async heard({ conversation, sender, chatName }: InboundMessage): Promise<void> {
    if (sender.isBot) return;
    const at = chatOf(conversation);
    const key = this.#keyOf(at);
    const isPrivate = at.kind === "dm";
    // In a thread, the name may be the thread's, and the next thread has another one.
    const told = conversation.threadId !== undefined && this.adapter.chatName ? undefined : chatName;
    const name = isPrivate ? (sender.name ?? null) : (told ?? this.#asked.get(key) ?? null);
    const of = JSON.stringify([name, isPrivate ? [sender.id, sender.person?.key] : null]);
    const now = this.clock.now();
    const last = this.#noted.get(key);
    if (last?.of === of && now - last.at < NOTED_AGAIN_MS) return;
    this.#noted.set(key, { of, at: now });
    const author = authorOf({ conversation: at, sender });
    const person = isPrivate ? { author, name: sender.name ?? null } : null;
    await this.#quietly(() => this.store.places.note({ key, conversation: at, name, word: "heard", person }));
    if (name === null && !isPrivate && !this.#asked.has(key)) void this.#askForName(key, at, "heard");
  }

  async #askForName(key: SessionKey, at: Conversation, word: NotedPlace["word"]): Promise<void> {
    this.#asked.set(key, null);
    await this.#quietly(async () => {
      const name = await this.#nameOf(at);
      if (name === "") return;
      this.#asked.set(key, name);
      await this.store.places.note({ key, conversation: at, name, word, person: null });
    });
  }

  #keyOf(conversation: Conversation): SessionKey {
    return this.adapter.buildSessionKey(conversation);
  }

  /** A place that could not be noted is noted with the next message. */
  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn({ error }, "a place could not be noted");
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
  }
}
