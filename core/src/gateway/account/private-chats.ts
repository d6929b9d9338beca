import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, chatOf } from "../../adapter/conversation.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import type { Clock } from "../../base/clock.ts";
import { HermesError, PlatformError, reasonOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import type { PlatformAuthor } from "../../model/turn.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ACCOUNT, type Account, ADAPTER } from "./account.ts";
import { HomeWatch } from "./home-watch.ts";

/** Milliseconds before a platform that could not be asked is asked again. */
const ASK_AGAIN_MS = 5_000;

/** Says, at each use, whether others have come into a private chat: on some platforms one is a room like any other. */
@scoped(Lifecycle.ContainerScoped)
export class PrivateChats {
  /** Chats that nobody can enter or leave. */
  readonly #fixed = new RecentMap<SessionKey, true>(1_000);
  /** Whether the store has a chat as one that others read. */
  readonly #noted = new RecentMap<SessionKey, boolean>(1_000);
  #failure: { readonly error: PlatformError; readonly until: number } | null = null;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
  ) {}

  /**
   * Why nothing of a session is said in a private chat at this moment: others than its person would read it. Null where
   * they would not. `author` is who wrote there, where that is known. Throws a PlatformError while the platform has to be
   * asked for it, and cannot be.
   */
  async withheldBecause(conversation: Conversation, author: PlatformAuthor | null): Promise<HermesError | null> {
    const failure = this.#failure;
    if (failure !== null && this.clock.steady().ms < failure.until) throw failure.error;
    try {
      return this.homeWatch.isPrivateHome(conversation)
        ? await this.homeWatch.withheldBecause()
        : await this.#othersIn(chatOf(conversation), author);
    } catch (error) {
      if (error instanceof PlatformError && error.retryable) {
        this.#failure = { error, until: this.clock.steady().ms + ASK_AGAIN_MS };
      }
      throw error;
    }
  }

  async #othersIn(chat: Conversation, author: PlatformAuthor | null): Promise<HermesError | null> {
    const key = this.adapter.buildSessionKey(chat);
    if (this.#fixed.has(key) || this.#isDeclared(chat)) return null;
    const people = await this.#peopleAt(chat);
    if (people === null) this.#fixed.set(key, true);
    const isTheirs = (id: string) => author === null || isIdOf(author, id);
    const isAlone = people === null || (people.length <= 1 && people.every(isTheirs));
    await this.#note(key, chat, !isAlone);
    if (isAlone) return null;
    return new HermesError("CHAT_NOT_PRIVATE", { platform: chat.platform, people: people.join(", ") });
  }

  /** Null where nobody can enter or leave, and where the platform tells nobody, for good. */
  async #peopleAt(chat: Conversation): Promise<readonly string[] | null> {
    try {
      const { ids, isFixed } = await this.adapter.peopleAt(chat);
      return isFixed ? null : ids;
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryable) throw error;
      this.logger.debug({ reason: reasonOf(error) }, "who is in a private chat is not told");
      return [];
    }
  }

  /** The config says that others may read there. */
  #isDeclared({ chatId }: Conversation): boolean {
    return Object.values(this.account.options.places ?? {}).some((one) => one.chatId === chatId && one.shared === true);
  }

  /** Kept for the processes that cannot ask the platform: what a tool may do there depends on it. */
  async #note(key: SessionKey, chat: Conversation, shared: boolean): Promise<void> {
    if (this.#noted.get(key) === shared) return;
    const known = await this.store.places.get(key);
    if ((known?.shared ?? false) !== shared) {
      await this.store.places.note({ key, conversation: chat, name: null, word: "heard", person: null, shared });
    }
    this.#noted.set(key, shared);
  }
}

function isIdOf({ senderId, person, aliases }: PlatformAuthor, id: string): boolean {
  return [senderId, person, ...aliases].includes(id);
}
