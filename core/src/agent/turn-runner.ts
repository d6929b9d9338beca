import { type Clock, sleep } from "../base/clock.ts";
import { asHermesError, HermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Concealer, Redactor } from "../base/redact.ts";
import { withoutSecrets } from "../base/without-secrets.ts";
import { nextChange } from "../session/next-change.ts";
import type { NewOutboxEntry } from "../session/outbox.ts";
import type { Session } from "../session/session.ts";
import type { Store } from "../session/store.ts";
import { titleFrom } from "../session/title.ts";
import { type NewMessage, openToolCalls, TOOL_INTERRUPTED, turnMarker } from "../session/transcript.ts";
import type { FinishTurn, StartTurnResult } from "../session/turn.ts";
import type { TurnOutcome, TurnRequest, TurnResult, TurnRunner } from "../session/turn-runner.ts";
import type { Agent, Tool } from "./agent.ts";
import { concealingAgent } from "./concealing-agent.ts";
import { entriesElsewhere } from "./elsewhere.ts";
import { holdTurn, type TurnHold } from "./turn-hold.ts";

export interface TurnRunnerDeps {
  readonly store: Store;
  readonly agent: Agent;
  readonly clock: Clock;
  readonly holder: Holder;
  readonly tools: readonly Tool[];
  readonly logger: Logger;
  /** Takes the secrets of this Hermes out of what is said. */
  readonly concealer: Concealer;
  /** Takes secrets, and what looks like one, out of errors and of what tools found. */
  readonly redact: Redactor;
}

/** How long a turn lease lasts without being renewed, and how often it is, in milliseconds. */
const LEASE_MS = 15_000;

/** A lease that ran out wakes nobody up, so whoever waits looks again after this long, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

/** How long a busy store is asked again to take what a turn has to say, in milliseconds. */
const STORE_PATIENCE_MS = 60_000;

type Started = Extract<StartTurnResult, { ok: true }>;

export function createTurnRunner(deps: TurnRunnerDeps): TurnRunner {
  const { conceal } = deps.concealer;
  const concealing = { ...deps, agent: concealingAgent(deps.agent, deps.concealer) };
  return {
    run({ message, ...request }) {
      return runTurn(concealing, { ...request, message: message && { ...message, text: conceal(message.text) } });
    },
  };
}

async function runTurn(deps: TurnRunnerDeps, request: TurnRequest): Promise<TurnOutcome> {
  const started = await takeLease(deps, request);
  if (!started.ok) return { state: "refused", reason: started.reason };

  await request.onEvent?.({ type: "started", turn: started.turn });
  const hold = holdTurn(deps, started.turn, LEASE_MS, request.signal);
  try {
    return await answer(deps, request, started, hold);
  } finally {
    hold[Symbol.dispose]();
  }
}

/** Waits until the session's lease is free, or there is nothing to run. */
async function takeLease(
  { store, clock, holder }: TurnRunnerDeps,
  request: TurnRequest,
): Promise<Started | { readonly ok: false; readonly reason: "answered" | "closed" | "unknown_session" | "cancelled" }> {
  let told = "";
  for (;;) {
    if (request.signal?.aborted) return { ok: false, reason: "cancelled" };
    using change = nextChange(store, clock, request.signal);
    const result = await store.turns.startTurn({
      sessionId: request.sessionId,
      holder,
      cause: request.cause,
      surface: request.surface,
      leaseMs: LEASE_MS,
      message: request.message,
      closedNotice: request.closedNotice,
    });
    if (result.ok) return result;
    if (result.reason !== "busy" && result.reason !== "handoff") return { ok: false, reason: result.reason };

    const waitsFor = result.reason === "busy" ? result.turn.id : result.handoffId;
    if (waitsFor !== told) await request.onEvent?.({ type: "waiting", for: result });
    told = waitsFor;
    await change.within(LOOK_AGAIN_MS);
  }
}

async function answer(
  deps: TurnRunnerDeps,
  request: TurnRequest,
  started: Started,
  hold: TurnHold,
): Promise<TurnOutcome> {
  const { store, agent, logger, redact } = deps;
  const { turn, fence } = started;
  const written: NewMessage[] = [];
  const write = async (message: NewMessage) => {
    await untilTaken(deps, hold, () => store.turns.append(turn.id, fence, [message]));
    written.push(message);
  };
  let text = "";
  let session: Session | null = null;

  const finish = async (result: TurnResult, messages: readonly NewMessage[]): Promise<TurnOutcome> => {
    hold.throwIfLost();
    const state: FinishTurn["state"] = result.state === "done" ? "done" : "interrupted";
    const composed = (await request.compose?.(result)) ?? [];
    await untilTaken(deps, hold, async () => {
      const elsewhere = session === null ? [] : await entriesElsewhere(store, session, started, result);
      const outbox: readonly NewOutboxEntry[] = [...composed, ...elsewhere];
      await store.turns.finishTurn({ turnId: turn.id, fence, state, messages, outbox });
    });
    return result;
  };
  /** Ends a turn that has no answer: what runs is marked as interrupted, and the request as closed. */
  const close = (why: "stopped" | "failed"): NewMessage[] => {
    // A handoff's own request is not a person's: undoing its binding closes it.
    if (request.cause.kind === "handoff") return [];
    const open = openToolCalls(written);
    const toolsRan = written.some((message) => message.toolCalls?.length);
    return [
      ...open.map((call): NewMessage => ({ role: "tool", text: TOOL_INTERRUPTED, toolCallId: call.id })),
      ...(text.trim() ? [{ role: "assistant", text } satisfies NewMessage] : []),
      { role: "assistant", text: turnMarker(why, toolsRan), internal: true },
    ];
  };

  try {
    session = await store.sessions.get(request.sessionId);
    if (session === null) throw new HermesError("SESSION_UNKNOWN", { reference: request.sessionId });
    session = await nameSession(store, session, started);
    const messages = await store.transcripts.read(request.sessionId);
    const tools = request.tools ? deps.tools : [];
    for await (const event of agent.run({ session, messages, tools, signal: hold.signal })) {
      hold.throwIfLost();
      switch (event.type) {
        case "text":
          text += event.delta;
          await request.onEvent?.({ type: "text", delta: event.delta });
          break;
        case "step":
          await write({ role: "assistant", text: event.text, toolCalls: event.toolCalls });
          text = "";
          for (const call of event.toolCalls) await request.onEvent?.({ type: "tool-call", call });
          break;
        case "tool-result":
          await write({ role: "tool", text: redact(event.text), toolCallId: event.call.id });
          await request.onEvent?.({ ...event, text: redact(event.text) });
          break;
        case "finish":
          text = event.text;
      }
      if (event.type === "finish") break;
    }
    if (hold.signal.aborted) throw hold.signal.reason;
    return await finish({ state: "done", turn, text }, [{ role: "assistant", text }]);
  } catch (thrown) {
    hold.throwIfLost();
    if (hold.ending === "leaving") throw thrown;
    if (hold.ending === "stopped") return await finish({ state: "stopped", turn, text }, close("stopped"));
    // A provider's error may repeat whatever it was sent.
    const error = withoutSecrets(asHermesError(thrown), redact);
    if (error.code === "TURN_SUPERSEDED") throw error;
    logger.warn({ turn: turn.id, session: request.sessionId, error: thrown }, "a turn failed");
    return await finish({ state: "failed", turn, text, error }, close("failed"));
  }
}

/** An answer that is there is not given up because another process keeps the store busy for longer than a call waits. */
async function untilTaken({ clock, logger }: TurnRunnerDeps, hold: TurnHold, write: () => Promise<unknown>) {
  const until = clock.now() + STORE_PATIENCE_MS;
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      const isBusy = asHermesError(error).code === "STORE_BUSY";
      if (!isBusy || hold.signal.aborted || clock.now() >= until) throw error;
      logger.warn({ error }, "the store is busy; what a turn has to say waits for it");
      await sleep(clock, LOOK_AGAIN_MS, hold.signal);
    }
  }
}

/** A session without a title gets one from its first message. */
async function nameSession(store: Store, session: Session, { message }: Started): Promise<Session> {
  if (session.title !== null || message.internal) return session;
  const title = titleFrom(message.text);
  return title === null ? session : { ...session, title: await store.sessions.setTitle(session.id, title) };
}
