import { inject, Lifecycle, scoped } from "tsyringe";
import type { PlatformAdapter } from "../../adapter/adapter.ts";
import { type Conversation, onAccount } from "../../adapter/conversation.ts";
import type { Press } from "../../adapter/message.ts";
import type { Logger } from "../../base/logger.ts";
import { RecentMap } from "../../base/recent-map.ts";
import { LOGGER } from "../../base/tokens.ts";
import { parseCommand } from "../../command/parse-command.ts";
import {
  type Approval,
  type ApprovalChoice,
  type ApprovalDecision,
  type ApprovalId,
  closedQuestion,
  readChoiceId,
  type ShownApproval,
} from "../../model/approval.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { UserId } from "../../model/session.ts";
import { authorOf, type TurnAuthor } from "../../model/turn.ts";
import { userOf } from "../../store/current-rights.ts";
import { STORE, type Store } from "../../store/store.ts";
import type { Access } from "../account/access.ts";
import { ACCOUNT, type Account, ADAPTER } from "../account/account.ts";
import { ChatReaders } from "../account/chat-readers.ts";
import { replyTo } from "../outbound/reply.ts";
import { howToAllow, ONLY_OPERATORS } from "./decision-text.ts";
import { type Answerer, deciderOf, mayDecide } from "./may-decide.ts";
import { canAnswer, readAnswer, type TypedAnswer } from "./read-answer.ts";
import { RunningTurns } from "./running-turns.ts";
import { userMessage } from "./user-message.ts";

/** Decides open questions by what people press or write where these are shown. */
@scoped(Lifecycle.ContainerScoped)
export class Decisions {
  /** Questions of which was said who may answer them. */
  readonly #explained = new RecentMap<ApprovalId, true>(1_000);

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(ADAPTER) readonly adapter: PlatformAdapter,
    @inject(ACCOUNT) readonly account: Account,
    @inject(RunningTurns) readonly running: RunningTurns,
    @inject(ChatReaders) readonly readers: ChatReaders,
  ) {}

  /**
   * Takes the press of somebody who may talk to the agent. Resolves once it has decided, or turned out to decide
   * nothing.
   */
  async press(press: Press, access: Access): Promise<void> {
    const { store } = this;
    const choice = readChoiceId(press.choiceId);
    const approval = choice && (await store.approvals.get(choice.approvalId));
    if (!choice || !approval || !isChoiceOf(approval, press.choiceId)) return this.#ignore(press, "nothing asks for");
    const author = (await store.turns.get(approval.turnId))?.author ?? null;
    const by = await this.#answerer(press, access);
    const isTheirs = await this.readers.mayBeIn(approval.sessionId, by.conversation, access);
    if (approval.state !== "open") {
      return isTheirs
        ? this.#sayOver(approval, by, press)
        : this.#ignore(press, "is of a session that is not theirs any more");
    }

    const shown = await this.#shownAt(approval.id, by.conversation, author);
    if (shown === null) return this.#ignore(press, "is not asked for there");
    const mayAnswer = isTheirs && mayDecide(approval, await this.#userOf(author), by);
    if (!mayAnswer) return this.#explain(approval.id, shown, by);
    await this.#decide(approval, decisionOf(choice, approval), shown, by);
  }

  /**
   * Takes a message as the answer to what is asked where it was written. False where it is none, and is to be answered
   * like any other.
   */
  async answer(row: InboxRow, access: Access): Promise<boolean> {
    const { store } = this;
    const { key, message } = row;
    if (row.state !== "queued" || !canAnswer(message) || parseCommand(message.text) !== null) return false;
    const shown = await store.approvals.shownAt(key);
    if (shown.length === 0) return false;
    // Once the chat leads to another session, messages are for that one.
    const here = (await store.bindings.get(key))?.sessionId;
    const open = shown.filter(({ approval }) => approval.sessionId === here);
    const answer = readAnswer(row, open);
    if (answer === null) return false;
    const by = await this.#answerer(message, access);
    const whose = await this.#userOf(await this.#authorOf(open));
    if (!open.every(({ approval }) => mayDecide(approval, whose, by))) return false;
    return this.#take(answer, row, by);
  }

  /**
   * Hands a message to the turn that runs, which takes it in before it asks the agent on: of whoever may answer the
   * agent's questions. Where it does not come to that, the message is answered in its lane.
   */
  async tellNow(row: InboxRow, access: Access, text: string): Promise<void> {
    const { key, message, id: inboxId, digest } = row;
    const sessionId = (await this.store.bindings.get(key))?.sessionId;
    const turn = sessionId === undefined ? null : this.running.of(sessionId);
    if (turn === null || text === "") return;
    const by = await this.#answerer(message, access);
    if (access.isGuest || !mayDecide({ kind: "question" }, await this.#userOf(turn.author), by)) return;
    this.running.tell(turn.sessionId, { inboxId, digest, message: userMessage(message, key, access, text) });
  }

  async #take(answer: TypedAnswer, row: InboxRow, by: Answerer): Promise<boolean> {
    const { store, adapter } = this;
    const { key, message } = row;
    if (answer.kind === "unclear") {
      const typed = (command: string) => adapter.typedCommand(command, message.conversation);
      await store.inbox.settle(row.id, [
        replyTo(row, { kind: "notice", markdown: howToAllow(answer.approvals, typed) }, answer.approvals[0]?.sessionId),
      ]);
      return true;
    }
    const request = { id: answer.approval.id, by: deciderOf(by), surface: key, inboxId: row.id, digest: row.digest };
    if (answer.kind === "decision") {
      const result = await store.approvals.decide({ ...request, decision: answer.decision });
      if (result.state === "over") await this.#sayOver(result.approval, by, message);
      return result.state === "decided" || result.state === "over";
    }
    // Refused with the person's own words, which the agent reads next.
    const words = userMessage(message, key, by.access);
    const result = await store.approvals.decide({ ...request, decision: { kind: "no" }, message: words });
    return result.state === "decided";
  }

  async #decide(approval: Approval, decision: ApprovalDecision, { key }: ShownApproval, by: Answerer): Promise<void> {
    const result = await this.store.approvals.decide({ id: approval.id, decision, by: deciderOf(by), surface: key });
    if (result.state === "over") await this.#sayOver(result.approval, by);
  }

  /** By the ids that are the person's now: one may have passed to somebody else since. */
  async #answerer({ sender, conversation }: Pick<Press, "sender" | "conversation">, access: Access): Promise<Answerer> {
    const { options, identities } = this.account;
    const { name } = sender;
    const current = await identities.current(sender);
    const at = onAccount(conversation, options.account);
    return {
      sender: name === undefined ? current : { ...current, name },
      ...{ conversation: at, access, user: await userOf(this.store, authorOf({ sender: current, conversation: at })) },
    };
  }

  async #userOf(author: TurnAuthor | null): Promise<UserId | null> {
    return author === null ? null : userOf(this.store, author);
  }

  async #authorOf([shown]: readonly ShownApproval[]): Promise<TurnAuthor | null> {
    return shown === undefined ? null : ((await this.store.turns.get(shown.approval.turnId))?.author ?? null);
  }

  /** Where a question is shown that was pressed at `conversation`; null where it is not shown there. */
  async #shownAt(id: ApprovalId, conversation: Conversation, author: TurnAuthor | null): Promise<ShownApproval | null> {
    const { store, adapter } = this;
    const key = adapter.buildSessionKey(conversation);
    const places = [key];
    if (author !== null && author !== "terminal" && author.conversation.userId !== undefined) {
      // Where each person has a session of their own, the question of one is read by all in the chat.
      const { userId: _, ...chat } = author.conversation;
      if (adapter.buildSessionKey(chat) === key) places.push(adapter.buildSessionKey(author.conversation));
    }
    for (const place of places) {
      const found = (await store.approvals.shownAt(place)).find(({ approval }) => approval.id === id);
      if (found) return found;
    }
    return null;
  }

  /** Says once a question who may answer it. */
  async #explain(id: ApprovalId, { key }: ShownApproval, { conversation }: Answerer): Promise<void> {
    if (this.#explained.has(id)) return;
    this.#explained.set(id, true);
    await this.store.outbox.enqueue([{ key, conversation, message: { kind: "notice", markdown: ONLY_OPERATORS } }]);
  }

  /** What came of a question is said where the question itself cannot show it. */
  async #sayOver(approval: Approval, { conversation }: Answerer, press?: Pick<Press, "messageId">): Promise<void> {
    const { store, adapter } = this;
    if (adapter.edit) return;
    if (press) {
      const said = await store.inbox.said(conversation, press.messageId);
      if (said?.by !== "bot" || said.sessionId !== approval.sessionId) return;
    }
    const key = adapter.buildSessionKey(conversation);
    const message = { kind: "notice", markdown: closedQuestion(approval).markdown } as const;
    await store.outbox.enqueue([{ key, conversation, message, sessionId: approval.sessionId }]);
  }

  /** Does not log the choice: its id may grant a right. */
  #ignore({ conversation, messageId }: Press, why: string): void {
    const fields = { chat: conversation.chatId, message: messageId };
    this.logger.info(fields, `a choice was pressed that ${why}`);
  }
}

/** Whether a question offers the choice: one that it was too long for is not had by making its id up. */
function isChoiceOf({ messages }: Approval, choiceId: string): boolean {
  return messages.some(({ choices = [] }) => choices.some(({ id }) => id === choiceId));
}

function decisionOf({ verb, answer = 0 }: ApprovalChoice, { answers }: Approval): ApprovalDecision {
  return verb === "answer" ? { kind: "answer", text: answers[answer] ?? "" } : { kind: verb };
}
