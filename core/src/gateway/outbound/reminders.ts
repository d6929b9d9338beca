import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, onAccount } from "../../adapter/conversation.ts";
import type { Clock } from "../../base/clock.ts";
import { Coalesced } from "../../base/coalesced.ts";
import { PlatformError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { regularly } from "../../base/regularly.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import { codeSpan, escapeMarkdown } from "../../markdown/escape-markdown.ts";
import type { Approval } from "../../model/approval.ts";
import { askedText } from "../../model/approval-text.ts";
import { STORE, type Store } from "../../store/store.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { turnPlace } from "../turn-place.ts";

/** How long a question is open before the operators are reminded of it, in milliseconds. */
const REMIND_AFTER_MS = 60 * 60_000;

const LOOK_EVERY_MS = 60_000;

/**
 * Reminds the operators, in the home channel and once, of questions of the account and of the terminal that nobody has
 * answered.
 */
@scoped(Lifecycle.ContainerScoped)
export class Reminders implements Disposable {
  readonly #looks = new Coalesced(() => this.#look());
  readonly #timer: Disposable;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
  ) {
    void this.#looks.run();
    this.#timer = regularly(clock, LOOK_EVERY_MS, () => this.#looks.run());
  }

  async #look(): Promise<void> {
    const { store, clock, logger, homeWatch } = this;
    const home = homeWatch.home?.conversation;
    if (!home) return;
    try {
      const at = { platform: this.adapter.platform, account: this.account.account };
      for (const approval of await store.approvals.unreminded(at, clock.now() - REMIND_AFTER_MS)) {
        if (await this.#isOurs(approval)) await this.#remind(approval, onAccount(home, at.account));
      }
    } catch (error) {
      logger.warn({ error }, "nobody could be reminded of open questions; it is tried again");
    }
  }

  async #isOurs({ turnId }: Approval): Promise<boolean> {
    const turn = await this.store.turns.get(turnId);
    // Whichever account looks first brings it to its home.
    if (turn?.surface === "terminal") return true;
    const { platform, account } = (turn && (await turnPlace(this.store.bindings, turn)))?.conversation ?? {};
    return platform === this.adapter.platform && account === this.account.account;
  }

  /** A private home channel, with nobody but its operator in it, also gets the question itself, to be answered there. */
  async #remind(approval: Approval, conversation: Conversation): Promise<void> {
    const { store, adapter } = this;
    const { id, sessionId } = approval;
    const at = { key: adapter.buildSessionKey(conversation), conversation };
    const isPrivate = conversation.kind === "dm" && (await this.#isOperatorsAlone());
    const session = await store.sessions.get(sessionId);
    // Others read a shared home channel, and may know nothing of the session.
    const markdown = isPrivate
      ? `**${escapeMarkdown(session?.title ?? sessionId)}** has waited for an answer for an hour: ${codeSpan(askedText(approval))}.`
      : "A session has been waiting for an answer for an hour; answer it where it was asked.";
    const told = { ...at, message: { kind: "notice", markdown }, sessionId: isPrivate ? sessionId : null } as const;
    const isFirst = await store.approvals.remind(id, told);
    if (isFirst && isPrivate) await store.approvals.showAt(sessionId, at);
  }

  /** Asked of the platform at that moment: others may have come into the home channel, or its operator left it. */
  async #isOperatorsAlone(): Promise<boolean> {
    const { homeWatch } = this;
    try {
      await homeWatch.check();
      return homeWatch.home?.channel.shared !== true;
    } catch (error) {
      if (error instanceof PlatformError && error.retryable) throw error;
      return false;
    }
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}
