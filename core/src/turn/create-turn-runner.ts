import { concealingAgent } from "../agent/concealing-agent.ts";
import { HermesError } from "../base/errors.ts";
import type { Holder } from "../base/process-identity.ts";
import type { Concealer } from "../base/redact.ts";
import type { TurnCause } from "../model/turn.ts";
import { nextChange } from "../store/next-change.ts";
import { type Granted, GrantedTurn, type GrantedTurnDeps } from "./granted-turn.ts";
import { holdTurn } from "./turn-hold.ts";
import type { StoreIsBusy, TurnOutcome, TurnRequest, TurnRunner } from "./turn-runner.ts";

export interface TurnRunnerDeps extends GrantedTurnDeps {
  readonly holder: Holder;
  /** Takes the secrets of this Hermes out of what is said. */
  readonly concealer: Concealer;
}

/** How long a turn lease lasts without being renewed, in milliseconds. */
const LEASE_MS = 15_000;

/** A lease that ran out wakes nobody up, so whoever waits looks again after this long, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;

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
  const lease = await takeLease(deps, request);
  if ("state" in lease) return lease;
  await request.onEvent?.({ type: "started", turn: lease.turn });
  using hold = holdTurn(deps, lease.turn, LEASE_MS, request.signal);
  return await new GrantedTurn(deps, request, lease, hold).run();
}

/** Waits until the session's lease is free, or there is nothing to run. */
async function takeLease(
  { store, clock, holder }: TurnRunnerDeps,
  { sessionId, cause: firstCause, surface, message, closedNotice, signal, onEvent }: TurnRequest,
): Promise<Granted | Extract<TurnOutcome, { state: "refused" }>> {
  let cause = firstCause;
  let told = "";
  for (;;) {
    if (signal?.aborted) return { state: "refused", reason: "cancelled" };
    using change = nextChange(store, clock, signal);
    const request = { sessionId, holder, cause, surface, leaseMs: LEASE_MS, message, closedNotice };
    // What a busy store refuses it has not written: the message is neither lost by that nor said twice.
    const result = await store.turns.startTurn(request).catch(storeIsBusy);
    if ("ok" in result && result.ok) return result;
    if (result.reason !== "busy" && result.reason !== "handoff" && result.reason !== "store") {
      return { state: "refused", reason: result.reason };
    }

    if (result.reason !== "store") cause = onceKept(cause);
    const waitsFor =
      result.reason === "busy" ? result.turn.id : result.reason === "handoff" ? result.handoffId : result.reason;
    if (waitsFor !== told) await onEvent?.({ type: "waiting", for: result });
    told = waitsFor;
    await change.within(LOOK_AGAIN_MS);
  }
}

/** A message that had to wait is a typed line from now on. */
function onceKept(cause: TurnCause): TurnCause {
  if (cause.kind !== "terminal" || cause.keepAs === undefined) return cause;
  return { kind: "terminal", lines: [...(cause.lines ?? []), cause.keepAs] };
}

function storeIsBusy(error: unknown): StoreIsBusy {
  if (error instanceof HermesError && error.code === "STORE_BUSY") return { reason: "store", error };
  throw error;
}
