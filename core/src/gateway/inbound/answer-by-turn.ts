import { inject, Lifecycle, scoped } from "tsyringe";
import type { OutboundMessage } from "../../adapter/message.ts";
import { abortedWith } from "../../base/deadline.ts";
import { asHermesError } from "../../base/errors.ts";
import type { FileRef } from "../../base/file-ref.ts";
import type { Logger } from "../../base/logger.ts";
import { oneLine } from "../../base/one-line.ts";
import { shorten } from "../../base/shorten.ts";
import { LOGGER } from "../../base/tokens.ts";
import { sessionIsElsewhere } from "../../handoff/notice.ts";
import { escapeMarkdown } from "../../markdown/escape-markdown.ts";
import type { InboxRow } from "../../model/inbox.ts";
import { withReadableMarks } from "../../model/mark.ts";
import type { NewOutboxEntry } from "../../model/outbox.ts";
import type { Turn } from "../../model/turn.ts";
import { lookUpPlace } from "../../store/look-up-place.ts";
import { offerUndelivered } from "../../store/offer-undelivered.ts";
import { STORE, type Store } from "../../store/store.ts";
import { isForTurn, TURN_RUNNER, type TurnRunner } from "../../turn/turn-runner.ts";
import type { Access } from "../account/access.ts";
import { replyTo } from "../outbound/reply.ts";
import { TurnPresenter } from "../outbound/turn-presenter.ts";
import { ConversationPlaces } from "./conversation-places.ts";
import { Intake } from "./intake.ts";
import type { LaneWork } from "./lanes.ts";
import { type AnsweringSession, Offers } from "./offers.ts";
import { RunningTurns } from "./running-turns.ts";
import { leavesFor, sessionOf, turnAnswer } from "./turn-answer.ts";
import { askedAgain, userMessage } from "./user-message.ts";

export interface TurnToRun {
  readonly access: Access;
  /** What the agent is asked: the message, or one of the transcript that is asked again. */
  readonly text: string;
  readonly isAgain: boolean;
  /** The files of a message that is asked again. */
  readonly files?: readonly FileRef[] | undefined;
  /** What is said before the answer. */
  readonly outbox: readonly NewOutboxEntry[];
  /** Stands while the turn waits for another one. */
  readonly lane: LaneWork;
  /** Aborts with LEAVING when this process ends. */
  readonly signal: AbortSignal;
}

/** Answers messages by turns of the agent. */
@scoped(Lifecycle.ContainerScoped)
export class AnswerByTurn {
  constructor(
    @inject(STORE) readonly store: Store,
    @inject(LOGGER) readonly logger: Logger,
    @inject(TURN_RUNNER) readonly runner: TurnRunner,
    @inject(ConversationPlaces) readonly places: ConversationPlaces,
    @inject(TurnPresenter) readonly presenter: TurnPresenter,
    @inject(RunningTurns) readonly running: RunningTurns,
    @inject(Offers) readonly offers: Offers,
    @inject(Intake) readonly intake: Intake,
  ) {}

  /**
   * Runs a turn on the session that the conversation leads to, and sees to it that the answer is sent there. Returns the
   * turn that waits for people, if the message has to wait for it: then nothing has happened yet.
   */
  async answer(row: InboxRow, { access, text, isAgain, files, outbox, lane, signal }: TurnToRun): Promise<Turn | null> {
    const { store } = this;
    const { key, message } = row;
    const found = await this.#sessionFor(row, access);
    if ("none" in found) {
      await store.inbox.settle(row.id, [...outbox, replyTo(row, found.none)]);
      return null;
    }
    const { sessionId } = found;
    const offer = isAgain ? undefined : await this.offers.beside(row, access, found);
    await offerUndelivered(store, { key, conversation: message.conversation });
    const shown = this.presenter.present({ key, conversation: message.conversation });
    const place = this.places.of(row, access);
    const behind: { turn: Turn | null } = { turn: null };
    using ending = abortedWith(signal);
    using running = this.running.open();
    try {
      const outcome = await this.runner.run({
        sessionId,
        cause: { kind: "inbox", inboxId: row.id, digest: row.digest },
        surface: key,
        message: isAgain ? askedAgain(message, key, access, { text, files }) : userMessage(message, key, access, text),
        tools: true,
        offer,
        outbox,
        signal: ending.signal,
        closedNotice: {
          toolStarted: replyTo(row, notRunAgain(text, ", since part of it may have been done"), sessionId),
          noToolStarted: replyTo(row, notRunAgain(text, "; nothing of it was done"), sessionId),
        },
        onEvent: (event) => {
          if (event.type === "waiting" && isForTurn(event.for)) lane.beginWait();
          if (event.type === "waiting" && event.for.reason === "waiting") {
            behind.turn = event.for.turn;
            ending.abort();
          }
          if (event.type === "started") {
            lane.endWait();
            running.begin(event.turn);
          }
          shown.onEvent(event);
        },
        isStillWanted: () => this.#leadsSomewhere(row),
        said: () => running.said(),
        compose: async (result) => {
          await shown.close();
          const answer = turnAnswer(result, { ...place, leavesFor: await leavesFor(store, result) });
          return answer === null ? [] : [{ ...replyTo(row, answer, sessionOf(result)), turnId: result.turn.id }];
        },
      });
      if (outcome.state !== "refused") return null;
      if (outcome.reason === "cancelled" && !signal.aborted) return behind.turn;
      if (outcome.reason === "unknown_session") await store.bindings.unbind(key);
      if (outcome.reason === "answered") await store.inbox.settle(row.id, []);
    } catch (thrown) {
      if (asHermesError(thrown).code !== "TURN_SUPERSEDED") throw thrown;
      this.logger.warn({ row: row.id }, "another process took a turn over");
    } finally {
      await shown.close();
    }
    return null;
  }

  /** False where the writer may not talk here any more, or not in the session that this place led to. */
  async #leadsSomewhere({ key, message }: InboxRow): Promise<boolean> {
    const access = await this.intake.accessOf(message);
    return access !== null && (await this.store.bindings.get(key)) !== null;
  }

  /** The session that a conversation leads to, a new one if none; or what is said where none may be begun unasked. */
  async #sessionFor(row: InboxRow, access: Access): Promise<AnsweringSession | { none: OutboundMessage }> {
    const { store, places } = this;
    await places.branchOff(row, access);
    const binding = await store.bindings.get(row.key);
    if (binding) return { sessionId: binding.sessionId, isNew: false };
    const place = places.of(row, access);
    const handoff = await store.handoffs.latestBoundAt(row.key);
    if (handoff?.state === "failed") {
      return { none: sessionIsElsewhere(escapeMarkdown(await lookUpPlace(store, handoff.from)), place) };
    }
    const { message, receivedAt } = row;
    const isMissed = await store.bindings.missedSession(row.key, { sentAt: message.sentAt, receivedAt });
    if (isMissed) return { none: notRead(message.text) };
    return { sessionId: (await place.startSession()).id, isNew: true };
  }
}

function notRead(text: string): OutboundMessage {
  return {
    kind: "notice",
    markdown: `“${excerpt(text)}” was not read, because the session here was deleted first. Send it again to start a new session with it.`,
  };
}

function notRunAgain(text: string, why: string): OutboundMessage {
  return {
    kind: "notice",
    markdown:
      `Hermes stopped while it worked on “${excerpt(text)}”. It is not run again${why}. ` +
      "Send it again if you still want it.",
  };
}

function excerpt(text: string): string {
  return shorten(oneLine(withReadableMarks(text)), 80);
}
