import { type Conversation, type HomeChannel, onAccount } from "../adapter/conversation.ts";
import type { SessionKey } from "../adapter/session-key.ts";
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import { asHermesError, HermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { oneLine, shortName } from "../base/one-line.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Redactor } from "../base/redact.ts";
import { escapeMarkdown } from "../markdown/escape-markdown.ts";
import type { Handoff, HandoffFacts, HandoffStep } from "../model/handoff.ts";
import type { NewOutboxEntry } from "../model/outbox.ts";
import { placeName } from "../model/place-name.ts";
import type { Session } from "../model/session.ts";
import { earlierAsMarkdown, MOST_EARLIER } from "../model/transcript-as-markdown.ts";
import type { TurnId } from "../model/turn.ts";
import { lookUpPlace, nameOfLanding } from "../store/look-up-place.ts";
import { offerUndelivered } from "../store/offer-undelivered.ts";
import { readEnd, readFromCompaction } from "../store/read-from-compaction.ts";
import type { Store } from "../store/store.ts";
import { LEAVING, type TurnOutcome, type TurnRunner } from "../turn/turn-runner.ts";
import type { Destination } from "./destination.ts";
import { giveUp } from "./give-up.ts";
import { handoffNotice, handoffRequest } from "./notice.ts";
import { openThread } from "./open-thread.ts";
import type { OpenedThreads } from "./opened-threads.ts";
import { passOfHandoff } from "./pass-of-handoff.ts";
import { tellPlaceLeft } from "./place-left.ts";
import { refuseUnmeant } from "./set-away.ts";
import { cardEdit, stateCard } from "./state-card.ts";
import { askForChannel, channelOf } from "./target-channel.ts";
import { untilDelivered } from "./until-delivered.ts";
import { whileUnreachable } from "./while-unreachable.ts";

/** What carrying a handoff out takes: the watcher's parts, and the end of this process or of its claim. */
export interface Carrying {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly holder: Holder;
  readonly redact: Redactor;
  readonly runner: TurnRunner;
  readonly destination: Destination;
  readonly opened: OpenedThreads;
  /** Aborts when this process leaves or loses the handoff; what was recorded goes on elsewhere. */
  readonly signal: AbortSignal;
}

/** How many holders may try a handoff before it fails for good. */
const MAX_ATTEMPTS = 3;

/** Minimum milliseconds to wait for an unreachable platform; a request with a longer time to live waits longer. */
const LEAST_PATIENCE_MS = 15_000;

/** Thrown when another holder has taken the handoff over. */
class HandoffLost extends Error {}

/**
 * Takes a claimed handoff from the step it has reached to its end. Every step is recorded before the next begins, so
 * whoever takes over goes on from there. Resolves when it is completed, failed, or no longer this holder's.
 */
export async function carryHandoff(
  { store, clock, logger, holder, redact, runner, destination, opened }: Omit<Carrying, "signal">,
  claimed: Handoff,
  signal: AbortSignal,
): Promise<void> {
  const carrying = { store, clock, logger, holder, redact, runner, destination, opened, signal };
  let handoff = claimed;
  try {
    if (handoff.attempt > MAX_ATTEMPTS) throw new HermesError("HANDOFF_ABANDONED", { attempts: MAX_ATTEMPTS });
    while (handoff.state === "running") {
      if (signal.aborted) return;
      await nextStep(carrying, handoff);
      handoff = await reload(store, handoff);
    }
  } catch (thrown) {
    if (thrown instanceof HandoffLost || signal.aborted || thrown === LEAVING) return;
    const error = asHermesError(thrown);
    if (error.code === "TURN_SUPERSEDED") return;
    logger.warn({ handoff: handoff.id, platform: handoff.platform, error: thrown }, "a handoff failed");
    await giveUp(carrying, await reload(store, handoff), error);
  }
  logger.info({ handoff: claimed.id, holder: holder.id }, "a handoff ended");
}

async function nextStep(carrying: Carrying, handoff: Handoff): Promise<void> {
  const step: HandoffStep = handoff.step ?? "claimed";
  switch (step) {
    case "claimed":
      return thread(carrying, handoff);
    case "threaded":
      return bind(carrying, handoff);
    case "bound":
      return answer(carrying, handoff);
    case "answered":
      return untilDelivered(carrying, handoff);
    case "delivered":
      return complete(carrying, handoff);
  }
}

/** Milliseconds for which a recorded intent is this process's without asking again; less than the handoff's lease. */
const INTENT_HOLDS_MS = 10_000;

async function thread(carrying: Carrying, handoff: Handoff): Promise<void> {
  const { store, clock, holder, destination, opened, signal } = carrying;
  const { adapter, account } = destination;
  const channel = channelOf(handoff, destination);
  if (channel === null) throw new HermesError("CONFIG_HOME_CHANNEL_MISSING", { platform: handoff.platform });
  const session = await sessionOf(store, handoff);
  if (handoff.isAway) await refuseUnmeant(store, handoff.to);
  // However the clock was set since, no longer than it was to wait.
  const longest = clock.now() + handoff.expiresAt - handoff.requestedAt;
  const until = Math.max(Math.min(handoff.expiresAt, longest), clock.now() + LEAST_PATIENCE_MS);
  const parent = await whileUnreachable(carrying, until, () => askForChannel(store, handoff, destination, channel));
  const wasAskedFor = handoff.threadIntentAt !== null;
  // One that was stopped meanwhile may have lost the handoff, and asks again before it opens anything.
  for (let askedAt = Number.NEGATIVE_INFINITY; clock.steady().ms >= askedAt + INTENT_HOLDS_MS; ) {
    askedAt = clock.steady().ms;
    if (!(await store.handoffs.intendThread(handoff.id, holder))) throw new HandoffLost();
  }
  const request = {
    adapter,
    clock,
    home: channel,
    name: session.title ?? "New session",
    mark: handoff.mark,
    wasAskedFor,
    opened,
    signal,
  };
  const landing = await openThread(request, parent);
  const isNew = landing.conversation.threadId !== undefined && parent.threadId === undefined;
  await advance(carrying, handoff, "threaded", {
    conversation: onAccount(landing.conversation, account),
    place: await describePlace(carrying, channel, parent, isNew ? request.name : null),
    link: landing.link,
    flatBecause: landing.flatBecause,
    warning: landing.warning ?? undefined,
    threadOpened: isNew,
  });
  opened.forget(handoff.mark);
}

/** How long a platform is asked for a chat's name, in milliseconds. */
const NAME_WITHIN_MS = 5_000;

/** Where a session landed, by the names that people see: `<platform> › #general › Fix the build`. */
async function describePlace(
  { clock, logger, destination: { adapter } }: Carrying,
  channel: HomeChannel,
  parent: Conversation,
  thread: string | null,
): Promise<string> {
  let { name } = channel;
  if (name === undefined && adapter.chatName) {
    const late = () => new Error("it took too long");
    name = await withDeadline(clock, NAME_WITHIN_MS, adapter.chatName(parent), late).catch((error: unknown) => {
      logger.debug({ chat: parent.chatId, error }, "the name of a chat could not be asked for");
      return undefined;
    });
  }
  const chat = shortName(name ?? "") || (parent.kind === "dm" ? "your private chat" : parent.chatId);
  return [adapter.platform, chat, ...(thread === null ? [] : [oneLine(thread)])].join(" › ");
}

async function bind(carrying: Carrying, handoff: Handoff): Promise<void> {
  const { store, holder, destination } = carrying;
  const { adapter } = destination;
  const { conversation } = handoff;
  if (conversation === null) throw new Error("a threaded handoff has no conversation");
  const key = adapter.buildSessionKey(conversation);
  const session = await sessionOf(store, handoff);
  const card = await stateCard(store, session, await readFromCompaction(store, session.id));
  const kept = await store.sessions.keptState(session.id);
  const left = handoff.from === "terminal" ? null : await store.bindings.get(handoff.from);
  const from = escapeMarkdown(await lookUpPlace(store, handoff.from));
  const entry = (message: NewOutboxEntry["message"]): NewOutboxEntry => ({
    key,
    conversation,
    message,
    sessionId: session.id,
    handoffId: handoff.id,
  });

  const said = adapter.capabilities.mirrors ? await readEnd(store, session.id, MOST_EARLIER) : [];
  const earlier = earlierAsMarkdown(said);
  const until = (said.at(-1)?.seq ?? 0) + 1;
  const pass = await passOfHandoff(store, handoff, session, { key, conversation });

  const bound = await destination.atHead(key, async () => {
    await offerUndelivered(store, { key, conversation });
    // Not before: another handoff to the same place may have been bound meanwhile.
    const former = await store.bindings.get(key);
    const formerSession = former && former.sessionId !== session.id ? await store.sessions.get(former.sessionId) : null;
    return store.handoffs.bindHandoff({
      id: handoff.id,
      holder,
      key,
      conversation,
      mirrors: adapter.capabilities.mirrors,
      pass,
      // The model reads no name that people gave a chat.
      message: handoffRequest({
        from: placeName(handoff.from, left?.conversation),
        to: placeName(key, conversation),
        kept,
      }),
      outbox: [
        ...(earlier === null ? [] : [entry({ kind: "earlier", markdown: earlier, until })]),
        entry(
          handoffNotice({
            from,
            isAway: handoff.isAway,
            flatBecause: handoff.flatBecause,
            former: formerSession === null ? null : (formerSession.title ?? formerSession.id),
            typed: (command) => adapter.typedCommand(command, conversation),
          }),
        ),
        entry(card),
      ],
    });
  });
  if (!bound) throw new HandoffLost();
}

/** The turn that says where things stand. It has no tools, so it may run again until an answer is stored. */
async function answer(carrying: Carrying, handoff: Handoff): Promise<void> {
  const { runner, destination, signal } = carrying;
  const { conversation } = handoff;
  if (conversation === null) throw new Error("a bound handoff has no conversation");
  const key = destination.adapter.buildSessionKey(conversation);
  const shown = destination.present({ key, conversation });
  const entry = (markdown: string, turnId: TurnId): NewOutboxEntry => ({
    ...{ key, conversation, sessionId: handoff.sessionId, turnId, handoffId: handoff.id },
    message: { kind: "answer", markdown },
  });
  const outcome = await runner
    .run({
      sessionId: handoff.sessionId,
      cause: { kind: "handoff", handoffId: handoff.id },
      surface: key,
      message: null,
      tools: false,
      signal,
      onEvent: (event) => shown.onEvent(event),
      compose: async (result) => {
        await shown.close();
        return result.state === "done"
          ? [entry(result.text, result.turn.id), ...(await cardEdit(carrying, handoff, result.work))]
          : [];
      },
    })
    .finally(() => shown.close());
  if (outcome.state !== "done") await requireAnswer(carrying, handoff, outcome);
}

/** Throws why a turn gave no answer, unless another holder has stored one. */
async function requireAnswer(
  { store, signal }: Carrying,
  handoff: Handoff,
  outcome: Exclude<TurnOutcome, { state: "done" }>,
): Promise<void> {
  switch (outcome.state) {
    case "failed":
      throw outcome.error;
    case "stopped":
      if (signal.aborted) throw new HandoffLost();
      throw new HermesError("HANDOFF_CANCELLED", {});
    case "refused":
      if (outcome.reason === "unknown_session") {
        throw new HermesError("SESSION_UNKNOWN", { reference: handoff.sessionId });
      }
      // Answered by a holder that lost its lease in between: the next look at the row shows it.
      if ((await reload(store, handoff)).step === "bound") throw new HandoffLost();
  }
}

async function complete({ store, holder, destination }: Carrying, handoff: Handoff): Promise<void> {
  // Where its thread went away it goes on at another place, and the thread's link leads nowhere.
  const key = handoff.conversation && destination.adapter.buildSessionKey(handoff.conversation);
  const sent = (await store.outbox.ofHandoff(handoff.id)).filter((row) => row.receipt?.link);
  const first = sent.find((row) => row.key === key) ?? sent[0];
  const link = handoff.link ?? first?.receipt?.link ?? null;
  const left = await tellPlaceLeft(store, handoff, link);
  // At once: both are stored in one commit.
  const noted = noteThread(store, handoff, key);
  const completed = store.handoffs.completeHandoff(handoff.id, holder, { link, left });
  await Promise.allSettled([noted, completed]);
  if (!(await completed)) throw new HandoffLost();
  await noted;
}

/** The thread that was opened can be named from now on. */
async function noteThread(store: Store, handoff: Handoff, key: SessionKey | null): Promise<void> {
  const { conversation } = handoff;
  if (key === null || conversation?.threadId === undefined || handoff.place === null) return;
  const name = nameOfLanding(handoff);
  await store.places.note({ key, conversation, name, word: "heard", person: null });
}

async function advance(
  { store, holder }: Carrying,
  handoff: Handoff,
  step: HandoffStep,
  facts: HandoffFacts,
): Promise<void> {
  if (!(await store.handoffs.advanceHandoff(handoff.id, holder, step, facts))) throw new HandoffLost();
}

async function reload(store: Store, { id }: Handoff): Promise<Handoff> {
  const handoff = await store.handoffs.get(id);
  if (handoff === null) throw new HandoffLost();
  return handoff;
}

async function sessionOf(store: Store, handoff: Handoff): Promise<Session> {
  const session = await store.sessions.get(handoff.sessionId);
  if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: handoff.sessionId });
  return session;
}
