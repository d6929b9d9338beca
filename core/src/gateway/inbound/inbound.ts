import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import type { InboundMessage, Press } from "../../adapter/message.ts";
import type { SessionKey } from "../../adapter/session-key.ts";
import { cannotRead } from "../../adapter/shared-items.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { isDoneWithin } from "../../base/deadline.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { CLOCK, LOGGER } from "../../base/tokens.ts";
import { parseCommand } from "../../command/parse-command.ts";
import { findCommand } from "../../command/registry.ts";
import type { InboxId, InboxRow } from "../../model/inbox.ts";
import type { UserId } from "../../model/session.ts";
import { STORE, type Store } from "../../store/store.ts";
import { LEAVING } from "../../turn/turn-runner.ts";
import type { Access } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { replyTo } from "../outbound/reply.ts";
import { AnswerByCommand } from "./answer-by-command.ts";
import { AnswerByTurn } from "./answer-by-turn.ts";
import { Decisions } from "./decisions.ts";
import { Intake, saysNothing } from "./intake.ts";
import { Lanes, type LaneWork } from "./lanes.ts";
import { LeftMessages } from "./left-messages.ts";
import { MessagesBehindTurns } from "./messages-behind-turns.ts";
import { Offers } from "./offers.ts";
import { ResumedTurns } from "./resumed-turns.ts";
import { SentCodes } from "./sent-codes.ts";

/** The pause before a busy store is retried, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * Handles messages from a platform: authorises and stores each one, then authorises it again in its conversation's lane
 * and answers it with a command or a turn.
 */
@scoped(Lifecycle.ContainerScoped)
export class Inbound implements AsyncDisposable {
  readonly #lanes = new Lanes(
    (key, lane) => this.#workOn(key, lane),
    (key) => this.#goesOn(key),
  );
  readonly #leaving = new AbortController();
  /** Commands, and answers to questions, that are dealt with at once, bypassing their lane. */
  readonly #immediate = new Map<InboxId, Promise<void>>();
  /** The names that people were noted with. */
  readonly #names = new RecentMap<UserId, string>(1_000);
  /** Set when this process drains: it finishes running answers and leaves waiting messages to the next holder. */
  #isClosing = false;

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(Intake) readonly intake: Intake,
    @inject(SentCodes) readonly codes: SentCodes,
    @inject(AnswerByCommand) readonly byCommand: AnswerByCommand,
    @inject(AnswerByTurn) readonly byTurn: AnswerByTurn,
    @inject(Decisions) readonly decisions: Decisions,
    @inject(Offers) readonly offers: Offers,
    @inject(ResumedTurns) readonly resumed: ResumedTurns,
    @inject(MessagesBehindTurns) readonly behind: MessagesBehindTurns,
    @inject(LeftMessages) readonly left: LeftMessages,
  ) {}

  /** Takes up the messages that an earlier process accepted but did not finish, and the turns that can go on. */
  async resume(): Promise<void> {
    const { store, adapter } = this;
    const { options } = this.account;
    this.resumed.open({ atHead: (key, work) => this.atHead(key, work), signal: this.#leaving.signal });
    for (const key of await store.inbox.openLanes(adapter.platform, options.account)) this.#lanes.wake(key);
  }

  /**
   * Takes up messages that are stored and nobody woke their lane for: the store failed right after it had one, or another
   * process that lost the account stored one. Never rejects.
   */
  async lookForMissed(): Promise<void> {
    const { store, adapter, logger } = this;
    try {
      const keys = await store.inbox.openLanes(adapter.platform, this.account.options.account);
      for (const key of keys) if (this.#lanes.isIdle(key)) this.#lanes.wake(key);
    } catch (error) {
      logger.warn({ error }, "messages that wait could not be looked for");
    }
  }

  /** Takes a message in. Resolves once it is stored or refused. */
  receive(received: InboundMessage): Promise<void> {
    return this.left.take(() => this.#receive(received));
  }

  /** Takes back a message that was deleted, if its turn has not begun. Resolves once that is stored. */
  retract(...word: Parameters<Intake["retract"]>): Promise<void> {
    return this.left.take(() => this.intake.retract(...word));
  }

  async #receive(received: InboundMessage): Promise<void> {
    if (await this.codes.take(received)) return;
    const accepted = await this.intake.accept(received);
    if (accepted === null) return;
    const { row, access } = accepted;
    const { message } = row;
    if (!received.isEdit) {
      this.behind.received(row);
      this.left.received(row);
    }
    const command = parseCommand(message.text);
    // What was or may be taken back waits in its lane; to stop a turn waits for nothing.
    const isHeld = (received.isEdit || this.left.isHeld(row)) && command?.name !== "stop";
    // An idle lane comes to it at once, and asks itself whether it answers a question.
    const isNext = !this.#isClosing && this.#lanes.isIdle(row.key) && command === null;
    if (isHeld || isNext || !this.#takeAtOnce(row, access)) this.#lanes.wake(row.key);
    if (message.sender.name) await this.#noteName(access, message.sender.name);
  }

  /** Takes the press of a choice in. Resolves once it has decided, or is refused or out of date. */
  async choose(press: Press): Promise<void> {
    const { store, adapter } = this;
    const { options } = this.account;
    const access = await this.intake.accessOf(press);
    if (access === null) return store.users.countRefused(adapter.platform, options.account);
    const isTaken = (await this.offers.press(press, access)) || (await this.intake.newcomers.press(press, access));
    if (!isTaken) await this.decisions.press(press, access);
    this.resumed.wake();
  }

  /** Records the writer's name. A failure does not matter: the message is stored and gets its answer anyway. */
  async #noteName({ user }: Access, name: string): Promise<void> {
    const { store, logger } = this;
    if (this.#names.get(user) === name) return;
    try {
      await store.users.note(user, name);
      this.#names.set(user, name);
    } catch (error) {
      logger.warn({ error }, "a person's name could not be kept");
    }
  }

  /** Runs `work` between two messages of a conversation. Rejects with LEAVING where this process leaves amid one. */
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.#lanes.atHead(key, async () => {
      // The next holder goes on with that message before it does the work.
      if (this.#isClosing && (await this.#isAmid(key))) throw LEAVING;
      return work();
    });
  }

  /** Whether the oldest message of a lane was begun, and this process goes on with it. */
  async #goesOn(key: SessionKey): Promise<boolean> {
    // Where the store does not say it, whoever works on the lane waits for the store.
    return !this.#isClosing && (await this.#isAmid(key).catch(() => true));
  }

  async #isAmid(key: SessionKey): Promise<boolean> {
    return (await this.store.inbox.head(key))?.state === "running";
  }

  /** Deals with a message that waits for no other one. False where it has to wait for its lane. */
  #takeAtOnce(row: InboxRow, access: Access): boolean {
    if (this.#immediate.has(row.id)) return true;
    const command = parseCommand(row.message.text);
    if (command?.name === "now" && !access.isGuest) {
      this.#runAtOnce(row, () => this.decisions.tellNow(row, access, command.argument));
    } else if (command) {
      // A turn that runs takes a handoff along at its next step.
      const isAtOnce = command.name === "handoff" || findCommand(command.name)?.immediate;
      if (!isAtOnce) return false;
      this.#runAtOnce(row, () => this.byCommand.answer(row, access, command));
    } else {
      this.#runAtOnce(row, () => this.#decide(row, access));
    }
    return true;
  }

  async #decide(row: InboxRow, access: Access): Promise<boolean> {
    const isAnswer = await this.decisions.answer(row, access);
    if (isAnswer) this.resumed.wake();
    return isAnswer;
  }

  #runAtOnce(row: InboxRow, work: () => Promise<unknown>): void {
    const running = work()
      .then(() => {})
      .catch((error: unknown) => this.logger.error({ row: row.id, error }, "a message could not be dealt with at once"))
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
    const { store, behind } = this;
    // That it was deleted is not in the store where it failed at that.
    if (await this.intake.wasRetracted(row)) return;
    if (await this.left.mayHaveChanged(row, this.#leaving.signal)) return;
    // The config may have changed since the message was kept.
    const access = await this.intake.accessOf(row.message);
    if (access === null) return this.#drop(row);
    // It may answer a question by now, or have done so when its process died.
    if (await this.#decide(row, access)) return;
    if (await behind.stillWaits(row)) return behind.wait(row, lane);

    const { text, unreadable } = row.message;
    const isNothing = saysNothing(row.message);
    const command = row.state === "queued" ? parseCommand(text) : null;
    // Whoever edited it meanwhile wants another one, or none.
    if ((isNothing || command) && (await store.inbox.head(row.key))?.digest !== row.digest) return;
    if (isNothing) {
      const told = unreadable && replyTo(row, { kind: "notice", markdown: cannotRead(unreadable) });
      return store.inbox.settle(row.id, [...this.byCommand.saidOf(row), ...(told ? [told] : [])]);
    }
    const asked = command
      ? await this.byCommand.answer(row, access, command)
      : { text, isAgain: false, outbox: this.byCommand.saidOf(row) };
    if (asked === null) return;
    const turn = await this.byTurn.answer(row, { access, ...asked, lane, signal: this.#leaving.signal });
    if (turn === null) return;
    await this.#takeThoseBehind(row);
    await behind.begin(row, access, turn);
  }

  /** Keeps nothing of a message whose writer may not talk to the agent any more, and counts it like a stranger's. */
  async #drop(row: InboxRow): Promise<void> {
    const { store, adapter, logger } = this;
    await store.inbox.settle(row.id, []);
    logger.info({ row: row.id }, "a message is not answered: whoever wrote it may not talk to the agent any more");
    await store.users.countRefused(adapter.platform, this.account.options.account);
  }

  /** An earlier process may have accepted what answers the question, or stops the turn, and not have dealt with it. */
  async #takeThoseBehind(row: InboxRow): Promise<void> {
    const { inbox } = this.store;
    let before = row.id;
    for (let next = await inbox.next(before); next !== null; next = await inbox.next(before)) {
      if (await this.left.mayHaveChanged(next, this.#leaving.signal)) continue;
      before = next.id;
      if (await this.intake.wasRetracted(next)) continue;
      const access = await this.intake.accessOf(next.message);
      if (access !== null) this.#takeAtOnce(next, access);
    }
  }

  /** Waits a while for running turns, then leaves them to the next holder. */
  async drain(patienceMs: number): Promise<void> {
    this.#isClosing = true;
    this.behind.release();
    this.left.release();
    const idle = this.#idle();
    await isDoneWithin(this.clock, patienceMs, idle);
    this.#leaving.abort(LEAVING);
    await idle;
  }

  async #idle(): Promise<void> {
    const resumed = this.resumed.close();
    await Promise.all(this.#immediate.values());
    await Promise.all([this.#lanes.idle(), resumed]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0);
  }
}
