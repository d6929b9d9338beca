import { inject, injectable } from "tsyringe";
import { AGENT, type Agent } from "../agent/agent.ts";
import { concealingAgent } from "../agent/concealing-agent.ts";
import { countingAgent } from "../agent/counting-agent.ts";
import { MODEL_CATALOGUE, type ModelCatalogue, windowOf } from "../agent/model-catalogue.ts";
import type { Clock } from "../base/clock.ts";
import { HermesError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import type { Holder } from "../base/process-identity.ts";
import { CONCEALER, type Concealer, REDACTOR, type Redactor } from "../base/redact.ts";
import { CLOCK, HOLDER, LOGGER } from "../base/tokens.ts";
import type { Compaction } from "../model/compaction.ts";
import type { Limits } from "../model/limit.ts";
import type { Session } from "../model/session.ts";
import type { StartTurnResult, Turn, TurnCause } from "../model/turn.ts";
import { isStranger } from "../store/current-rights.ts";
import { nextChange } from "../store/next-change.ts";
import { STORE, type Store } from "../store/store.ts";
import { runCompactTurn } from "./compact-turn.ts";
import { GrantedTurn } from "./granted-turn.ts";
import { MarkedTurns } from "./marked-turns.ts";
import { TOOL_POLICY, type ToolPolicy } from "./tool-policy.ts";
import { type ContextParts, TurnContext } from "./turn-context.ts";
import { holdTurn } from "./turn-hold.ts";
import { LIMITS } from "./turn-limits.ts";
import type {
  CompactRequest,
  ResumeOutcome,
  ResumeRequest,
  StoreIsBusy,
  TurnEvent,
  TurnOutcome,
  TurnRequest,
  TurnResult,
  TurnRunner,
} from "./turn-runner.ts";
import { TurnTranscript } from "./turn-transcript.ts";
import type { TurnUsage } from "./turn-usage.ts";
import type { StartedTurn } from "./turn-writer.ts";
import { whyNotCompacted } from "./why-not-compacted.ts";

/** Milliseconds until a turn lease expires without a renewal. */
const LEASE_MS = 15_000;

/** Polling interval in milliseconds while waiting: the expiry of a lease notifies nobody. */
const LOOK_AGAIN_MS = 1_000;

/** Bytes of a transcript that are read for each token of the window: a summary is made of 2.2 windows at most. */
const ROOM = 18;

/** Runs turns with the agent of this process, each on the lease of its session. */
@injectable()
export class LeasedTurns implements TurnRunner {
  /** Repeats no secret of this Hermes. */
  readonly agent: Agent;
  readonly marked: MarkedTurns;
  /** Tokens that models read, as their providers said when they refused a request. */
  readonly #windows = new Map<string, number>();

  constructor(
    @inject(STORE) readonly store: Store,
    @inject(CLOCK) readonly clock: Clock,
    @inject(LOGGER) readonly logger: Logger,
    @inject(HOLDER) readonly holder: Holder,
    @inject(TOOL_POLICY) readonly policy: ToolPolicy,
    /** Takes secrets, and what looks like one, out of errors and of what tools found. */
    @inject(REDACTOR) readonly redact: Redactor,
    /** Redacts the secrets of this Hermes. */
    @inject(CONCEALER) readonly concealer: Concealer,
    @inject(AGENT) agent: Agent,
    /** Without it, no model's window and no price is known. */
    @inject(MODEL_CATALOGUE, { isOptional: true }) readonly catalogue?: Pick<ModelCatalogue, "factsOf">,
    /** Without it, nothing is limited. */
    @inject(LIMITS, { isOptional: true }) readonly limits: Limits = {},
  ) {
    this.marked = new MarkedTurns(store);
    this.agent = concealingAgent(countingAgent(agent), concealer);
  }

  async run({ message, ...rest }: TurnRequest): Promise<TurnOutcome> {
    const request = { ...rest, message: message && { ...message, text: this.concealer.conceal(message.text) } };
    const lease = await this.#takeLease(request);
    if ("state" in lease) return lease;
    return this.#runGranted(request, lease);
  }

  async resume(request: ResumeRequest): Promise<ResumeOutcome> {
    const { turnId } = request;
    const granted = await this.store.turns.resumeTurn({ turnId, holder: this.holder, leaseMs: LEASE_MS });
    if (!granted.ok) return { state: "refused", reason: granted.reason };
    const { sessionId, cause, surface, author } = granted.turn;
    const isStillWanted = request.isStillWanted ?? (async () => !(await isStranger(this.store, author)));
    const asked = { ...request, sessionId, cause, surface, message: null, tools: true };
    return this.#runGranted(asked, granted, isStillWanted);
  }

  async compact(request: CompactRequest): Promise<Compaction> {
    const { sessionId, surface, signal } = request;
    const { store, holder } = this;
    const cause = { kind: "compact" } as const;
    const granted = await store.turns.startTurn({
      ...{ sessionId, surface, holder, cause, leaseMs: LEASE_MS, message: null },
    });
    if (!granted.ok) throw await whyNotCompacted(this, sessionId, granted);
    await request.onEvent?.({ type: "started", turn: granted.turn });
    using hold = holdTurn(this, granted.turn, LEASE_MS, signal);
    return await runCompactTurn(this, request, granted, hold);
  }

  /** What a turn sends to its model. */
  contextOf(
    session: Session,
    turn: Turn,
    parts: Pick<ContextParts, "requestSeq" | "signal" | "onEvent"> & {
      readonly usage: TurnUsage;
      untilTaken<T>(write: () => Promise<T>): Promise<T>;
    },
  ): TurnContext {
    const { store, agent, clock, catalogue } = this;
    const { untilTaken, usage, ...rest } = parts;
    const reads = (model: string) => Math.min(windowOf(catalogue, model), this.#windows.get(model) ?? Infinity);
    return new TurnContext({
      ...{ ...rest, agent, session, turn },
      transcript: new TurnTranscript(store, session.id, reads(agent.modelOf(session)) * ROOM),
      windowOf: reads,
      learnWindow: (model, tokens) => void this.#windows.set(model, tokens),
      now: () => clock.now(),
      keptState: () => store.sessions.keptState(session.id),
      lastUsage: () => store.usage.lastOf(session.id),
      used: (counted) => usage.add("compaction", counted),
      store: async (compaction) => {
        const { unstored } = usage;
        const stored = await untilTaken(() => store.compactions.add(turn.id, turn.fence, compaction, unstored));
        usage.stored();
        return stored;
      },
    });
  }

  /** `isStillWanted`: asked before the agent, where it was not before the turn was granted. */
  async #runGranted(
    request: TurnRequest,
    lease: StartedTurn,
    isStillWanted?: () => Promise<boolean>,
  ): Promise<TurnResult> {
    await request.onEvent?.({ type: "started", turn: lease.turn });
    using hold = holdTurn(this, lease.turn, LEASE_MS, request.signal);
    return await new GrantedTurn(this, { ...request, isStillWanted }, lease, hold).run();
  }

  /** Waits until the session's lease is free, or there is nothing to run. */
  async #takeLease({
    sessionId,
    cause: firstCause,
    surface,
    message,
    closedNotice,
    offer,
    outbox,
    signal,
    onEvent,
    isStillWanted,
  }: TurnRequest): Promise<StartedTurn | Refused> {
    const { store, clock, holder } = this;
    let cause = firstCause;
    let told = "";
    for (;;) {
      const hasWaited = told !== "";
      if (signal?.aborted) return { state: "refused", reason: "cancelled" };
      using change = nextChange(store, clock, signal);
      const request = { sessionId, holder, cause, surface, leaseMs: LEASE_MS, message, closedNotice, offer, outbox };
      const start = async (): Promise<StartTurnResult> => {
        const isWanted = !hasWaited || (await isStillWanted?.()) !== false;
        return isWanted ? store.turns.startTurn(request) : { ok: false, reason: "closed" };
      };
      // A busy store has not written what it refuses: retrying neither loses nor repeats the message.
      const result = await start().catch(storeIsBusy);
      if ("ok" in result && result.ok) return result;
      if (
        result.reason !== "busy" &&
        result.reason !== "waiting" &&
        result.reason !== "handoff" &&
        result.reason !== "store"
      ) {
        return { state: "refused", reason: result.reason };
      }

      if (result.reason !== "store") cause = onceKept(cause);
      const waitsFor = waitedFor(result);
      if (waitsFor !== told) await onEvent?.({ type: "waiting", for: result });
      told = waitsFor;
      await change.within(LOOK_AGAIN_MS);
    }
  }
}

type Refused = Extract<TurnOutcome, { state: "refused" }>;

/** Names what a turn waits for, so that each is told once. */
function waitedFor(result: Extract<TurnEvent, { type: "waiting" }>["for"]): string {
  switch (result.reason) {
    case "busy":
    case "waiting":
      return `${result.reason} ${result.turn.id}`;
    case "handoff":
      return result.handoffId;
    default:
      return result.reason;
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
