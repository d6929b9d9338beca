import type { OutboundMessage } from "../../adapter/message.ts";
import { asHermesError } from "../../base/errors.ts";
import { oneLine } from "../../base/one-line.ts";
import { SESSION_IS_IN_THE_TERMINAL } from "../../handoff/notice.ts";
import type { InboxRow } from "../../model/inbox.ts";
import type { SessionId } from "../../model/session.ts";
import { offerUndelivered } from "../../store/offer-undelivered.ts";
import type { TurnResult, TurnRunner } from "../../turn/turn-runner.ts";
import type { Access } from "../account/access.ts";
import type { GrowingAnswerDeps } from "../outbound/growing-answer.ts";
import { presentTurn } from "../outbound/present-turn.ts";
import { errorText, replyTo } from "../outbound/reply.ts";
import { branchOff, type ConversationPlaceDeps, conversationPlace } from "./conversation-place.ts";
import type { LaneWork } from "./lanes.ts";
import { askedAgain, userMessage } from "./user-message.ts";

export interface AnswerByTurnDeps extends ConversationPlaceDeps, GrowingAnswerDeps {
  readonly runner: TurnRunner;
}

export interface TurnToRun {
  readonly access: Access;
  /** What the agent is asked: the message, or one of the transcript that is asked again. */
  readonly text: string;
  readonly isAgain: boolean;
  /** Stands while the turn waits for another one. */
  readonly lane: LaneWork;
  /** Aborts with LEAVING when this process ends. */
  readonly signal: AbortSignal;
}

/** Runs a turn on the session that the conversation leads to, and sees to it that the answer is sent there. */
export async function answerByTurn(deps: AnswerByTurnDeps, row: InboxRow, turn: TurnToRun): Promise<void> {
  const { store, runner, logger } = deps;
  const { access, text, isAgain, lane, signal } = turn;
  const { key, message } = row;
  const sessionId = await sessionFor(deps, row, access);
  if (sessionId === null) {
    await store.inbox.settle(row.id, [replyTo(row, SESSION_IS_IN_THE_TERMINAL)]);
    return;
  }
  await offerUndelivered(store, { key, conversation: message.conversation });
  const shown = presentTurn(deps, { key, conversation: message.conversation });
  try {
    const outcome = await runner.run({
      sessionId,
      cause: { kind: "inbox", inboxId: row.id },
      surface: key,
      message: isAgain ? askedAgain(message, key, text) : userMessage(message, key, access, text),
      tools: true,
      signal,
      closedNotice: {
        toolStarted: replyTo(row, notRunAgain(text, ", since part of it may have been done"), sessionId),
        noToolStarted: replyTo(row, notRunAgain(text, "; nothing of it was done"), sessionId),
      },
      onEvent: (event) => {
        if (event.type === "waiting" && event.for.reason !== "store") lane.stand();
        if (event.type === "started") lane.proceed();
        shown.onEvent(event);
      },
      compose: async (result) => {
        await shown.close();
        return [{ ...replyTo(row, answerOf(result), sessionId), turnId: result.turn.id }];
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
async function sessionFor(deps: AnswerByTurnDeps, row: InboxRow, access: Access): Promise<SessionId | null> {
  const { store } = deps;
  await branchOff(deps, row, access);
  const binding = await store.bindings.get(row.key);
  if (binding) return binding.sessionId;
  if ((await store.handoffs.latestBoundAt(row.key))?.state === "failed") return null;
  return (await conversationPlace(deps, row, access).startSession()).id;
}

function answerOf(result: TurnResult): OutboundMessage {
  switch (result.state) {
    case "done":
      return { kind: "answer", markdown: result.text.trim() || "*(The model gave no answer.)*" };
    case "stopped":
      return { kind: "answer", markdown: `${result.text.trim()}\n\n*(Stopped.)*`.trim() };
    case "failed":
      return { kind: "notice", markdown: errorText(result.error) };
  }
}

function notRunAgain(text: string, why: string): OutboundMessage {
  const request = oneLine(text);
  const quoted = request.length > 80 ? `${request.slice(0, 80).toWellFormed()}…` : request;
  return {
    kind: "notice",
    markdown:
      `Hermes stopped while it worked on “${quoted}”. It is not run again${why}. ` +
      "Send it again if you still want it.",
  };
}
