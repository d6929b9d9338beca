import type { AdapterEvents } from "../../adapter/adapter.ts";
import { chatOf, onAccount } from "../../adapter/conversation.ts";
import type { InboundMessage } from "../../adapter/message.ts";
import { buildSessionKey } from "../../adapter/session-key.ts";
import { HermesError } from "../../base/errors.ts";
import { shortName } from "../../base/one-line.ts";
import { LOGGER } from "../../base/tokens.ts";
import { commandsOfPlatforms } from "../../command/registry.ts";
import { keyOf } from "../../gateway/account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../../gateway/account/account.ts";
import { AccountLease } from "../../gateway/account/account-lease.ts";
import { HomeWatch } from "../../gateway/account/home-watch.ts";
import { KnownIdentities } from "../../gateway/account/known-identities.ts";
import { Intake } from "../../gateway/inbound/intake.ts";
import type { Host } from "../../host/host.ts";
import type { SeenHome } from "../../model/home-person.ts";
import type { ConfiguredPlugin } from "../../plugin/configured-plugin.ts";
import { PLATFORM_COMMANDS } from "../../plugin/descriptor.ts";
import { PluginLife } from "../../plugin/plugin-life.ts";
import { isWord, newWord, WORD_LASTS_MS } from "./one-time-word.ts";

/** A private chat from which the one-time word came. */
export interface FoundHome {
  readonly chatId: string;
  /** The sender, by what the platform calls them; empty where it tells no name. Made safe to show. */
  readonly name: string;
  readonly person: string;
  readonly seen: Omit<SeenHome, "isFixed">;
}

/**
 * Reads the messages of a platform account while its home channel is looked for, and answers none of them. What is written
 * meanwhile by those who may talk to Hermes already waits in the store for the gateway.
 */
export class HomeFinder implements AsyncDisposable {
  readonly #configured: ConfiguredPlugin;
  readonly #clock: Host["clock"];
  readonly #ending: (() => Promise<unknown>)[];
  /** Messages that come before wait for it. */
  readonly #intake = Promise.withResolvers<Intake>();
  #awaited: { readonly word: string; readonly until: number; found(home: FoundHome): void } | null = null;
  /** Rejects when the adapter fails. */
  readonly failure: Promise<never>;

  private constructor(
    configured: ConfiguredPlugin,
    clock: Host["clock"],
    failure: Promise<HermesError>,
    ending: (() => Promise<unknown>)[],
  ) {
    this.#configured = configured;
    this.#clock = clock;
    this.#ending = ending;
    this.failure = failure.then((error) => {
      throw error;
    });
    // Nobody may be waiting for them just now.
    this.failure.catch(() => {});
    this.#intake.promise.catch(() => {});
  }

  /**
   * Connects the account, under the lease that a gateway would have. Throws INIT_ACCOUNT_SERVED where a gateway has it, and
   * why the platform cannot be reached.
   */
  static async open(host: Host, configured: ConfiguredPlugin): Promise<HomeFinder> {
    const { container, store, logger, clock } = host;
    const { options, descriptor } = configured;
    const { platform } = descriptor;
    const account: Account = {
      platform,
      account: options.account,
      options,
      identities: new KnownIdentities(store, platform, options),
      takesHandoffs: false,
      handOff: null,
      overview: null,
      onChange: () => Promise.resolve(),
    };
    const own = container.createChildContainer();
    own.registerInstance(PLATFORM_COMMANDS, commandsOfPlatforms());
    own.registerInstance(ACCOUNT, account);
    own.registerInstance(LOGGER, logger.child({ platform }));
    const lease = own.resolve(AccountLease);
    const ending: (() => Promise<unknown>)[] = [() => lease[Symbol.asyncDispose]()];
    const end = async () => {
      for (const step of ending.splice(0).reverse()) await step();
    };
    let finder: HomeFinder | undefined;
    try {
      await lease.start();
      if (!lease.isHeld) throw new HermesError("INIT_ACCOUNT_SERVED", { platform });
      const life = new PluginLife(configured, own, { identities: account.identities });
      ending.push(() => life.end());
      const adapter = await life.load();
      finder = new HomeFinder(configured, clock, life.failure, ending);
      await life.start(finder.#events(() => lease.isStillHeld()));
      own.registerInstance(ADAPTER, adapter);
      const homeWatch = own.resolve(HomeWatch);
      ending.push(async () => homeWatch[Symbol.dispose]());
      await homeWatch.open();
      finder.#intake.resolve(own.resolve(Intake));
      return finder;
    } catch (error) {
      // Messages that wait for it would keep the adapter from stopping.
      if (finder) finder.#intake.reject(error);
      await end();
      throw error;
    }
  }

  /** A new word, and the first private chat that sends it. It counts once, and for ten minutes. */
  expect(): { readonly word: string; readonly found: Promise<FoundHome> } {
    const { promise, resolve } = Promise.withResolvers<FoundHome>();
    const word = newWord();
    this.#awaited = { word, until: this.#clock.now() + WORD_LASTS_MS, found: resolve };
    return { word, found: promise };
  }

  #events(holdsAccount: () => Promise<boolean>): Omit<AdapterEvents, "fail"> {
    return {
      receive: async (message) => {
        if (!this.#isWord(message)) await (await this.#intake.promise).accept(message);
      },
      choose: () => Promise.resolve(),
      settle: async (...word) => (await this.#intake.promise).settle(...word),
      moved: async (from, to) => (await this.#intake.promise).moved(from, to),
      retracted: async (...word) => (await this.#intake.promise).retract(...word),
      holdsAccount,
    };
  }

  /** Takes the one-time word, where it is that. Whoever sends anything else, or anywhere else, has not sent it. */
  #isWord(message: InboundMessage): boolean {
    const { conversation, sender, text, isEdit } = message;
    const awaited = this.#awaited;
    if (awaited === null || this.#clock.now() >= awaited.until) return false;
    if (conversation.kind !== "dm" || sender.isBot || isEdit || !isWord(text, awaited.word)) return false;
    this.#awaited = null;
    const { options, descriptor } = this.#configured;
    const person = keyOf(sender);
    const chat = chatOf(onAccount(conversation, options.account));
    const name = shortName(sender.name ?? message.chatName ?? "");
    awaited.found({
      chatId: chat.chatId,
      name,
      person,
      seen: {
        platform: descriptor.platform,
        account: options.account,
        home: chat.chatId,
        chat: buildSessionKey(chat),
        name: name || null,
        isPrivate: true,
        present: [person],
      },
    });
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const step of this.#ending.splice(0).reverse()) await step();
  }
}
