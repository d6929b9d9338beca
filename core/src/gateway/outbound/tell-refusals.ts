import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, onAccount } from "../../adapter/conversation.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import type { UndeliveredMessage } from "../../model/delivery.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";

/** Most milliseconds between a change and the check for refusals, which covers all changes up to then. */
const LOOK_AFTER_MS = 500;

/** Most refusals that are reported at a time. */
const MOST_AT_ONCE = 20;

/**
 * Reports on a platform that mirrors sessions, such as the page, what other platforms refused for good, or may not have
 * taken and is held back: in the session's thread there, else in its private home.
 */
@scoped(Lifecycle.ContainerScoped)
export class RefusalTeller implements Disposable {
  readonly #watching: Disposable;
  #timer: Disposable | null = null;
  #isOver = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
  ) {
    this.#watching = store.watch(() => this.#soon());
    this.#soon();
  }

  #soon(): void {
    if (this.#isOver) return;
    this.#timer ??= this.clock.setTimer(LOOK_AFTER_MS, () => {
      this.#timer = null;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    const { store, logger } = this;
    try {
      for (const refused of await store.deliveries.untold(MOST_AT_ONCE)) {
        const entry = await this.#entryFor(refused);
        if (entry !== null) await store.deliveries.tell(refused.id, [entry]);
      }
    } catch (error) {
      // Looked at again with the next change: the store may be busy, or closing.
      logger.debug({ error }, "could not look for messages that were refused");
    }
  }

  /** Null where it cannot be told here: it was refused here, or nobody but strangers to the session would read it. */
  async #entryFor(refused: UndeliveredMessage): Promise<NewOutboxEntry | null> {
    const { store, adapter } = this;
    const { conversation, sessionId, error, isHeldBack, state } = refused;
    if (this.#isHere(conversation)) return null;
    const session = sessionId === null ? null : await store.sessions.get(sessionId);
    const at = (session && (await this.#placeOf(session.id))) ?? this.#privateHome();
    if (at === null) return null;
    const { deleted } = refused.message.tellsOf ?? {};
    const gone = deleted === undefined ? "a reply" : `a message of “${escapeMarkdown(deleted)}”, which was deleted`;
    const what = session === null ? gone : `a message of “${escapeMarkdown(session.title ?? session.id)}”`;
    const reason = escapeMarkdown(error?.text ?? "");
    const kept = isHeldBack
      ? "It is kept, and not sent again by itself"
      : "It is kept, and sent there before the next answer";
    const missed = state === "failed" ? "did not take" : "may not have taken";
    const markdown =
      `${conversation.platform} ${missed} ${what}. ${reason} ${kept}; ` +
      `\`hermes deliveries show ${refused.id}\` shows it.`;
    return { key: adapter.buildSessionKey(at), conversation: at, message: { kind: "notice", markdown }, sessionId };
  }

  #isHere({ platform, account }: Conversation): boolean {
    return platform === this.adapter.platform && account === this.account.account;
  }

  /** Where the session is shown here. */
  async #placeOf(sessionId: UndeliveredMessage["sessionId"] & string): Promise<Conversation | null> {
    const bindings = await this.store.bindings.of(sessionId);
    const here = bindings.filter(({ mirrors, conversation }) => mirrors && this.#isHere(conversation));
    return here.sort((a, b) => b.usedAt - a.usedAt)[0]?.conversation ?? null;
  }

  #privateHome(): Conversation | null {
    const { conversation } = this.homeWatch.home ?? {};
    return conversation?.kind === "dm" ? onAccount(conversation, this.account.account) : null;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#watching[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }
}
