import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { Conversation } from "../../adapter/conversation.ts";
import type { InboundMessage, Press } from "../../adapter/message.ts";
import { buildSessionKey, type SessionKey } from "../../adapter/session-key.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import type { Logger } from "../../base/logger.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import { type ParsedCommand, parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import { LEAVING } from "../../turn/turn-runner.ts";
import { type Access, accessOf, addressOf, keyOf } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { HomeWatch } from "../account/home-watch.ts";
import { AnswerByCommand } from "./answer-by-command.ts";
import { AnswerByTurn } from "./answer-by-turn.ts";
import { BotLoopBreaker } from "./bot-loop-breaker.ts";
import { Lanes, type LaneWork } from "./lanes.ts";
import { withSafeNames } from "./safe-names.ts";

/** A store that gives way is asked again after this long, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * The way of a message from a platform: authorised, kept, then in its conversation's lane authorised again and
 * answered, by a command or by a turn.
 */
@scoped(Lifecycle.ContainerScoped)
export class Inbound implements AsyncDisposable {
  readonly #lanes = new Lanes((key, lane) => this.#workOn(key, lane));
  readonly #leaving = new AbortController();
  /** Commands that run at once, out of their lane's order. */
  readonly #immediate = new Map<InboxId, Promise<void>>();
  readonly #bots = new BotLoopBreaker();
  /** What is being answered is finished; what waits is left for the next holder. */
  #isClosing = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(HomeWatch) readonly homeWatch: HomeWatch,
    @inject(AnswerByCommand) readonly byCommand: AnswerByCommand,
    @inject(AnswerByTurn) readonly byTurn: AnswerByTurn,
  ) {}

  /** Takes up what an earlier process had accepted and not finished. */
  async resume(): Promise<void> {
    const { store, adapter } = this;
    const { options } = this.account;
    for (const key of await store.inbox.openLanes(adapter.platform, options.account)) this.#lanes.wake(key);
  }

  /** Resolves once the message is kept, or refused. */
  async receive(received: InboundMessage): Promise<void> {
    const message = withSafeNames(received);
    const { store, adapter, homeWatch } = this;
    const { options, identities } = this.account;
    const access = await this.#accessOf(message);
    if (access === null) return store.users.countRefused(adapter.platform, options.account);
    await identities.keep(message.sender);
    const conversation = addressOf(message, options, homeWatch.home?.channel ?? null);
    const key = adapter.buildSessionKey(conversation);
    if (!(await this.#isMeantForUs(message, conversation, key))) return;
    const result = await store.inbox.acceptInbound(key, { ...message, conversation });
    if (result.outcome !== "accepted") return;
    if (message.sender.name) await this.#noteName(access, message.sender.name);
    const command = parseCommand(message.text);
    if (command && findCommand(command.name)?.immediate) this.#runAtOnce(result.row, access, command);
    else this.#lanes.wake(key);
  }

  /**
   * Resolves once a press is kept, or refused. Nothing asks for a choice by now, so that a press, of whomever, decides
   * nothing: one of an older or newer Hermes, or one that somebody made up.
   */
  async choose(press: Press): Promise<void> {
    const { store, logger, adapter } = this;
    const { options } = this.account;
    if ((await this.#accessOf(press)) === null) return store.users.countRefused(adapter.platform, options.account);
    // Without the choice: its id may stand for a right.
    const { conversation, messageId } = press;
    logger.info({ chat: conversation.chatId, message: messageId }, "a choice was pressed that nothing asks for");
  }

  /** The message is kept by now, and is answered also where a busy store does not take its writer's name. */
  async #noteName({ user }: Access, name: string): Promise<void> {
    const { store, logger } = this;
    try {
      await store.users.note(user, name);
    } catch (error) {
      logger.warn({ error }, "a person's name could not be kept");
    }
  }

  /**
   * In a group people also talk to each other. Looked at before the message is kept: a platform may report it a second
   * time, and then with the mention.
   */
  async #isMeantForUs(message: InboundMessage, conversation: Conversation, key: SessionKey): Promise<boolean> {
    const { store, homeWatch } = this;
    const { options } = this.account;
    if (message.sender.isBot && !this.#bots.mayAnswer(key)) return false;
    if (!message.sender.isBot) this.#bots.heardPerson(key);
    if (conversation.kind === "dm" || !options.requireMention || message.isAddressed) return true;
    const at = homeWatch.home?.conversation;
    if (at && buildSessionKey(at) === buildSessionKey(conversation)) return true;
    return conversation.threadId !== undefined && (await store.bindings.get(key)) !== null;
  }

  /** Runs `work` between two messages of a conversation. */
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.#lanes.atHead(key, work);
  }

  /** Asked at the moment of use: an id may have passed to somebody else since the message came. */
  async #accessOf(message: Pick<InboundMessage, "conversation" | "sender">): Promise<Access | null> {
    const { homeWatch } = this;
    const { options, identities } = this.account;
    const sender = await identities.current(message.sender);
    const homePerson = await homeWatch.personAt(message.conversation);
    if (homePerson !== null && homePerson !== keyOf(sender) && !sender.isBot) void homeWatch.noticeStranger();
    return accessOf({ conversation: message.conversation, sender }, { options, homePerson });
  }

  #runAtOnce(row: InboxRow, access: Access, command: ParsedCommand): void {
    const running = this.byCommand
      .answer(row, access, command)
      .then(() => {})
      .catch((error: unknown) => this.logger.error({ row: row.id, error }, "a command failed"))
      .finally(() => {
        this.#immediate.delete(row.id);
        this.#lanes.wake(row.key);
      });
    this.#immediate.set(row.id, running);
  }

  async #workOn(key: SessionKey, lane: LaneWork): Promise<boolean> {
    if (this.#isClosing) return false;
    const { store, clock, logger } = this;
    try {
      const row = await store.inbox.head(key);
      if (row === null) return false;
      const atOnce = this.#immediate.get(row.id);
      if (atOnce) await atOnce;
      else await this.#answer(row, lane);
    } catch (error) {
      if (this.#leaving.signal.aborted) return false;
      logger.error({ key, error }, "a message could not be answered; it is tried again");
      await sleep(clock, RETRY_MS, this.#leaving.signal);
    }
    return true;
  }

  async #answer(row: InboxRow, lane: LaneWork): Promise<void> {
    const { store } = this;
    // The config may have changed since the message was kept.
    const access = await this.#accessOf(row.message);
    if (access === null) return store.inbox.settle(row.id, []);

    const command = row.state === "queued" ? parseCommand(row.message.text) : null;
    const text = command ? await this.byCommand.answer(row, access, command) : row.message.text;
    if (text === null) return;
    await this.byTurn.answer(row, {
      access,
      text,
      isAgain: command !== null,
      lane,
      signal: this.#leaving.signal,
    });
  }

  /** Lets turns that run come to their end for a while, then leaves them for the next holder. */
  async drain(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    const idle = this.#idle();
    await isDoneWithin(this.clock, patienceMs, idle);
    this.#leaving.abort(LEAVING);
    await idle;
  }

  async #idle(): Promise<void> {
    await Promise.all(this.#immediate.values());
    await this.#lanes.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }
}
