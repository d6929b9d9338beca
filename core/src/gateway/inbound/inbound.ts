import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { InboundMessage, Press } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { cannotRead } from "../../adapter/shared-items.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import type { Logger } from "../../base/logger.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import { type ParsedCommand, parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import { STORE, type Store } from "../../store/store.ts";
import { LEAVING } from "../../turn/turn-runner.ts";
import type { Access } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { replyTo } from "../outbound/reply.ts";
import { AnswerByCommand } from "./answer-by-command.ts";
import { AnswerByTurn } from "./answer-by-turn.ts";
import { Intake, saysOnlyUnreadable } from "./intake.ts";
import { Lanes, type LaneWork } from "./lanes.ts";

/** The pause before a busy store is retried, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Handles messages from a platform: authorises and stores each one, then authorises it again in its conversation's lane
 * and answers it with a command or a turn.
 */
@scoped(Lifecycle.ContainerScoped)
export class Inbound implements AsyncDisposable {
  readonly #lanes = new Lanes((key, lane) => this.#workOn(key, lane));
  readonly #leaving = new AbortController();
  /** Commands that run at once, bypassing their lane. */
  readonly #immediate = new Map<InboxId, Promise<void>>();
  /** Set when this process drains: it finishes running answers and leaves waiting messages to the next holder. */
  #isClosing = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(Intake) readonly intake: Intake,
    @inject(AnswerByCommand) readonly byCommand: AnswerByCommand,
    @inject(AnswerByTurn) readonly byTurn: AnswerByTurn,
  ) {}

  /** Resumes the messages that an earlier process accepted but did not finish. */
  async resume(): Promise<void> {
    const { store, adapter } = this;
    const { options } = this.account;
    for (const key of await store.inbox.openLanes(adapter.platform, options.account)) this.#lanes.wake(key);
  }

  /** Takes a message in. Resolves once it is stored or refused. */
  async receive(received: InboundMessage): Promise<void> {
    const accepted = await this.intake.accept(received);
    if (accepted === null) return;
    const { row, access } = accepted;
    const { message } = row;
    if (message.sender.name) await this.#noteName(access, message.sender.name);
    const command = parseCommand(message.text);
    if (command && findCommand(command.name)?.immediate) this.#runAtOnce(row, access, command);
    else this.#lanes.wake(row.key);
  }

  /**
   * Takes the press of a choice in. Resolves once it is stored or refused. No message asks for a choice yet, so a press
   * decides nothing: it comes from an older or newer Hermes, or is forged.
   */
  async choose(press: Press): Promise<void> {
    const { store, logger, adapter } = this;
    const { options } = this.account;
    if ((await this.intake.accessOf(press)) === null)
      return store.users.countRefused(adapter.platform, options.account);
    // Does not log the choice: its id may grant a right.
    const { conversation, messageId } = press;
    logger.info({ chat: conversation.chatId, message: messageId }, "a choice was pressed that nothing asks for");
  }

  /** Records the writer's name. A failure does not matter: the message is stored and gets its answer anyway. */
  async #noteName({ user }: Access, name: string): Promise<void> {
    const { store, logger } = this;
    try {
      await store.users.note(user, name);
    } catch (error) {
      logger.warn({ error }, "a person's name could not be kept");
    }
  }

  /** Runs `work` between two messages of a conversation. */
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.#lanes.atHead(key, work);
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
    const access = await this.intake.accessOf(row.message);
    if (access === null) return store.inbox.settle(row.id, []);

    const { unreadable } = row.message;
    if (unreadable !== undefined && saysOnlyUnreadable(row.message)) {
      return store.inbox.settle(row.id, [replyTo(row, { kind: "notice", markdown: cannotRead(unreadable) })]);
    }

    const command = row.state === "queued" ? parseCommand(row.message.text) : null;
    const { text } = row.message;
    const asked = command ? await this.byCommand.answer(row, access, command) : { text, isAgain: false };
    if (asked !== null) await this.byTurn.answer(row, { access, ...asked, lane, signal: this.#leaving.signal });
  }

  /** Waits a while for running turns, then leaves them to the next holder. */
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
