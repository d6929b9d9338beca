import type { Agent } from "../agent/agent.ts";
import { type Clock, sleep } from "../base/clock.ts";
import { asHermesError, type HermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { CommandPlace, CommandResult } from "../command/command.ts";
import { type ParsedCommand, parseCommand } from "../command/parse-command.ts";
import { findCommand } from "../command/registry.ts";
import { runCommand } from "../command/run-command.ts";
import { SESSION_IS_IN_THE_TERMINAL } from "../handoff/notice.ts";
import type { PlatformAdapter } from "../platform/adapter.ts";
import { type Conversation, chatOf } from "../platform/conversation.ts";
import type { InboundMessage, OutboundMessage } from "../platform/message.ts";
import { buildSessionKey, type SessionKey } from "../platform/session-key.ts";
import type { PlatformOptions } from "../plugin/platform-options.ts";
import type { InboxId, InboxRow } from "../session/inbox.ts";
import type { NewOutboxEntry } from "../session/outbox.ts";
import type { Session, SessionId } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import { oneLine } from "../session/title.ts";
import { LEAVING, type TurnResult, type TurnRunner } from "../session/turn-runner.ts";
import { type Access, accessOf, addressOf } from "./access.ts";
import { BotLoopBreaker } from "./bot-loop-breaker.ts";
import { conversationPlace } from "./conversation-place.ts";
import type { Delivery } from "./delivery.ts";
import { Lanes, type LaneWork } from "./lanes.ts";
import { presentTurn } from "./present-turn.ts";
import type { Home } from "./served-account.ts";
import { userMessage } from "./user-message.ts";

export interface ConverseDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly agent: Agent;
  readonly runner: TurnRunner;
  readonly adapter: PlatformAdapter;
  readonly delivery: Delivery;
  readonly options: PlatformOptions;
  /** The home channel, and as a conversation; null where there is none. */
  readonly home: () => Home | null;
  readonly setHome: (conversation: Conversation, name: string | undefined) => Promise<string>;
  readonly handOff: ((session: Session, from: SessionKey, platform: string) => Promise<CommandResult>) | null;
}

/** A store that gives way is asked again after this long, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * The way of a message from a platform: authorised, kept, then in its conversation's lane authorised again and
 * answered, by a command or by a turn.
 */
export class Converse implements AsyncDisposable {
  readonly #deps: ConverseDeps;
  readonly #lanes: Lanes;
  readonly #leaving = new AbortController();
  /** Commands that run at once, out of their lane's order. */
  readonly #immediate = new Map<InboxId, Promise<void>>();
  readonly #bots = new BotLoopBreaker();
  /** What is being answered is finished; what waits is left for the next holder. */
  #isClosing = false;

  constructor(deps: ConverseDeps) {
    this.#deps = deps;
    this.#lanes = new Lanes((key, lane) => this.#workOn(key, lane));
  }

  /** Takes up what an earlier process had accepted and not finished. */
  async resume(): Promise<void> {
    const { store, adapter, options } = this.#deps;
    for (const key of await store.inbox.openLanes(adapter.platform, options.account)) this.#lanes.wake(key);
  }

  /** Resolves once the message is kept, or refused. */
  async receive(message: InboundMessage): Promise<void> {
    const { store, adapter, options, home } = this.#deps;
    const access = this.#accessOf(message);
    if (access === null) return store.users.countRefused(adapter.platform, options.account);
    const conversation = addressOf(message, options, home()?.channel ?? null);
    const key = adapter.buildSessionKey(conversation);
    if (!(await this.#isMeantForUs(message, conversation, key))) return;
    const result = await store.inbox.acceptInbound(key, { ...message, conversation });
    if (result.outcome !== "accepted") return;
    if (message.sender.name) await store.users.note(access.user, oneLine(message.sender.name));
    const command = parseCommand(message.text);
    if (command && findCommand(command.name)?.immediate) this.#runAtOnce(result.row, access, command);
    else this.#lanes.wake(key);
  }

  /**
   * In a group people also talk to each other. Looked at before the message is kept: a platform may report it a second
   * time, and then with the mention.
   */
  async #isMeantForUs(message: InboundMessage, conversation: Conversation, key: SessionKey): Promise<boolean> {
    const { store, options, home } = this.#deps;
    if (message.sender.isBot && !this.#bots.mayAnswer(key)) return false;
    if (!message.sender.isBot) this.#bots.heardPerson(key);
    if (conversation.kind === "dm" || !options.requireMention || message.isAddressed) return true;
    const at = home()?.conversation;
    if (at && buildSessionKey(at) === buildSessionKey(conversation)) return true;
    return conversation.threadId !== undefined && (await store.bindings.get(key)) !== null;
  }

  /** Runs `work` between two messages of a conversation. */
  atHead<T>(key: SessionKey, work: () => Promise<T>): Promise<T> {
    return this.#lanes.atHead(key, work);
  }

  #accessOf(message: InboundMessage): Access | null {
    const { options, home } = this.#deps;
    const { channel, conversation } = home() ?? { channel: null, conversation: null };
    // While the platform does not say what the home channel is, the config's word on which chat it is counts.
    const isHome = channel !== null && message.conversation.chatId === channel.chatId;
    return accessOf(message, { options, home: conversation ?? (isHome ? message.conversation : null) });
  }

  #runAtOnce(row: InboxRow, access: Access, command: ParsedCommand): void {
    const running = this.#runCommand(row, access, command)
      .then(() => {})
      .catch((error: unknown) => this.#deps.logger.error({ row: row.id, error }, "a command failed"))
      .finally(() => {
        this.#immediate.delete(row.id);
        this.#lanes.wake(row.key);
      });
    this.#immediate.set(row.id, running);
  }

  async #workOn(key: SessionKey, lane: LaneWork): Promise<boolean> {
    if (this.#isClosing) return false;
    const { store, clock, logger } = this.#deps;
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
    const { store } = this.#deps;
    // The config may have changed since the message was kept.
    const access = this.#accessOf(row.message);
    if (access === null) return store.inbox.settle(row.id, []);

    const command = row.state === "queued" ? parseCommand(row.message.text) : null;
    const submit = command ? await this.#runCommand(row, access, command) : row.message.text;
    if (submit !== null) await this.#runTurn(row, access, submit, lane);
  }

  /** Runs a command and says what came of it; returns the message that it wants run as a turn, or null. */
  async #runCommand(row: InboxRow, access: Access, { name, argument }: ParsedCommand): Promise<string | null> {
    const { store } = this.#deps;
    let result: CommandResult;
    try {
      await this.#branchOff(row, access);
      result = await runCommand(name, this.#place(row, access), argument);
    } catch (thrown) {
      const error = asHermesError(thrown);
      if (error.code === "INTERNAL") this.#deps.logger.error({ row: row.id, error: thrown }, "a command failed");
      result = { reply: sentence(error) };
    }
    const reply = entryFor(row, { kind: "notice", markdown: result.reply, files: result.files ?? [] });
    if (result.submit === undefined) {
      await store.inbox.settle(row.id, [reply]);
      return null;
    }
    await store.outbox.enqueue([reply]);
    return result.submit;
  }

  #place({ id, key, message }: InboxRow, access: Access): CommandPlace {
    const { store, clock, agent, adapter, setHome, handOff } = this.#deps;
    const { conversation, sender, chatName } = message;
    return conversationPlace({
      store,
      clock,
      agent,
      requestId: id,
      key,
      conversation,
      access,
      sender: sender.id,
      mirrors: adapter.capabilities.mirrors,
      setHome: () => setHome(chatOf(conversation), chatName),
      handOff: handOff === null ? undefined : (session, platform) => handOff(session, key, platform),
    });
  }

  async #runTurn(row: InboxRow, access: Access, text: string, lane: LaneWork): Promise<void> {
    const { store, runner, logger } = this.#deps;
    const { key, message } = row;
    const { conversation } = message;
    const sessionId = await this.#sessionFor(row, access);
    if (sessionId === null) {
      await store.inbox.settle(row.id, [entryFor(row, SESSION_IS_IN_THE_TERMINAL)]);
      return;
    }
    await this.#offerUncertain(row, sessionId);
    const shown = presentTurn(this.#deps, { key, conversation });
    try {
      const outcome = await runner.run({
        sessionId,
        cause: { kind: "inbox", inboxId: row.id },
        surface: key,
        message: userMessage(message, key, text),
        tools: true,
        signal: this.#leaving.signal,
        closedNotice: entryFor(row, closedNotice(text), sessionId),
        onEvent: (event) => {
          if (event.type === "waiting") lane.stand();
          if (event.type === "started") lane.proceed();
          shown.onEvent(event);
        },
        compose: async (result) => {
          await shown.close();
          return [{ ...entryFor(row, answerOf(result), sessionId), turnId: result.turn.id }];
        },
      });
      if (outcome.state !== "refused") return;
      if (outcome.reason === "unknown_session") await store.bindings.unbind(key);
      if (outcome.reason === "answered") await store.inbox.settle(row.id, []);
    } catch (thrown) {
      if (asHermesError(thrown).code !== "TURN_SUPERSEDED") throw thrown;
      logger.warn({ row: row.id }, "another process took a turn over");
    } finally {
      await shown.close();
    }
  }

  /** The session that a conversation leads to, a new one if none; null where a handoff to it came to nothing. */
  async #sessionFor(row: InboxRow, access: Access): Promise<SessionId | null> {
    const { store } = this.#deps;
    await this.#branchOff(row, access);
    const binding = await store.bindings.get(row.key);
    if (binding) return binding.sessionId;
    if ((await store.handoffs.latestBoundAt(row.key))?.state === "failed") return null;
    return (await this.#place(row, access).startSession()).id;
  }

  /** Lets a thread that hangs on a message of the chat go on with the chat's session, unless it has had one of its own. */
  async #branchOff(row: InboxRow, access: Access): Promise<void> {
    const { store, adapter } = this.#deps;
    const { conversation, isBranch } = row.message;
    if (!isBranch || (await store.bindings.get(row.key)) || (await store.handoffs.latestBoundAt(row.key))) return;
    const stem = await store.bindings.get(adapter.buildSessionKey(chatOf(conversation)));
    const session = stem && (await store.sessions.get(stem.sessionId));
    if (session) await this.#place(row, access).switchTo(session);
  }

  /** What may not have arrived is offered again before the next answer. */
  async #offerUncertain({ key, message }: InboxRow, sessionId: SessionId): Promise<void> {
    const { store } = this.#deps;
    const uncertain = await store.outbox.takeUncertain(key);
    if (uncertain.length === 0) return;
    const messages = [
      ...new Map(uncertain.map((row) => [`${row.turnId ?? row.id} ${row.message.kind}`, row.message])).values(),
    ];
    const notice: OutboundMessage = { kind: "notice", markdown: "This may not have reached you before:" };
    await store.outbox.enqueue(
      [notice, ...messages].map((again) => ({ key, conversation: message.conversation, message: again, sessionId })),
    );
  }

  /** Lets turns that run come to their end for a while, then leaves them for the next holder. */
  async drain(patienceMs: number): Promise<void> {
    const { clock } = this.#deps;
    this.#isClosing = true;
    const done = new AbortController();
    const idle = this.#idle().finally(() => done.abort());
    await Promise.race([idle, sleep(clock, patienceMs, done.signal)]);
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

function entryFor(
  { key, message }: InboxRow,
  said: OutboundMessage,
  sessionId: SessionId | null = null,
): NewOutboxEntry {
  return { key, conversation: message.conversation, message: said, sessionId };
}

function answerOf(result: TurnResult): OutboundMessage {
  switch (result.state) {
    case "done":
      return { kind: "answer", markdown: result.text.trim() || "*(The model gave no answer.)*" };
    case "stopped":
      return { kind: "answer", markdown: `${result.text.trim()}\n\n*(Stopped.)*`.trim() };
    case "failed":
      return { kind: "notice", markdown: sentence(result.error) };
  }
}

function closedNotice(text: string): OutboundMessage {
  const request = oneLine(text);
  const quoted = request.length > 80 ? `${request.slice(0, 80).toWellFormed()}…` : request;
  return {
    kind: "notice",
    markdown:
      `Hermes stopped while it worked on “${quoted}”. It was not run again, since part of it may have been done. ` +
      "Send it again if you still want it.",
  };
}

function sentence(error: HermesError): string {
  // Where the store lies, and who has it, is nothing for a chat.
  if (error.code.startsWith("STORE_")) return "Hermes cannot reach its store just now. Try again in a moment.";
  return `${error.message} ${error.hint}`.trim();
}
